package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/publish"
)

// Documented is a served version of a kind with its documentation.
type Documented struct {
	*publish.Resource
	// Versions are all versions of the definition, the one that kubectl prefers first.
	Versions []Version
	// Field is the whole object with all fields, or nil if there is no schema
	// ([DocumentedField]).
	Field *fields.Field
	// Examples are objects that a server accepts.
	Examples []Example
}

// Version is a version of a definition.
type Version struct {
	Name   string `json:"name"`
	Served bool   `json:"served,omitempty"`
	Stored bool   `json:"stored,omitempty"`
	// Warning is what a server sends to clients of a deprecated version.
	Warning string `json:"warning,omitempty"`
}

// VersionsOf returns the versions of a definition, the one that kubectl prefers first.
func VersionsOf(definition *apiextensionsv1.CustomResourceDefinition) []Version {
	var out []Version
	for _, v := range definition.Spec.Versions {
		added := Version{Name: v.Name, Served: v.Served, Stored: v.Storage}
		switch {
		case v.Deprecated && v.DeprecationWarning != nil:
			added.Warning = *v.DeprecationWarning
		case v.Deprecated: // the server's text
			added.Warning = fmt.Sprintf("%s/%s %s is deprecated", definition.Spec.Group, v.Name, definition.Spec.Names.Kind)
		}
		out = append(out, added)
	}
	slices.SortStableFunc(out, func(a, b Version) int { return version.CompareKubeAwareVersionStrings(b.Name, a.Name) })
	return out
}

// Remarks returns whether the version is stored, deprecated or not served, in a few words.
func (v Version) Remarks() string {
	var out []string
	if v.Stored {
		out = append(out, "stored")
	}
	if v.Warning != "" {
		out = append(out, "deprecated")
	}
	if !v.Served {
		out = append(out, "not served")
	}
	return strings.Join(out, ", ")
}

// Deprecated returns the warning that a server sends to clients of this version, if any.
func (k *Documented) Deprecated() string {
	for _, v := range k.Versions {
		if v.Name == k.Version {
			return v.Warning
		}
	}
	return ""
}

// Example is an object in YAML.
type Example struct {
	Title string `json:"title"`
	YAML  string `json:"yaml"`
}

// DocumentedField returns [Explain] of the whole object without the fields of the standard
// metadata, and with the values of apiVersion and kind. It returns nil if there is no schema.
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
	for _, f := range out.Field.Fields {
		switch f.Name {
		case "apiVersion":
			f.Description = "Always `" + r.GroupVersion() + "`."
		case "kind":
			f.Description = "Always `" + r.Kind + "`."
		}
	}
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

// title returns the heading of a version of a kind.
func (k *Documented) title() string { return k.Kind + " " + k.Version }

// MarkdownDocs returns the documentation of kinds in Markdown, one file per group.
func MarkdownDocs(kinds []*Documented) []publish.File {
	var out []publish.File
	texts := map[string]*strings.Builder{}
	sorted := SortDocumented(kinds)
	for _, k := range sorted {
		b := texts[k.Group]
		if b == nil {
			b = &strings.Builder{}
			texts[k.Group] = b
			out = append(out, publish.File{Path: k.Group + ".md"})
			fmt.Fprintf(b, "# %s\n", markdown.Text(k.Group))
			writeContents(b, slices.DeleteFunc(slices.Clone(sorted), func(other *Documented) bool { return other.Group != k.Group }))
		}
		writeKindMarkdown(b, k)
	}
	for i, f := range out {
		out[i].Data = []byte(texts[strings.TrimSuffix(f.Path, ".md")].String())
	}
	return out
}

// writeContents writes links to the kinds of a group, if there are several.
func writeContents(b *strings.Builder, kinds []*Documented) {
	if len(kinds) < 2 {
		return
	}
	b.WriteString("\n")
	for _, k := range kinds {
		deprecated := ""
		if k.Deprecated() != "" {
			deprecated = ", deprecated"
		}
		fmt.Fprintf(b, "- [%s](#%s)%s\n", markdown.Text(k.title()), markdown.Anchor(k.title()), deprecated)
	}
}

// writeVersions writes what becomes of each version, if there are several.
func writeVersions(b *strings.Builder, k *Documented) {
	if len(k.Versions) > 1 {
		b.WriteString("\nVersions: ")
		for i, v := range k.Versions {
			b.WriteString([]string{"", ", "}[min(i, 1)] + markdown.Code(v.Name))
			if remarks := v.Remarks(); remarks != "" {
				b.WriteString(" (" + remarks + ")")
			}
		}
		b.WriteString("\n")
	}
	if warning := k.Deprecated(); warning != "" {
		b.WriteString("\nDeprecated: " + markdown.Text(warning) + "\n")
	}
}

func writeKindMarkdown(b *strings.Builder, k *Documented) {
	scope := "cluster"
	if k.Namespaced {
		scope = "namespaced"
	}
	fmt.Fprintf(b, "\n## %s\n\n%s, plural %s, %s", markdown.Text(k.title()), markdown.Code(k.GroupVersion()), markdown.Code(k.Plural), scope)
	if len(k.ShortNames) > 0 {
		for i, name := range k.ShortNames {
			b.WriteString([]string{", short ", ", "}[min(i, 1)] + markdown.Code(name))
		}
	}
	b.WriteString("\n")
	writeVersions(b, k)
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
	fmt.Fprintf(b, "\n### Fields of %s\n\n", markdown.Text(k.title()))
	writeMarkdownFields(b, k.Field)
}
