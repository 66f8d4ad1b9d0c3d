package verify

import (
	"go/token"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Manifest returns the CRD of a document as a subject, with its places resolved
// by the file set that it was read into. It is nil if the document has no CRD.
func Manifest(m *structural.Manifest, fset *token.FileSet) *Subject {
	if m.CRD == nil {
		return nil
	}
	return &Subject{
		CRD: m.CRD, Schemas: m.Schemas, Unheld: m.Unsupported, Measure: true,
		Place: func(path string) (diag.Position, []diag.Related) { return Position(fset, m.Position(path)), nil },
	}
}

// Position resolves a place.
func Position(fset *token.FileSet, pos token.Pos) diag.Position {
	if !pos.IsValid() {
		return diag.Position{}
	}
	p := fset.PositionFor(pos, false)
	return diag.Position{File: p.Filename, Line: p.Line, Column: p.Column}
}

// Problems returns what is wrong with the text of a manifest, in the API server's
// words where it has some.
func Problems(problems []structural.Problem, fset *token.FileSet) diag.List {
	var out diag.List
	for _, p := range problems {
		d := diag.Diagnostic{Pos: Position(fset, p.Pos), Message: p.Message, Severity: diag.Error}
		switch p.Kind {
		case structural.UnknownField, structural.DuplicateField:
			d.Code = codeStrict
		case structural.DroppedField:
			d.Code, d.Severity = codeDropped, diag.Warning
		case structural.WrongVersion, structural.NoObject:
			d.Code = codeNoCRD
		default:
			d.Code = codeMalformed
		}
		out = append(out, d)
	}
	return out
}
