package containment

import (
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
)

// Place is a condition in Go source: that of a declaration, or that of a marker.
type Place struct {
	Condition gates.Condition
	// Pos is the position of its marker.
	Pos diag.Position
}

// places finds the conditions of Go files, each of which is read when it is first needed.
type places struct {
	in    *inputs.Reader
	table *markers.Table
	files map[string]*gatedsource.File
}

// find returns the condition that explains a difference between two sets of gates, with the
// position among the given ones that leads to it, or nil if there is none. The first of these
// decides: the marker at a position; the declaration whose comments or name are there, or a marker
// of it whose text has the word about; the innermost declaration around it; a constant of the type there.
func (p *places) find(positions []diag.Position, about string, source, target gates.Set) (*Place, diag.Position) {
	ranks := []func(f *gatedsource.File, u *gatedsource.Use, line int) bool{
		func(_ *gatedsource.File, u *gatedsource.Use, line int) bool {
			return u.Kind != gatedsource.Declaration && u.Pos.Line <= line && line <= u.Pos.Line+strings.Count(u.Text, "\n")
		},
		func(_ *gatedsource.File, u *gatedsource.Use, line int) bool {
			return u.Lines.First <= line && line <= u.At.Line &&
				(u.Kind == gatedsource.Declaration || strings.Contains(strings.ToLower(u.Text), about))
		},
		func(_ *gatedsource.File, u *gatedsource.Use, line int) bool {
			return u.Kind == gatedsource.Declaration &&
				(u.Lines == gatedsource.Lines{} || u.Lines.First <= line && line <= u.Lines.Last)
		},
		func(f *gatedsource.File, u *gatedsource.Use, line int) bool {
			declared, ok := f.Declared(u.Type)
			return ok && u.Kind == gatedsource.Declaration && declared.First <= line && line <= declared.Last
		},
	}
	for _, isOf := range ranks {
		for _, pos := range positions {
			f := p.file(pos.File)
			if f == nil {
				continue
			}
			var found *gatedsource.Use
			for i := range f.Uses {
				u := &f.Uses[i]
				if u.Kind == gatedsource.Paragraph || u.Condition.Holds(source) == u.Condition.Holds(target) ||
					!isOf(f, u, pos.Line) {
					continue
				}
				if found == nil || found.Lines.First < u.Lines.First { // inner declarations begin later
					found = u
				}
			}
			if found != nil {
				return &Place{found.Condition,
					diag.Position{File: pos.File, Line: found.Pos.Line, Column: found.Pos.Column}}, pos
			}
		}
	}
	return nil, diag.Position{}
}

// file returns a Go file with conditions, or nil. Files that cannot be read or parsed are
// reported when their package is loaded.
func (p *places) file(name string) *gatedsource.File {
	if f, ok := p.files[name]; ok || filepath.Ext(name) != ".go" {
		return f
	}
	p.files[name] = nil
	if data, err := p.in.ReadFile(name, nil); err == nil {
		p.files[name], _ = gatedsource.Parse(p.table, name, data, []string{markers.FeatureK8s, markers.FeatureOpenShift})
	}
	return p.files[name]
}
