package derived

import (
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// node is a schema as it is written: notes, each a comment of its own, and members.
type node struct {
	notes   []string
	members []member
}

// member is a keyword of a schema, a property, or an element of a list.
type member struct {
	// key is empty for an element of a list.
	key string
	// comment follows on the same line.
	comment string
	// text is a value in one line; otherwise, it is a mapping or a list.
	text   string
	schema *node
	list   bool
}

func (n *node) isEmpty() bool { return len(n.notes) == 0 && len(n.members) == 0 }

// write writes the node with each line after an indent.
func (n *node) write(out *strings.Builder, indent string) {
	for _, note := range n.notes {
		out.WriteString(indent + "# " + note + "\n")
	}
	for _, m := range n.members {
		m.write(out, indent)
	}
}

func (m member) write(out *strings.Builder, indent string) {
	comment := ""
	if m.comment != "" {
		comment = " # " + m.comment
	}
	child := indent + "  "
	switch {
	case m.schema == nil:
		out.WriteString(indent + scalar(m.key) + ": " + m.text + comment + "\n")
	case m.schema.isEmpty() && m.key == "":
		out.WriteString(indent + "- {}" + comment + "\n")
	case m.schema.isEmpty():
		out.WriteString(indent + scalar(m.key) + ": {}" + comment + "\n")
	case m.key == "": // a dash on a line of its own leaves room for comments
		out.WriteString(indent + "-" + comment + "\n")
		m.schema.write(out, child)
	default:
		out.WriteString(indent + scalar(m.key) + ":" + comment + "\n")
		if m.list {
			child = indent
		}
		if len(m.schema.members) == 0 {
			m.schema.write(out, child)
			out.WriteString(child + "{}\n")
			return
		}
		m.schema.write(out, child)
	}
}

// plain matches strings that YAML reads as such without quotes.
var plain = lazyregexp.New(`^[A-Za-z$][A-Za-z0-9$./_-]*$`)

// scalar returns a string as YAML.
func scalar(text string) string {
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
	default:
		if plain().MatchString(text) {
			return text
		}
	}
	return plainjson.Text(text)
}

// value returns a JSON value in one line.
func value(v any) string {
	if text, ok := v.(string); ok {
		return scalar(text)
	}
	return plainjson.Text(v)
}
