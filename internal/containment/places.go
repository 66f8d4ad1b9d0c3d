package containment

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/gates"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/markers"
)

// Place is a condition in Go source: that of a declaration, or that of a marker.
type Place struct {
	Condition gates.Condition
	// Pos is the position of the marker +schemagen:when.
	Pos diag.Position
	// marker is the marker behind the condition, and from and to are its lines; empty if the
	// condition is that of a declaration.
	marker   string
	from, to int
}

// declaration is a package, type, field or constant with the conditions in its comments.
type declaration struct {
	// from and to are its lines, with the comments.
	from, to int
	places   []Place
}

// places finds the conditions of Go files, each of which is read when it is first needed.
type places struct {
	in    *inputs.Reader
	table *markers.Table
	files map[string][]declaration
}

// find returns the condition that explains a difference between two sets of gates, with the
// position among the given ones that leads to it: that of the marker there, that of the
// innermost declaration around it, or of a marker of that declaration whose name has the word
// about. It returns nil if there is none.
func (p *places) find(positions []diag.Position, about string, from, to gates.Set) (*Place, diag.Position) {
	around := make([][]declaration, len(positions))
	for i, pos := range positions {
		for _, d := range p.declarations(pos.File) {
			if d.from <= pos.Line && pos.Line <= d.to {
				d.places = slices.DeleteFunc(slices.Clone(d.places), func(w Place) bool { return w.Condition.Holds(from) == w.Condition.Holds(to) })
				around[i] = append(around[i], d)
			}
		}
		slices.Reverse(around[i]) // outer declarations come before inner ones
		for _, d := range around[i] {
			for j := range d.places {
				if w := &d.places[j]; w.marker != "" && w.from <= pos.Line && pos.Line <= w.to {
					return w, pos
				}
			}
		}
	}
	for i, pos := range positions {
		for n, d := range around[i] {
			for j := range d.places {
				w := &d.places[j]
				if w.marker == "" || n == 0 && strings.Contains(strings.ToLower(w.marker), about) {
					return w, pos
				}
			}
		}
	}
	return nil, diag.Position{}
}

// declarations returns the declarations of a file that have conditions, outer ones first. A file
// that is not Go, or cannot be read, has none.
func (p *places) declarations(name string) []declaration {
	if found, ok := p.files[name]; ok || filepath.Ext(name) != ".go" {
		return found
	}
	p.files[name] = nil
	data, err := p.in.ReadFile(name, nil)
	if err != nil {
		return nil
	}
	r := placeReader{table: p.table, fset: token.NewFileSet()}
	file, err := parser.ParseFile(r.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // reported when the package is loaded
	}
	r.comments = p.table.Collect(file)
	r.add(file, r.comments.Package, markers.Package)
	for _, decl := range file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			r.decl(gen)
		}
	}
	p.files[name] = r.found
	return r.found
}

// placeReader reads the declarations of a file.
type placeReader struct {
	table    *markers.Table
	fset     *token.FileSet
	comments *markers.File
	found    []declaration
}

func (r *placeReader) decl(gen *ast.GenDecl) {
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			doc := spec.Doc
			if !gen.Lparen.IsValid() {
				doc = gen.Doc
			}
			if doc != nil {
				r.add(spec, markers.InGroup(doc), markers.Type)
			}
		case *ast.TypeSpec:
			r.add(spec, r.comments.Type(spec), markers.Type)
			ast.Inspect(spec, func(n ast.Node) bool {
				if st, ok := n.(*ast.StructType); ok {
					comments := r.comments.Fields(st)
					for i, field := range st.Fields.List {
						r.add(field, comments[i], markers.Field)
					}
				}
				return true
			})
		}
	}
}

// add adds a declaration.
func (r *placeReader) add(node ast.Node, comments []markers.Comment, target markers.Target) {
	d := declaration{from: r.line(node.Pos()), to: r.line(node.End())}
	for _, c := range comments {
		d.from = min(d.from, r.line(c.Pos))
		if strings.Contains(c.Text, "+"+markers.WhenName) {
			r.marker(&d, c, gates.And(), target)
		}
	}
	r.found = append(r.found, d)
}

func (r *placeReader) line(pos token.Pos) int { return r.fset.Position(pos).Line }

// marker adds the condition of a marker to its declaration. Markers that cannot be parsed were
// reported when the package was loaded.
func (r *placeReader) marker(d *declaration, c markers.Comment, outer gates.Condition, target markers.Target) {
	m, err := r.table.Parse(c, target)
	if err != nil || m == nil {
		return
	}
	inner, nested := m.Inner()
	when, isWhen := m.Value.(markers.When)
	if isWhen {
		outer = gates.And(outer, when.Condition)
	}
	if nested && strings.Contains(inner.Text, "+"+markers.WhenName) {
		r.marker(d, inner, outer, target)
		return
	}
	if !isWhen {
		return
	}
	p := r.fset.Position(c.Pos)
	d.places = append(d.places, Place{
		Condition: outer, Pos: diag.Position{File: p.Filename, Line: p.Line, Column: p.Column}, marker: inner.Text, from: p.Line, to: r.line(c.End()),
	})
}
