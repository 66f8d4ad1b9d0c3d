package gateway

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// The channels that tags name.
const (
	experimental = Gate
	standard     = "standard"
)

// addresses is the tag that validates the addresses in a list.
const addresses = "validateIPAddress"

// tag is a tag of a description.
type tag struct {
	// text is the tag as it is written.
	text string
	// keyword is addresses or that of a validation for a channel: what follows "validation:",
	// without its value.
	channel, keyword string
	// value is the value of Enum or Pattern; rule and message belong to XValidation. Any other
	// validation is a marker, which begins like prefixOfMarkers.
	value, rule, message, marker string
}

// name returns the tag without its value.
func (t tag) name() string {
	name, _, _ := strings.Cut(t.text, "=")
	return strings.TrimSuffix(name, ">") + ">"
}

// quoted matches a text in quotes.
const quoted = `"((?:[^"\\\n]|\\.)*)"`

// validation matches what follows "<P:CHANNEL:validation:".
var validation = lazyregexp.New("^(?:" +
	`(Enum)=([^<>"\n;]+(?:;[^<>"\n;]+)*)>|` +
	"(Pattern)=`([^`\n]+)`>|" +
	`(XValidation):(?:message=` + quoted + `,rule=` + quoted + `|rule=` + quoted + `,message=` + quoted + `)>|` +
	`(Optional|Required)>|` +
	`([A-Z]\w*)(=[^<>\n]*)?>)`)

// prefixOfMarkers is how the markers begin that validations stand for.
const prefixOfMarkers = "+kubebuilder:validation:"

// exclude is the block that no channel has.
const exclude = "util:excludeFromCRD"

// blocks returns the names of the tags that have an end.
func blocks() []string {
	return []string{experimental + ":description", standard + ":description", exclude}
}

// names returns the names of all tags but validations.
func names() []string { return append([]string{Gate, addresses}, blocks()...) }

// tags reads the validations in a node's description, and addresses. It reports each tag that
// cannot be read.
func (t *Tags) tags(s *structural.Schema) []tag {
	return t.read(s.Description, func(tag, problem, hint string) { t.report(s, tag, hint, "%s: %s", tag, problem) })
}

// read is like tags. It calls fail for each tag that cannot be read.
func (t *Tags) read(description string, fail func(tag, problem, hint string)) (out []tag) {
	var open []string // the names of blocks that have no end yet
	for rest := description; ; {
		offset := strings.IndexByte(rest, '<')
		if offset < 0 {
			break
		}
		rest = rest[offset:]
		name, isStart := strings.CutPrefix(rest, "<"+t.Prefix+":")
		end, isEnd := strings.CutPrefix(rest, "</"+t.Prefix+":")
		if !isStart && !isEnd {
			rest = rest[1:]
			continue
		}
		if isEnd {
			name = end
		}
		length, found := t.length(name)
		text := rest[:len(rest)-len(name)+length]
		rest = rest[len(text):]
		if !found {
			fail(text, "unknown tag", t.meant(text, isEnd))
			continue
		}
		name = strings.TrimSuffix(name[:length], ">")
		switch i := slices.Index(open, name); {
		case isEnd && !slices.Contains(blocks(), name):
			fail(text, "unknown tag", t.meant(text, isEnd))
		case isEnd && i < 0:
			fail(text, "there is no "+t.start(name)+" before it", "")
		case isEnd:
			open = slices.Delete(open, i, i+1)
		case i >= 0:
			fail(text, "it is within another one", "write "+t.end(name)+" before it")
		case slices.Contains(blocks(), name):
			open = append(open, name)
		case name == addresses:
			out = append(out, tag{text: text, keyword: name})
		case name != Gate:
			out = append(out, validationTag(text, name))
		}
	}
	for _, name := range open {
		fail(t.start(name), "its end is missing", "write "+t.end(name))
	}
	return out
}

// length returns the length of a tag after its prefix; found is false if there is no such tag.
func (t *Tags) length(text string) (n int, found bool) {
	for _, name := range names() {
		if strings.HasPrefix(text, name+">") {
			return len(name) + 1, true
		}
	}
	for _, channel := range []string{experimental, standard} {
		if rest, ok := strings.CutPrefix(text, channel+":validation:"); ok {
			m := validation().FindStringSubmatch(rest)
			if m != nil && (m[11] == "" || t.isMarker(m[11], m[12])) {
				return len(text) - len(rest) + len(m[0]), true
			}
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	if i := strings.IndexByte(line, '>'); i >= 0 {
		return i + 1, false
	}
	return len(line), false
}

// validationTag returns the tag of a validation. name is its text without the prefix and the last
// bracket.
func validationTag(text, name string) tag {
	channel, rest, _ := strings.Cut(name, ":validation:")
	m := validation().FindStringSubmatch(rest + ">")
	out := tag{
		text: text, channel: channel,
		keyword: m[1] + m[3] + m[5] + m[10] + m[11],
		value:   m[2] + m[4], rule: unquoted(m[7] + m[8]), message: unquoted(m[6] + m[9]),
	}
	if m[11] != "" {
		out.marker = prefixOfMarkers + m[11] + m[12]
	}
	return out
}

// unquoted returns a text that was in quotes. Only those are escaped in it: Gateway API takes other
// backslashes as they are.
func unquoted(text string) string { return strings.ReplaceAll(text, `\"`, `"`) }

// meant returns the hint for an unknown tag.
func (t *Tags) meant(text string, isEnd bool) string {
	if strings.Contains(text, ":validation:") {
		return "the validations of the channels standard and experimental are Enum=a;b, Pattern=`…`, XValidation:message=\"…\",rule=\"…\", and others as in " + prefixOfMarkers + "MaxItems=5"
	}
	var known []string
	for _, name := range names() {
		switch {
		case !isEnd:
			known = append(known, t.start(name))
		case slices.Contains(blocks(), name):
			known = append(known, t.end(name))
		}
	}
	return words.DidYouMean(text, known, "the tags are "+strings.Join(known, ", "))
}

// isMarker reports whether a validation with another keyword, and its value after an equals sign,
// is a marker.
func (t *Tags) isMarker(keyword, value string) bool {
	switch keyword {
	case "Enum", "Pattern", "XValidation":
		return false // they are written in one form
	}
	text := prefixOfMarkers + keyword + value
	return t.Table.Lookup(text, markers.Field) != nil || t.Table.Lookup(text, markers.Type) != nil
}

// inherited is what is before tags that are not in the text. Go source does not have it.
const inherited = "\x00"

// Inherited returns a description that also has the tags of another one which validate, those of
// the type of a field or of an embedded struct. Gateway API applies them also where the node has
// a description of its own. Tags that cannot be read are kept, to be reported.
func (t *Tags) Inherited(description, other string) string {
	tags := t.read(other, func(tag, _, _ string) { description += inherited + tag })
	for _, tag := range tags {
		description += inherited + tag.text
	}
	return description
}

// written returns a description without what it inherits.
func written(description string) string {
	text, _, _ := strings.Cut(description, inherited)
	return text
}
