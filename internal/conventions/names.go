package conventions

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/markers"
)

// This file has the rules about names of fields, and about comments, which name them.

// commentStart reports a comment that does not begin with the JSON name of its field.
func (p *pass) commentStart(f *field) {
	text, _, _ := strings.Cut(strings.TrimSpace(f.Doc), "\n")
	first, _, _ := strings.Cut(text, " ")
	switch word := strings.Trim(first, "`\"'.,:;"); {
	case f.Doc == "":
		p.report(f, f.Pos, "write // "+f.name+" …", "field %s has no comment", f.name)
	case word == f.name:
	case strings.EqualFold(word, f.name) || word == f.Name:
		pos := wordAt(report.FieldAt(f.owner.File, f.Pos), first)
		d := p.report(f, f.Pos, "write "+f.name, "the comment of field %s begins with %s: users of the API know the field by its JSON name", f.name, word)
		if pos.IsValid() {
			position := pos + token.Pos(strings.Index(first, word))
			end := position + token.Pos(len(word))
			d.Pos = p.Position(position)
			p.Delimit(d, end, &markers.Edit{Pos: position, End: end, New: f.name})
		}
	default:
		p.report(f, f.Pos, "begin the comment with "+f.name, "the comment of field %s does not begin with its JSON name", f.name)
	}
}

// wordAt returns the position of the word that the first line of a field's doc comment begins
// with, and no position if it does not stand there.
func wordAt(f *ast.Field, word string) token.Pos {
	if f == nil || f.Doc == nil {
		return token.NoPos
	}
	for _, c := range f.Doc.List {
		text := strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t")
		if strings.HasPrefix(text, word) {
			return c.Pos() + token.Pos(len(c.Text)-len(text))
		}
	}
	return token.NoPos
}

// camelCased matches the JSON names that Kubernetes uses.
var camelCased = lazyregexp.New(`^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$`)

// camelCase reports a JSON name that is not in camel case.
func (p *pass) camelCase(f *field) {
	if !camelCased().MatchString(f.name) {
		p.report(f, f.Pos, "begin with a lower-case letter, and join words without - and _", "the JSON name %q is not in camel case", f.name)
	}
}

// phase reports a field that is named a phase.
func (p *pass) phase(f *field) {
	if strings.Contains(strings.ToLower(f.name), "phase") || strings.Contains(f.Name, "Phase") {
		p.report(f, f.Pos, "use conditions", "field %s is a phase, to which no value can be added without breaking clients that know all of them", f.name)
	}
}

// reference reports a field whose name spells Ref out.
func (p *pass) reference(f *field) {
	if strings.HasPrefix(f.name, "reference") || strings.Contains(f.name, "Reference") { // not preference
		short := strings.NewReplacer("Reference", "Ref", "reference", "ref").Replace(f.name)
		p.report(f, f.Pos, "write "+short, "field %s: names of fields abbreviate Reference as Ref", f.name)
	}
}

// timestamp reports a field for a time whose name does not end in Time.
func (p *pass) timestamp(f *field) {
	if strings.Contains(strings.ToLower(f.name), "timestamp") {
		short := strings.NewReplacer("TimeStamp", "Time", "Timestamp", "Time", "timestamp", "time", "timeStamp", "time").Replace(f.name)
		p.report(f, f.Pos, "write "+short, "field %s: names of times end in Time, not in Timestamp", f.name)
	}
}
