package publish

import (
	"fmt"
	"io"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Formats returns the formats of [WriteField].
func Formats() []string { return []string{"plain", "markdown", "json"} }

// WriteField writes the explanation of a field of a resource in one of the [Formats].
// recursive is set if the field has all fields below it; plain text then omits
// descriptions, as kubectl explain does.
func WriteField(w io.Writer, format string, r *Resource, f *Field, recursive bool) error {
	var text string
	switch format {
	case "json":
		data, err := marshal(struct {
			Group   string `json:"group"`
			Version string `json:"version"`
			Kind    string `json:"kind"`
			Field   *Field `json:"field"`
		}{r.Group, r.Version, r.Kind, f})
		if err != nil {
			return err
		}
		text = screen.EscapeJSON(string(data))
	case "markdown":
		text = markdown(r, f)
	case "plain":
		text = plain(r, f, recursive)
	default:
		return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}

// plain returns text like that of kubectl explain.
func plain(r *Resource, f *Field, recursive bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "GROUP:    %s\nKIND:     %s\nVERSION:  %s\n", screen.Line(r.Group), screen.Line(r.Kind), screen.Line(r.Version))
	if f.Path != "" {
		fmt.Fprintf(&b, "\nFIELD: %s <%s>%s\n", screen.Line(f.Path), screen.Line(f.Type), requiredMark(f))
	}
	if f.Position != "" {
		fmt.Fprintf(&b, "\nDEFINED AT: %s\n", screen.Line(f.Position))
	}
	b.WriteString("\nDESCRIPTION:\n")
	description := f.Description
	if description == "" {
		description = "<empty>"
	}
	writeWrapped(&b, "    ", description)
	for _, line := range facts(f) {
		writeWrapped(&b, "    ", line)
	}
	for _, u := range f.Unions {
		b.WriteString("\nUNION:\n")
		writeWrapped(&b, "    ", u.Text)
		for _, v := range u.Values {
			b.WriteString("    - " + screen.Line(valueText(v)) + "\n")
		}
	}
	if len(f.Rules) > 0 {
		b.WriteString("\nRULES:\n")
		for _, rule := range f.Rules {
			writeWrapped(&b, "    ", "- "+rule.Text)
			b.WriteString("      rule: " + oneLine(rule.Rule) + "\n")
		}
	}
	if len(f.Fields) > 0 {
		b.WriteString("\nFIELDS:\n")
		for _, child := range f.Fields {
			writePlainField(&b, "  ", child, recursive)
		}
	}
	return b.String()
}

func writePlainField(b *strings.Builder, indent string, f *Field, recursive bool) {
	fmt.Fprintf(b, "%s%s <%s>%s\n", indent, screen.Line(f.Name), screen.Line(f.Type), requiredMark(f))
	inner := indent + "  "
	if f.Description != "" && !recursive {
		writeWrapped(b, inner, f.Description)
	}
	for _, line := range facts(f) {
		writeWrapped(b, inner, line)
	}
	for _, u := range f.Unions {
		writeWrapped(b, inner, "union: "+u.Text+": "+valuesText(u))
	}
	for _, rule := range f.Rules {
		writeWrapped(b, inner, "rule: "+rule.Text+" ("+oneLine(rule.Rule)+")")
	}
	if f.Position != "" && !recursive {
		b.WriteString(inner + "defined at " + screen.Line(f.Position) + "\n")
	}
	for _, child := range f.Fields {
		writePlainField(b, inner, child, recursive)
	}
	if !recursive {
		b.WriteString("\n")
	}
}

// facts returns lines about the value.
func facts(f *Field) []string {
	var out []string
	if len(f.Enum) > 0 {
		out = append(out, "one of: "+strings.Join(f.Enum, ", "))
	}
	if f.Default != "" {
		out = append(out, "default: "+f.Default)
	}
	return append(out, f.Limits...)
}

func requiredMark(f *Field) string {
	if f.Required {
		return " -required-"
	}
	return ""
}

func valueText(v UnionValue) string {
	switch {
	case v.Value == "" && v.Member != "":
		return v.Member
	case v.Member == "":
		return fmt.Sprintf("%q: no member", v.Value)
	case v.Optional:
		return fmt.Sprintf("%q: %s, which may be absent", v.Value, v.Member)
	}
	return fmt.Sprintf("%q: %s", v.Value, v.Member)
}

func valuesText(u FieldUnion) string {
	var out []string
	for _, v := range u.Values {
		out = append(out, valueText(v))
	}
	return strings.Join(out, "; ")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

const lineWidth = 80

// writeWrapped writes paragraphs wrapped at lineWidth.
func writeWrapped(b *strings.Builder, indent, text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		width := 0
		for i, word := range strings.Fields(line) {
			switch {
			case i == 0:
				b.WriteString(indent + word)
				width = len(indent) + len(word)
			case width+1+len(word) > lineWidth:
				b.WriteString("\n" + indent + word)
				width = len(indent) + len(word)
			default:
				b.WriteString(" " + word)
				width += 1 + len(word)
			}
		}
		b.WriteString("\n")
	}
}

// markdown returns a section with a list of fields.
func markdown(r *Resource, f *Field) string {
	var b strings.Builder
	title := r.Kind
	if f.Path != "" {
		title += "." + f.Path
	}
	fmt.Fprintf(&b, "# %s\n\n%s, type %s%s\n", MarkdownText(title), MarkdownCode(r.GroupVersion()), MarkdownCode(f.Type), positionOf(f))
	if f.Description != "" {
		b.WriteString("\n" + paragraphs(f.Description) + "\n")
	}
	for i, line := range facts(f) {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + MarkdownText(line) + "\n")
	}
	writeMarkdownUnions(&b, "", f)
	if len(f.Rules) > 0 {
		b.WriteString("\nRules:\n\n")
	}
	writeMarkdownRules(&b, "", f)
	if len(f.Fields) > 0 {
		b.WriteString("\n## Fields\n\n")
	}
	for _, child := range f.Fields {
		writeMarkdownField(&b, "", child)
	}
	return b.String()
}

func positionOf(f *Field) string {
	if f.Position == "" {
		return ""
	}
	return ", defined at " + MarkdownCode(f.Position)
}

func writeMarkdownUnions(b *strings.Builder, indent string, f *Field) {
	for _, u := range f.Unions {
		if indent == "" {
			b.WriteString("\n" + MarkdownText(u.Text) + ":\n\n| value | member |\n|---|---|\n")
			for _, v := range u.Values {
				member := "none"
				if v.Member != "" {
					member = strings.ReplaceAll(MarkdownCode(v.Member), "|", `\|`)
				}
				if v.Optional {
					member += ", may be absent"
				}
				fmt.Fprintf(b, "| %s | %s |\n", MarkdownText(v.Value), member)
			}
			continue
		}
		fmt.Fprintf(b, "%s- %s: %s\n", indent, MarkdownText(u.Text), MarkdownText(valuesText(u)))
	}
}

func writeMarkdownRules(b *strings.Builder, indent string, f *Field) {
	for _, rule := range f.Rules {
		fmt.Fprintf(b, "%s- %s (%s)\n", indent, MarkdownText(oneLine(rule.Text)), MarkdownCode(oneLine(rule.Rule)))
	}
}

func writeMarkdownField(b *strings.Builder, indent string, f *Field) {
	required := ""
	if f.Required {
		required = ", required"
	}
	fmt.Fprintf(b, "%s- %s (%s%s%s)", indent, MarkdownCode(f.Name), MarkdownCode(f.Type), required, positionOf(f))
	if f.Description != "" {
		b.WriteString(": " + MarkdownText(oneLine(f.Description)))
	}
	b.WriteString("\n")
	indent += "  "
	for _, line := range facts(f) {
		b.WriteString(indent + "- " + MarkdownText(line) + "\n")
	}
	writeMarkdownUnions(b, indent, f)
	writeMarkdownRules(b, indent, f)
	for _, child := range f.Fields {
		writeMarkdownField(b, indent, child)
	}
}

// reference matches what GitHub turns into a mention of a person or a link to an issue, in a comment that
// has the text.
var reference = lazyregexp.New(`((?:^|\W)@)(\w)|(#|GH-)(\d)`)

// MarkdownText escapes a text for a line or a table cell: nothing in it is HTML, markup or a reference.
func MarkdownText(text string) string {
	var b strings.Builder
	text = screen.Line(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\*_`[]|~", r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return reference().ReplaceAllString(b.String(), "$1$3&#8203;$2$4") // a space without width
}

// paragraphs returns the escaped lines of a text, none of them a heading, a fence or code.
func paragraphs(text string) string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = MarkdownText(strings.TrimSpace(line))
		if line != "" && strings.ContainsRune("#=", rune(line[0])) {
			line = `\` + line
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// MarkdownCode returns a text as a code span on one line.
func MarkdownCode(text string) string {
	text = screen.Line(text)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}
