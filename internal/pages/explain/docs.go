package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/publish"
)

// Documented is a served version of a kind with its documentation.
type Documented struct {
	*publish.Resource
	// Field is the whole object with all fields, or nil if there is no schema
	// ([DocumentedField]).
	Field *fields.Field
	// Examples are objects that a server accepts.
	Examples []Example
}

// Example is an object in YAML.
type Example struct {
	Title string `json:"title"`
	YAML  string `json:"yaml"`
}

// DocumentedField returns [Explain] of the whole object without the fields of the standard
// metadata. It returns nil if there is no schema.
func DocumentedField(r *publish.Resource) *fields.Field {
	out, err := Explain(r, "", fields.AllLevels)
	if err != nil {
		return nil
	}
	out.Field.Each(func(f *fields.Field) {
		if f.SchemaPath == "" {
			f.Fields = nil
		}
	})
	return out.Field
}

// SortDocumented returns kinds sorted by group and kind, the version that kubectl prefers first.
func SortDocumented(kinds []*Documented) []*Documented {
	out := slices.Clone(kinds)
	slices.SortStableFunc(out, func(a, b *Documented) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind),
			version.CompareKubeAwareVersionStrings(b.Version, a.Version))
	})
	return out
}

// Missing returns the reason why there is no Field.
func (k *Documented) Missing() string {
	if k.Field != nil {
		return ""
	}
	return k.Unpublished()
}

// MarkdownDocs returns the documentation of kinds in Markdown, one file per group.
func MarkdownDocs(kinds []*Documented) []publish.File {
	var out []publish.File
	texts := map[string]*strings.Builder{}
	for _, k := range SortDocumented(kinds) {
		b := texts[k.Group]
		if b == nil {
			b = &strings.Builder{}
			texts[k.Group] = b
			out = append(out, publish.File{Path: k.Group + ".md"})
			fmt.Fprintf(b, "# %s\n", markdown.Text(k.Group))
		}
		writeKindMarkdown(b, k)
	}
	for i, f := range out {
		out[i].Data = []byte(texts[strings.TrimSuffix(f.Path, ".md")].String())
	}
	return out
}

func writeKindMarkdown(b *strings.Builder, k *Documented) {
	scope := "cluster"
	if k.Namespaced {
		scope = "namespaced"
	}
	fmt.Fprintf(b, "\n## %s %s\n\n%s, plural %s, %s", markdown.Text(k.Kind), markdown.Text(k.Version), markdown.Code(k.GroupVersion()), markdown.Code(k.Plural), scope)
	if len(k.ShortNames) > 0 {
		for i, name := range k.ShortNames {
			b.WriteString([]string{", short ", ", "}[min(i, 1)] + markdown.Code(name))
		}
	}
	b.WriteString("\n")
	if k.Field == nil {
		fmt.Fprintf(b, "\nIts fields are not documented: %s\n", markdown.Text(k.Missing()))
		return
	}
	if k.Field.Description != "" {
		b.WriteString("\n" + proseMarkdown("", k.Field.Description) + "\n")
	}
	writeMarkdownUnions(b, "", k.Field)
	if len(k.Field.Rules) > 0 {
		b.WriteString("\nRules:\n\n")
		writeMarkdownRules(b, "", k.Field)
	}
	for _, example := range k.Examples {
		fence := "```"
		for strings.Contains(example.YAML, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%s:\n\n%syaml\n%s%s\n", markdown.Text(example.Title), fence, example.YAML, fence)
	}
	fmt.Fprintf(b, "\n### Fields of %s %s\n\n", markdown.Text(k.Kind), markdown.Text(k.Version))
	for _, child := range k.Field.Fields {
		writeMarkdownField(b, "", child)
	}
}
