package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Fix adds a fix to a diagnostic in the user's source. An edit that is nil is not possible,
// so there is no fix.
func (r *Reporter) Fix(d *diag.Diagnostic, message string, edits ...*markers.Edit) {
	fix := diag.Fix{Message: message}
	for _, e := range edits {
		if e == nil {
			return
		}
		if e.Pos == e.End && e.New == "" {
			continue // what it would add is there already
		}
		fix.Edits = append(fix.Edits, diag.Edit{Pos: r.Position(e.Pos), End: r.Position(e.End), New: e.New})
	}
	slices.SortFunc(fix.Edits, func(a, b diag.Edit) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	d.Fixes = append(d.Fixes, fix)
}

// PackageMarker returns the edit that adds a marker to a package, below its +groupName. It is
// nil if that is not in a file that was parsed.
func PackageMarker(p *source.Package, marker string) *markers.Edit {
	for _, f := range p.Sources {
		if f.Comments == nil {
			continue
		}
		for _, c := range f.Comments.Package {
			if strings.HasPrefix(c.Text, "+"+markers.GroupName+"=") {
				return &markers.Edit{Pos: c.End(), End: c.End(), New: "\n// " + marker}
			}
		}
	}
	return nil
}
