package apidocs

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"text/template"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/publish"
)

// Document is the data of a template. docs/editor.md describes it, with the functions.
type Document struct {
	Title string
	// Groups are sorted by name, and so are the kinds of a group.
	Groups []Group
}

// Group is the kinds of an API group.
type Group struct {
	Name  string
	Kinds []Kind
}

// Kind is the versions of a kind.
type Kind struct {
	Name string
	// Versions are sorted, the one that kubectl prefers first.
	Versions []*explain.Documented
}

// NewDocument returns the data of a template.
func NewDocument(title string, kinds []*explain.Documented) Document {
	out := Document{Title: title}
	for _, k := range explain.SortDocumented(kinds) {
		if last := len(out.Groups) - 1; last < 0 || out.Groups[last].Name != k.Group {
			out.Groups = append(out.Groups, Group{Name: k.Group})
		}
		group := &out.Groups[len(out.Groups)-1]
		if last := len(group.Kinds) - 1; last < 0 || group.Kinds[last].Name != k.Kind {
			group.Kinds = append(group.Kinds, Kind{Name: k.Kind})
		}
		kind := &group.Kinds[len(group.Kinds)-1]
		kind.Versions = append(kind.Versions, k)
	}
	return out
}

// TemplateSuffix is the end of the name of a template: without it, it is the name of the
// output.
const TemplateSuffix = ".tmpl"

// Template is the source of a Go template.
type Template struct{ Name, Text string }

// Execute executes Go templates, which may use what the others define. The output has the name of the
// template without ".tmpl". A name that begins with an underscore has no output. The findings are
// mistakes in a template.
func Execute(templates []Template, document Document) ([]publish.File, diag.List, error) {
	all := template.New("").Funcs(Functions())
	for _, source := range templates {
		if _, err := all.New(source.Name).Parse(source.Text); err != nil {
			return nil, diag.List{templateError(templates, err)}, nil
		}
	}
	var out []publish.File
	for _, source := range templates {
		output, err := outputOf(source.Name)
		if err != nil {
			return nil, nil, err
		}
		if strings.HasPrefix(output, "_") {
			continue
		}
		var b bytes.Buffer
		if err := all.ExecuteTemplate(&b, source.Name, document); err != nil {
			return nil, diag.List{templateError(templates, err)}, nil
		}
		out = append(out, publish.File{Path: output, Data: b.Bytes()})
	}
	return out, nil, nil
}

// outputOf returns the name of the output of a template.
func outputOf(name string) (string, error) {
	output, ok := strings.CutSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), TemplateSuffix)
	if !ok || output == "" {
		return "", fmt.Errorf("%s: the name of a template is that of its output with %[2]s at the end, such as api.adoc%[2]s", name, TemplateSuffix)
	}
	return output, nil
}

// templatePlace matches the line and the column, from 0, in an error of package template.
var templatePlace = lazyregexp.New(`^:(\d+)(?::(\d+))?: `)

// templateError returns an error of package template as a diagnostic. Its text begins with
// "template", the name, and the position.
func templateError(templates []Template, err error) diag.Diagnostic {
	message := strings.TrimPrefix(err.Error(), "template: ")
	pos := diag.Position{File: templates[0].Name}
	for _, source := range templates {
		if strings.HasPrefix(message, source.Name+":") {
			pos.File = source.Name
		}
	}
	message = strings.TrimPrefix(message, pos.File)
	if place := templatePlace().FindStringSubmatch(message); place != nil {
		message = message[len(place[0]):]
		pos.Line, _ = strconv.Atoi(place[1])
		if column, err := strconv.Atoi(place[2]); err == nil {
			pos.Column = column + 1
		}
	}
	return failedTemplate.At(pos, "docs/editor.md describes the data and functions of templates", "%s", message)
}

//go:embed asciidoc.tmpl
var asciidocText string

// AsciiDoc returns the documentation of kinds in AsciiDoc, one file per group.
func AsciiDoc(title string, kinds []*explain.Documented) ([]publish.File, error) {
	var out []publish.File
	for _, group := range NewDocument(title, kinds).Groups {
		templates := []Template{{group.Name + ".adoc" + TemplateSuffix, asciidocText}}
		files, findings, err := Execute(templates, Document{Title: title, Groups: []Group{group}})
		if len(findings) > 0 {
			err = errors.New(findings[0].Message)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// Functions returns the functions of templates, besides those of every Go template.
func Functions() template.FuncMap {
	return template.FuncMap{
		"asciidoc":      asciidoc,
		"asciidocCode":  asciidocCode,
		"asciidocItem":  asciidocItem,
		"asciidocLines": asciidocLines,
		"asciidocProse": asciidocProse,
		"fields":        (*fields.Field).Rows,
		"fence":         fence,
		"join":          strings.Join,
		"line":          func(text string) string { return strings.Join(strings.Fields(text), " ") },
		"markdown":      markdown.Text,
		"markdownCode":  markdown.Code,
		"paragraphs":    paragraphs,
	}
}

// paragraphs returns the paragraphs of a description, each on one line.
func paragraphs(description string) []string {
	var out []string
	for text := range strings.SplitSeq(strings.TrimSpace(description), "\n\n") {
		if words := strings.Fields(text); len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// fence returns a line of a character, at least four, that is in no line of a text.
func fence(character, text string) string {
	out := strings.Repeat(character, 4)
	for strings.Contains(text, out) {
		out += character
	}
	return out
}

// asciidoc escapes a text for a paragraph or a table cell: nothing in it is markup. All
// characters that AsciiDoc could interpret become character references.
func asciidoc(text string) string {
	var b strings.Builder
	var last rune
	for i, r := range screen.Line(strings.Join(strings.Fields(text), " ")) {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r > 127
		if letter && !(i == 0 && '0' <= r && r <= '9') || i > 0 && strings.ContainsRune(" ,/?!%$@", r) ||
			i > 1 && (r == '.' || r == '-') && r != last && last != ' ' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
		last = r
	}
	return b.String()
}

// asciidocLines escapes a text for a listing, in which AsciiDoc still obeys directives at
// the start of a line, such as include::.
func asciidocLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, directive := range []string{"include::", "ifdef::", "ifndef::", "ifeval::", "endif::"} {
			if strings.HasPrefix(strings.TrimLeft(line, `\`), directive) {
				lines[i] = `\` + line
			}
		}
	}
	return strings.Join(lines, "\n")
}

// asciidocCode returns a text as literal text on one line.
func asciidocCode(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return "``" + asciidoc(text) + "``"
}
