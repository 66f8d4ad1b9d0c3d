package definitions

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
)

// goWaiver is a marker +schemagen:allowChange: it allows a kind of change for a field or type
// and everything below it.
type goWaiver struct {
	Kind, For, Reason string
	Pos               diag.Position
	// gated is set if something in the package depends on gates, so that the marker may allow what
	// a channel refuses.
	gated bool
}

// goWaivers finds the markers +schemagen:allowChange of packages. The markers do not affect
// schemas, so they are read only where something has changed.
type goWaivers struct {
	in    *inputs.Reader
	table *markers.Table
	// place returns where a file is that may be one of a commit.
	place  func(file string) string
	folder map[string]*waivedFolder
}

// newGoWaivers returns a goWaivers that reads files through reader.
func newGoWaivers(reader *inputs.Reader) (*goWaivers, error) {
	table, err := markers.NewTable()
	place := func(file string) string { return file }
	return &goWaivers{in: reader, table: table, place: place, folder: map[string]*waivedFolder{}}, err
}

// waivedFolder holds the types declared by the Go files of a directory.
type waivedFolder struct {
	types map[string]*waivedType // by name
	files map[string][]*waivedType
}

// waivers returns the waivers of the directory, by file.
func (f *waivedFolder) waivers() (out []*goWaiver) {
	for _, file := range slices.Sorted(maps.Keys(f.files)) {
		for _, t := range f.files[file] {
			out = append(out, t.waivers...)
			for _, field := range t.fields {
				out = append(out, field.waivers...)
			}
		}
	}
	return out
}

// lines is the range of lines of a declaration, including its comments.
type lines struct{ from, to int }

func (l lines) has(line int) bool { return l.from <= line && line <= l.to }

type waivedType struct {
	lines
	waivers []*goWaiver
	fields  []waivedField
}

type waivedField struct {
	lines
	// typeName is the name of the field's type, or of its element type, if that type belongs
	// to the same package.
	typeName string
	waivers  []*goWaiver
}

// At returns the waivers for a path through the given positions: those of the fields at the
// positions, of the types that declare these fields, and of the fields' types. It returns an
// error if a directory cannot be read.
func (w *goWaivers) At(places []diag.Position) ([]*goWaiver, error) {
	var out []*goWaiver
	add := func(waivers []*goWaiver) {
		for _, waiver := range waivers {
			if !slices.Contains(out, waiver) {
				out = append(out, waiver)
			}
		}
	}
	for _, place := range places {
		if filepath.Ext(place.File) != ".go" {
			continue
		}
		folder, err := w.read(place.File)
		if err != nil {
			return nil, err
		}
		for _, t := range folder.files[place.File] {
			if !t.has(place.Line) {
				continue
			}
			add(t.waivers)
			for _, f := range t.fields {
				if !f.has(place.Line) {
					continue
				}
				add(f.waivers)
				if waived := folder.types[f.typeName]; waived != nil {
					add(waived.waivers)
				}
			}
		}
	}
	return out, nil
}

// All returns the waivers of all directories read by [goWaivers.At], sorted by position.
func (w *goWaivers) All() []*goWaiver {
	var out []*goWaiver
	for _, dir := range slices.Sorted(maps.Keys(w.folder)) {
		out = append(out, w.folder[dir].waivers()...)
	}
	slices.SortStableFunc(out, func(a, b *goWaiver) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	return out
}

// read reads the directory of a file.
func (w *goWaivers) read(file string) (*waivedFolder, error) {
	dir := strings.TrimSuffix(file, filepath.Base(file)) // REF: for one in the root of a commit
	if known := w.folder[dir]; known != nil {
		return known, nil
	}
	located := filepath.Dir(w.place(file))
	entries, err := w.in.ReadDir(located)
	if err != nil {
		return nil, err
	}
	folder := &waivedFolder{types: map[string]*waivedType{}, files: map[string][]*waivedType{}}
	w.folder[dir] = folder
	texts := map[string][]byte{}
	waived := false
	for _, entry := range entries {
		name := dir + entry.Name()
		if entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		texts[name], err = w.in.ReadFile(filepath.Join(located, entry.Name()), nil)
		if err != nil {
			return nil, err
		}
		waived = waived || bytes.Contains(texts[name], []byte(markers.AllowChangeName))
	}
	if !waived {
		return folder, nil
	}
	gated := false
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		gated = gated || markers.IsConditional(string(texts[name])) || bytes.Contains(texts[name], []byte("+"+markers.FeatureGateName+"="))
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, texts[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // a syntax error is reported when the package is loaded
		}
		r := waiverReader{w.table, fset, file, w.table.Collect(file)}
		folder.files[name] = r.types(folder.types)
	}
	for _, waiver := range folder.waivers() {
		waiver.gated = gated
	}
	return folder, nil
}

// waiverReader reads the waivers of a file.
type waiverReader struct {
	table    *markers.Table
	fset     *token.FileSet
	file     *ast.File
	comments *markers.File
}

func (r waiverReader) types(byName map[string]*waivedType) (out []*waivedType) {
	for _, decl := range r.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			spec, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			doc := spec.Doc
			if doc == nil && !gen.Lparen.IsValid() {
				doc = gen.Doc
			}
			t := &waivedType{lines: r.lines(doc, spec), waivers: r.waivers(r.comments.Type(spec), markers.Type)}
			ast.Inspect(spec, func(n ast.Node) bool {
				if st, ok := n.(*ast.StructType); ok {
					t.fields = append(t.fields, r.fields(st)...)
				}
				return true
			})
			byName[spec.Name.Name] = t
			out = append(out, t)
		}
	}
	return out
}

func (r waiverReader) fields(st *ast.StructType) (out []waivedField) {
	comments := r.comments.Fields(st)
	for i, field := range st.Fields.List {
		out = append(out, waivedField{lines: r.lines(field.Doc, field), typeName: namedType(field.Type),
			waivers: r.waivers(comments[i], markers.Field)})
	}
	return out
}

func (r waiverReader) lines(doc *ast.CommentGroup, node ast.Node) lines {
	start := node.Pos()
	if doc != nil {
		start = doc.Pos()
	}
	return lines{r.fset.Position(start).Line, r.fset.Position(node.End()).Line}
}

// waivers returns the waivers among comments. Markers that cannot be parsed are skipped; they
// are reported when the package is loaded.
func (r waiverReader) waivers(comments []markers.Comment, target markers.Target) (out []*goWaiver) {
	for _, c := range comments {
		if !strings.HasPrefix(c.Text, "+"+markers.AllowChangeName) {
			continue
		}
		m, err := r.table.Parse(c, target)
		if err != nil || m == nil {
			continue
		}
		if value, ok := m.Value.(markers.AllowChange); ok {
			p := r.fset.Position(c.Pos)
			out = append(out, &goWaiver{Kind: value.Kind, For: value.For, Reason: strings.TrimSpace(value.Reason),
				Pos: diag.Position{File: p.Filename, Line: p.Line, Column: p.Column}})
		}
	}
	return out
}

// namedType returns the name of the type that an expression refers to, through pointers,
// lists and maps, or "" if it is not a type of the same package.
func namedType(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return namedType(e.X)
	case *ast.ArrayType:
		return namedType(e.Elt)
	case *ast.MapType:
		return namedType(e.Value)
	case *ast.IndexExpr:
		return namedType(e.X)
	}
	return ""
}
