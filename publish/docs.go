package publish

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/schemagen/schemagen/diag"
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

//go:embed page/page.html
var pageText string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// pageData is the input of the page's script.
type pageData struct {
	Kinds []pageKind `json:"kinds"`
}

// pageKind is one kind on the page.
type pageKind struct {
	Group      string    `json:"group"`
	Version    string    `json:"version"`
	Kind       string    `json:"kind"`
	Plural     string    `json:"plural"`
	ShortNames []string  `json:"shortNames,omitempty"`
	Namespaced bool      `json:"namespaced"`
	Field      *Field    `json:"field,omitempty"`
	Missing    string    `json:"missing,omitempty"`
	Examples   []Example `json:"examples,omitempty"`
}

// Page returns the documentation of kinds as one self-contained HTML page that makes no
// requests. Texts of definitions are data in it: the script inserts them as text, and the
// page's policy allows only its own script and style.
func Page(title string, kinds []*Documented) ([]byte, error) {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("page.html: %w", err)
	}
	data := pageData{Kinds: []pageKind{}}
	for _, k := range sortedKinds(kinds) {
		kind := pageKind{Group: k.Group, Version: k.Version, Kind: k.Kind, Plural: k.Plural, ShortNames: k.ShortNames,
			Namespaced: k.Namespaced, Field: k.Field, Examples: k.Examples}
		if k.Field == nil {
			kind.Missing = missingSchemaReason(k.Resource)
		} else {
			k.Field.Each(func(f *Field) { f.SchemaPath = "" }) // long, and useless to readers
		}
		data.Kinds = append(data.Kinds, kind)
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		Title  string
		Policy template.HTMLAttr
		Style  template.CSS
		Script template.JS
		Data   pageData
	}{title, pagePolicy(), template.CSS(pageStyle), template.JS(pageScript), data})
	if err != nil {
		return nil, fmt.Errorf("page.html: %w", err)
	}
	return []byte(diag.EscapeJSON(b.String())), nil
}

// pagePolicy returns the Content-Security-Policy: no requests, and only the page's own
// script and style.
func pagePolicy() template.HTMLAttr {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return template.HTMLAttr(fmt.Sprintf(`content="default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'"`, hash(pageStyle), hash(pageScript)))
}

// sortedKinds sorts kinds by group and kind, the version that kubectl prefers first.
func sortedKinds(kinds []*Documented) []*Documented {
	out := slices.Clone(kinds)
	slices.SortStableFunc(out, func(a, b *Documented) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind), version.CompareKubeAwareVersionStrings(b.Version, a.Version))
	})
	return out
}

func missingSchemaReason(r *Resource) string {
	if r.Rejected != nil {
		return r.Rejected.Reason
	}
	return "its definition has no schema"
}

// MarkdownDocs returns the documentation of kinds in Markdown, one file per group.
func MarkdownDocs(kinds []*Documented) []File {
	var out []File
	texts := map[string]*strings.Builder{}
	for _, k := range sortedKinds(kinds) {
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
		fmt.Fprintf(b, "\nIts fields are not documented: %s\n", MarkdownText(missingSchemaReason(k.Resource)))
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
