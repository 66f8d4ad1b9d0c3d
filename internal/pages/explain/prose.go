package explain

import (
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/prose"
)

// proseMarkdown returns a description as Markdown: paragraphs, lists and code are kept, everything else is
// text. In a list item, a first paragraph is on the line of the item, and all other lines have the indent.
func proseMarkdown(indent, description string) string {
	var parser prose.Parser
	blocks := parser.Parse(description)
	lines := proseLines(blocks)
	if indent != "" && len(lines) > 0 && blocks[0].Kind != prose.Paragraph {
		lines = append([]string{"", ""}, lines...)
	}
	for i, line := range lines {
		if i > 0 && line != "" {
			lines[i] = indent + line
		}
	}
	return strings.Join(lines, "\n")
}

// proseLines returns the lines of blocks, an empty one between two of them.
func proseLines(blocks []prose.Block) []string {
	var out []string
	for _, block := range blocks {
		if len(out) > 0 {
			out = append(out, "")
		}
		switch block.Kind {
		case prose.Bullets, prose.Ordered:
			out = append(out, listLines(block)...)
		case prose.Code:
			out = append(out, codeLines(block.Code)...)
		case prose.Quote:
			out = append(out, proseLines(block.Blocks)...)
		case prose.Paragraph, prose.Heading:
			out = append(out, unlisted(spansMarkdown(block.Spans)))
		}
	}
	return out
}

// listLines returns the items of a list. Facts about a field are a list with dashes, so a description has
// plus signs: otherwise both would be one list.
func listLines(list prose.Block) []string {
	var out []string
	for i, item := range list.Blocks {
		bullet := "+ "
		if list.Kind == prose.Ordered {
			bullet = fmt.Sprintf("%d. ", list.Start+i)
		}
		for j, line := range proseLines(item.Blocks) {
			switch {
			case j == 0:
				line = bullet + line
			case line != "":
				line = strings.Repeat(" ", len(bullet)) + line
			}
			out = append(out, line)
		}
	}
	return out
}

// codeLines returns a text between fences.
func codeLines(text string) []string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	out := []string{fence}
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, screen.Line(line))
	}
	return append(out, fence)
}

// spansMarkdown returns the text of spans, escaped except for code.
func spansMarkdown(spans []prose.Span) string {
	return prose.Writer{Text: markdown.Text, Code: markdown.Code, Link: linkText}.Write(spans)
}

// linkText returns a link as text.
func linkText(url, label string) string {
	if target := markdown.Text(url); target != label {
		return label + " (" + target + ")"
	}
	return label
}

// unlisted escapes the beginning of a paragraph that would be a heading or a list.
func unlisted(paragraph string) string {
	if paragraph != "" && strings.ContainsRune("#=-+", rune(paragraph[0])) {
		return `\` + paragraph
	}
	digits := paragraph[:len(paragraph)-len(strings.TrimLeft(paragraph, "0123456789"))]
	if rest := paragraph[len(digits):]; digits != "" && rest != "" && strings.ContainsRune(".)", rune(rest[0])) {
		return digits + `\` + rest
	}
	return paragraph
}
