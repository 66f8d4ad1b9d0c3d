package apidocs

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/internal/pages/prose"
	"github.com/schemagen/schemagen/publish"
)

//go:embed page/page.html
var pageText string

//go:embed page/palette.css
var palette string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// pageData is the input of the page's script.
type pageData struct {
	Title string     `json:"title"`
	Kinds []pageKind `json:"kinds"`
}

// pageKind is one version of a kind on the page.
type pageKind struct {
	Group      string            `json:"group"`
	Version    string            `json:"version"`
	Kind       string            `json:"kind"`
	Plural     string            `json:"plural"`
	ShortNames []string          `json:"shortNames,omitempty"`
	Namespaced bool              `json:"namespaced"`
	Versions   []explain.Version `json:"versions,omitempty"`
	Field      *pageField        `json:"field,omitempty"`
	Missing    string            `json:"missing,omitempty"`
	Examples   []explain.Example `json:"examples,omitempty"`
}

// pageField is a field with its description as blocks.
type pageField struct {
	*fields.Field
	// SchemaPath hides that of the field, which is long and useless to readers.
	SchemaPath string `json:"place,omitempty"`
	// Prose is set if the description is more than a paragraph of text.
	Prose  []prose.Block `json:"prose,omitempty"`
	Enum   []pageValue   `json:"enum,omitempty"`
	Fields []*pageField  `json:"fields,omitempty"`
}

// pageValue is a value of an enum with its description as blocks.
type pageValue struct {
	fields.EnumValue
	Prose []prose.Block `json:"prose,omitempty"`
}

// DefaultTitle is the title of documentation that has no other.
const DefaultTitle = "Custom resources"

// Formats returns the formats of [Files], the default first.
func Formats() []string { return []string{"html", "markdown", "asciidoc"} }

// Files returns the documentation of kinds in a format: the page index.html, or one file per group.
func Files(format, title string, kinds []*explain.Documented) ([]publish.File, error) {
	switch format {
	case "markdown":
		return explain.MarkdownDocs(kinds), nil
	case "asciidoc":
		return AsciiDoc(title, kinds)
	}
	page, err := Page(title, kinds)
	return []publish.File{{Path: "index.html", Data: page}}, err
}

// Page returns the documentation of kinds as one self-contained HTML page that makes no
// requests. The page's policy allows only its own script and style.
func Page(title string, kinds []*explain.Documented) ([]byte, error) {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("page.html: %w", err)
	}
	data := pageData{Title: title, Kinds: []pageKind{}}
	var p prose.Parser
	for _, k := range explain.SortDocumented(kinds) {
		kind := pageKind{Group: k.Group, Version: k.Version, Kind: k.Kind, Plural: k.Plural, ShortNames: k.ShortNames,
			Namespaced: k.Namespaced, Versions: k.Versions, Missing: k.Missing(), Examples: k.Examples}
		if k.Field != nil {
			kind.Field = newPageField(&p, k.Field)
		}
		data.Kinds = append(data.Kinds, kind)
	}
	var b bytes.Buffer
	style := palette + pageStyle
	err = t.Execute(&b, struct {
		Title  string
		Policy template.HTMLAttr
		Style  template.CSS
		Script template.JS
		Data   pageData
	}{title, Policy(style, pageScript), template.CSS(style), template.JS(pageScript), data})
	if err != nil {
		return nil, fmt.Errorf("page.html: %w", err)
	}
	return []byte(screen.EscapeJSON(b.String())), nil
}

func newPageField(p *prose.Parser, f *fields.Field) *pageField {
	out := &pageField{Field: f, Prose: pageProse(p, f.Description)}
	for _, v := range f.Enum {
		out.Enum = append(out.Enum, pageValue{v, pageProse(p, v.Description)})
	}
	for _, child := range f.Fields {
		out.Fields = append(out.Fields, newPageField(p, child))
	}
	return out
}

// pageProse returns the blocks of a description, or nil if it is a paragraph of text.
func pageProse(p *prose.Parser, description string) []prose.Block {
	out := p.Parse(description)
	if len(out) == 1 && out[0].Kind == prose.Paragraph && len(out[0].Spans) == 1 && out[0].Spans[0].Kind == "" {
		return nil
	}
	return out
}

// Palette returns the part of the style that all pages share: colors, in light and dark.
func Palette() string { return palette }

// Policy returns the Content-Security-Policy of a page: no requests, and only its own style and,
// unless it is empty, its own script.
func Policy(style, script string) template.HTMLAttr {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	scripts := ""
	if script != "" {
		scripts = " script-src " + hash(script) + ";"
	}
	return template.HTMLAttr(fmt.Sprintf(`content="default-src 'none'; style-src %s;%s base-uri 'none'; form-action 'none'"`, hash(style), scripts))
}
