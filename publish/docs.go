package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"
)

// Documented is a served version of a kind with its documentation.
type Documented struct {
	*Resource
	// Field is the whole object with all fields, or nil if there is no schema
	// ([DocumentedField]).
	Field *Field
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
func DocumentedField(r *Resource) *Field {
	out, err := Explain(r, "", true)
	if err != nil {
		return nil
	}
	out.Each(func(f *Field) {
		if f.SchemaPath == "" {
			f.Fields = nil
		}
	})
	return out
}

// SortDocumented returns kinds sorted by group and kind, the version that kubectl prefers first.
func SortDocumented(kinds []*Documented) []*Documented {
	out := slices.Clone(kinds)
	slices.SortStableFunc(out, func(a, b *Documented) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind), version.CompareKubeAwareVersionStrings(b.Version, a.Version))
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
func MarkdownDocs(kinds []*Documented) []File {
	var out []File
	texts := map[string]*strings.Builder{}
	for _, k := range SortDocumented(kinds) {
		b := texts[k.Group]
		if b == nil {
			b = &strings.Builder{}
			texts[k.Group] = b
			out = append(out, File{Path: k.Group + ".md"})
			fmt.Fprintf(b, "# %s\n", MarkdownText(k.Group))
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
	fmt.Fprintf(b, "\n## %s %s\n\n%s, plural %s, %s", MarkdownText(k.Kind), MarkdownText(k.Version), MarkdownCode(k.GroupVersion()), MarkdownCode(k.Plural), scope)
	if len(k.ShortNames) > 0 {
		for i, name := range k.ShortNames {
			b.WriteString([]string{", short ", ", "}[min(i, 1)] + MarkdownCode(name))
		}
	}
	b.WriteString("\n")
	if k.Field == nil {
		fmt.Fprintf(b, "\nIts fields are not documented: %s\n", MarkdownText(k.Missing()))
		return
	}
	if k.Field.Description != "" {
		b.WriteString("\n" + paragraphs(k.Field.Description) + "\n")
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
		fmt.Fprintf(b, "\n%s:\n\n%syaml\n%s%s\n", MarkdownText(example.Title), fence, example.YAML, fence)
	}
	fmt.Fprintf(b, "\n### Fields of %s %s\n\n", MarkdownText(k.Kind), MarkdownText(k.Version))
	for _, child := range k.Field.Fields {
		writeMarkdownField(b, "", child)
	}
}
