package generator

import (
	"cmp"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
)

// lint reports markers without effect in the files of the user that were parsed.
func (w *world) lint() {
	var files []*file
	for _, p := range w.packages {
		if p.local() {
			files = append(files, p.files...)
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return cmp.Compare(a.name, b.name) })
	for _, f := range files {
		if f.ast == nil {
			continue
		}
		for _, finding := range w.table.Lint(f.ast, f.comments) {
			d := diag.Diagnostic{
				Code: lintCode(finding.Kind), Severity: diag.Warning, Pos: w.reporter.position(finding.Pos),
				Message: finding.Message, Hint: finding.Hint,
			}
			if finding.Related.IsValid() {
				d.Related = []diag.Related{{Pos: w.reporter.position(finding.Related), Message: "the other one"}}
			}
			w.reporter.list = append(w.reporter.list, d)
		}
	}
}

func lintCode(kind markers.FindingKind) diag.Code {
	switch kind {
	case markers.Unknown:
		return codeUnknownMarker
	case markers.WrongTarget:
		return codeWrongTarget
	case markers.Overridden:
		return codeOverridden
	case markers.Malformed:
		return codeMalformed
	}
	return codeFloating
}
