package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/publish"
)

// Formats returns the formats of [Explanation.Write], the default first.
func Formats() []string { return []string{"text", "markdown", "json"} }

// Write writes the explanation in one of the [Formats]. With all levels, plain text omits
// descriptions of fields, as kubectl explain does.
func (e *Explanation) Write(w io.Writer, format string) error {
	r := e.Resource
	f := e.Field
	var text string
	switch format {
	case "json":
		data, err := plainjson.Indented(struct {
			Group   string        `json:"group"`
			Version string        `json:"version"`
			Kind    string        `json:"kind"`
			Field   *fields.Field `json:"field"`
		}{r.Group, r.Version, r.Kind, f}, "", " ")
		if err != nil {
			return err
		}
		text = screen.EscapeJSON(string(data) + "\n")
	case "markdown":
		text = section(r, f)
	case "text":
		text = e.plain()
	default:
		return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}

// plain returns text like that of kubectl explain.
func (e *Explanation) plain() string {
	r := e.Resource
	f := e.Field
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
	writeFacts(&b, "    ", f)
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
			b.WriteString("      rule: " + fields.OneLine(rule.Rule) + "\n")
		}
	}
	if len(f.Fields) > 0 {
		b.WriteString("\nFIELDS:\n")
		for _, child := range f.Fields {
			e.writePlainField(&b, "  ", child)
		}
	}
	return b.String()
}

func (e *Explanation) writePlainField(b *strings.Builder, indent string, f *fields.Field) {
	brief := e.Levels == fields.AllLevels
	fmt.Fprintf(b, "%s%s <%s>%s\n", indent, screen.Line(f.Name), screen.Line(f.Type), requiredMark(f))
	inner := indent + "  "
	if f.Description != "" && !brief {
		writeWrapped(b, inner, f.Description)
	}
	writeFacts(b, inner, f)
	for _, u := range f.Unions {
		writeWrapped(b, inner, "union: "+u.Text+": "+valuesText(u))
	}
	for _, rule := range f.Rules {
		writeWrapped(b, inner, "rule: "+rule.Text+" ("+fields.OneLine(rule.Rule)+")")
	}
	if f.Position != "" && !brief {
		b.WriteString(inner + "defined at " + screen.Line(f.Position) + "\n")
	}
	for _, child := range f.Fields {
		e.writePlainField(b, inner, child)
	}
	if !brief {
		b.WriteString("\n")
	}
}

// writeFacts writes facts as text.
func writeFacts(b *strings.Builder, indent string, f *fields.Field) {
	for _, fact := range f.Facts() {
		writeWrapped(b, indent, fact.Line())
		for _, v := range fact.Values {
			writeWrapped(b, indent, "- "+v.Value+": "+fields.OneLine(v.Description))
		}
	}
}

// writeMarkdownFacts writes facts as a list.
func writeMarkdownFacts(b *strings.Builder, indent string, f *fields.Field) {
	for _, fact := range f.Facts() {
		b.WriteString(indent + "- " + markdown.Text(fact.Text))
		for i, code := range fact.Code {
			b.WriteString([]string{" ", ", "}[min(i, 1)] + markdown.Code(code))
		}
		b.WriteString("\n")
		for _, v := range fact.Values {
			b.WriteString(indent + "  - " + markdown.Code(v.Value))
			writeDescription(b, indent+"    ", v.Description)
			b.WriteString("\n")
		}
	}
}

// writeDescription writes the description of what is before it on the line.
func writeDescription(b *strings.Builder, indent, description string) {
	text := proseMarkdown(indent, description)
	if !strings.HasPrefix(text, "\n") {
		text = " " + text
	}
	b.WriteString(":" + text)
}

func requiredMark(f *fields.Field) string {
	if f.Required {
		return " -required-"
	}
	return ""
}

func valueText(v fields.UnionValue) string {
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

func valuesText(u fields.Union) string {
	var out []string
	for _, v := range u.Values {
		out = append(out, valueText(v))
	}
	return strings.Join(out, "; ")
}

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

// section returns a section of Markdown with a list of fields.
func section(r *publish.Resource, f *fields.Field) string {
	var b strings.Builder
	title := r.Kind
	if f.Path != "" {
		title += "." + f.Path
	}
	fmt.Fprintf(&b, "# %s\n\n%s, type %s%s\n", markdown.Text(title), markdown.Code(r.GroupVersion()), markdown.Code(f.Type), positionOf(f))
	if f.Description != "" {
		b.WriteString("\n" + proseMarkdown("", f.Description) + "\n")
	}
	if len(f.Facts()) > 0 {
		b.WriteString("\n")
	}
	writeMarkdownFacts(&b, "", f)
	writeMarkdownUnions(&b, "", f)
	if len(f.Rules) > 0 {
		b.WriteString("\nRules:\n\n")
	}
	writeMarkdownRules(&b, "", f)
	if len(f.Fields) > 0 {
		b.WriteString("\n## Fields\n\n")
	}
	writeMarkdownFields(&b, f)
	return b.String()
}

func positionOf(f *fields.Field) string {
	if f.Position == "" {
		return ""
	}
	return ", defined at " + markdown.Code(f.Position)
}

func writeMarkdownUnions(b *strings.Builder, indent string, f *fields.Field) {
	for _, u := range f.Unions {
		if indent == "" {
			b.WriteString("\n" + markdown.Text(u.Text) + ":\n\n| value | member |\n|---|---|\n")
			for _, v := range u.Values {
				member := "none"
				if v.Member != "" {
					member = strings.ReplaceAll(markdown.Code(v.Member), "|", `\|`)
				}
				if v.Optional {
					member += ", may be absent"
				}
				fmt.Fprintf(b, "| %s | %s |\n", markdown.Text(v.Value), member)
			}
			continue
		}
		fmt.Fprintf(b, "%s- %s: %s\n", indent, markdown.Text(u.Text), markdown.Text(valuesText(u)))
	}
}

func writeMarkdownRules(b *strings.Builder, indent string, f *fields.Field) {
	for _, rule := range f.Rules {
		fmt.Fprintf(b, "%s- %s (%s)\n", indent, markdown.Text(fields.OneLine(rule.Text)), markdown.Code(fields.OneLine(rule.Rule)))
	}
}

// writeMarkdownFields writes all fields below a field as one list: nested ones are too deep to be read.
func writeMarkdownFields(b *strings.Builder, f *fields.Field) {
	const indent = "  "
	for _, row := range f.Rows() {
		required := ""
		if row.Required {
			required = ", required"
		}
		fmt.Fprintf(b, "- %s (%s%s%s)", markdown.Code(row.Path), markdown.Code(row.Type), required, positionOf(row.Field))
		if row.Description != "" {
			writeDescription(b, indent, row.Description)
		}
		b.WriteString("\n")
		writeMarkdownFacts(b, indent, row.Field)
		writeMarkdownUnions(b, indent, row.Field)
		writeMarkdownRules(b, indent, row.Field)
	}
}
