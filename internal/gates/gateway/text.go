package gateway

import (
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// text returns the description of a node without tags, as Gateway API's generator writes it: what
// is removed leaves one or two blank lines, of which there are never more.
func (t *Tags) text(s *structural.Schema) string {
	text := written(s.Description)
	for _, channel := range []string{standard, experimental} {
		start := t.start(channel + ":description")
		end := t.end(channel + ":description")
		if strings.Contains(text, start) && t.gateIsOn(s, start) != (channel == experimental) {
			text = without(text, start, end, "\n\n")
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, start, ""), end, "")
	}
	text = without(text, t.start(exclude), t.end(exclude), "\n\n\n")
	if start := "<" + t.Prefix + ":"; strings.Contains(text, start) {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			first := strings.Index(line, start)
			end := strings.LastIndexByte(line, '>')
			if first >= 0 && first < end {
				lines[i] = line[:first] + line[end+1:] // as there, also text between two tags
			}
		}
		text = strings.Join(lines, "\n")
	}
	most := "\n\n\n"
	if t.Prefix == "opcon" {
		most = "\n\n"
	}
	for strings.Contains(text, most+"\n") {
		text = strings.ReplaceAll(text, most+"\n", most)
	}
	return strings.Trim(text, "\n")
}

// without returns the text with each block between two tags, and the line ends around it,
// replaced.
func without(text, start, end, replacement string) string {
	var out strings.Builder
	for {
		head, block, ok := strings.Cut(text, start)
		_, tail, closed := strings.Cut(block, end)
		if !ok || !closed {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(strings.TrimRight(head, "\n") + replacement)
		text = strings.TrimLeft(tail, "\n")
	}
}
