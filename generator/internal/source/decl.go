package source

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/markers"
)

// Type is the declaration of a type at package level.
type Type struct {
	Pkg  *Package
	File *File
	// Decl is the declaration that Spec is part of.
	Decl *ast.GenDecl
	Spec *ast.TypeSpec
	// Generic is the type that this one is an instance of; nil if it is none.
	Generic *Type

	// Doc, Markers and Malformed are filled by Load.
	Doc       string
	Markers   Markers
	Malformed Malformed

	loaded     bool
	fieldsRead bool
	fields     []*Field
	// instances are those of a generic type, by their arguments.
	instances map[string]*Type
	// arguments are those of an instance.
	arguments string
}

// Field is one field of a struct. A declaration of several names is several fields.
type Field struct {
	// Name is the Go name, empty for an embedded field.
	Name      string
	Pos       token.Pos
	Type      ast.Expr
	Tag       reflect.StructTag
	Doc       string
	Markers   Markers
	Malformed Malformed
	// Comments are those that the markers were parsed from, with those of other
	// tools.
	Comments []markers.Comment
}

// Markers are the markers of one declaration, in source order.
type Markers []*markers.Marker

// Get returns the first marker of the name, or nil.
func (s Markers) Get(name string) *markers.Marker {
	for _, m := range s {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Malformed are the definitions of markers of a declaration whose arguments cannot be
// parsed, which was reported.
type Malformed []*markers.Definition

// Has reports whether a marker of the name is one of them.
func (m Malformed) Has(name string) bool {
	return slices.ContainsFunc(m, func(def *markers.Definition) bool { return def.Name == name })
}

// String names the type for messages: qualified unless it is the user's.
func (t *Type) String() string {
	if t.Pkg.Local() {
		return t.Label()
	}
	return t.Pkg.Path + "." + t.Label()
}

// Load fills the documentation and the markers of the type.
func (t *Type) Load() *Type {
	if t.loaded {
		return t
	}
	t.loaded = true
	doc := t.Spec.Doc
	if doc == nil && !t.Decl.Lparen.IsValid() {
		doc = t.Decl.Doc
	}
	t.Doc = docText(doc)
	if t.Generic != nil {
		t.Markers, t.Malformed = t.Generic.Load().Markers, t.Generic.Malformed
		return t
	}
	t.Markers, t.Malformed = t.Pkg.program.markers.ParseMarkers(t.Pkg, t.File.Comments.Type(t.Spec), markers.Type)
	return t
}

// Fields returns the fields of the type if it is declared as a struct.
func (t *Type) Fields() []*Field {
	st, ok := t.Spec.Type.(*ast.StructType)
	if !ok || t.fieldsRead {
		return t.fields
	}
	t.fieldsRead = true
	comments := t.File.Comments.Fields(st)
	for i, field := range st.Fields.List {
		f := Field{Pos: field.Pos(), Type: field.Type, Tag: TagOf(field), Doc: docText(field.Doc), Comments: comments[i]}
		f.Markers, f.Malformed = t.Pkg.program.markers.ParseMarkers(t.Pkg, comments[i], markers.Field)
		if len(field.Names) == 0 {
			t.fields = append(t.fields, &f)
		}
		for _, name := range field.Names {
			named := f
			named.Name = name.Name
			named.Pos = name.Pos()
			t.fields = append(t.fields, &named)
		}
	}
	return t.fields
}

// Label names the field for messages: an embedded field by its type.
func (f *Field) Label() string {
	if f.Name != "" {
		return f.Name
	}
	typ := f.Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	return ExprName(typ)
}

// Embedded returns the types of the embedded fields of a struct without
// looking at anything else of it.
func (t *Type) Embedded() []ast.Expr {
	st, ok := t.Spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var out []ast.Expr
	for _, field := range st.Fields.List {
		if len(field.Names) == 0 {
			out = append(out, field.Type)
		}
	}
	return out
}

// TagOf returns the tag of a field; empty if it has none.
func TagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(tag)
}

// docText returns the documentation in a doc comment: without markers,
// without the lines that start with TODO, and up to a line that starts with
// "---", as Kubernetes documents its types (fmtRawDoc in apimachinery's
// swagger_doc_generator.go, extractDoc in controller-tools). Code fences are
// kept whole.
func docText(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	prose := ast.CommentGroup{List: markers.Prose(group)}
	block := slices.ContainsFunc(prose.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "/*") })
	lines := strings.Split(prose.Text(), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	kept := lines[:0]
	fenced := false
	for _, line := range lines {
		if block {
			line = strings.TrimSpace(line)
		}
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		if !fenced {
			if strings.HasPrefix(line, "TODO") {
				continue
			}
			if strings.HasPrefix(line, "---") {
				break
			}
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// ExprName returns the text of a name, qualified or not, and "?" for any other expression.
func ExprName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return ExprName(expr.X) + "." + expr.Sel.Name
	}
	return "?"
}

// Types returns the types of the file in source order.
func (f *File) Types() []*Type {
	var out []*Type
	for _, t := range f.Pkg.types {
		if t.File == f {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *Type) int { return int(a.Spec.Pos() - b.Spec.Pos()) })
	return out
}

// Types returns the types of the files that are parsed, in source order.
func (p *Package) Types() []*Type {
	var out []*Type
	for _, f := range p.Sources {
		out = append(out, f.Types()...)
	}
	return out
}

// Names returns the names that the package declares, with their places.
func (p *Package) Names() map[string]token.Pos {
	out := map[string]token.Pos{}
	for _, f := range p.Sources {
		if f.Syntax == nil {
			continue
		}
		for _, decl := range f.Syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					out[decl.Name.Name] = decl.Name.Pos()
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						out[spec.Name.Name] = spec.Name.Pos()
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							out[name.Name] = name.Pos()
						}
					}
				}
			}
		}
	}
	return out
}

// Unnamed returns a struct type in a field as a declaration.
func Unnamed(f *File, st *ast.StructType) *Type {
	return &Type{Pkg: f.Pkg, File: f, loaded: true,
		Spec: &ast.TypeSpec{Name: &ast.Ident{Name: "struct", NamePos: st.Pos()}, Type: st}}
}

// IsName reports whether an expression is a name, qualified or not.
func IsName(expr ast.Expr) bool {
	switch expr.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

// GoName returns the name of the field in Go: of an embedded one, that of its type.
func (f *Field) GoName() string {
	if f.Name != "" {
		return f.Name
	}
	typ := f.Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	typ, _ = Indexed(typ)
	if selector, ok := typ.(*ast.SelectorExpr); ok {
		return selector.Sel.Name
	}
	return ExprName(typ)
}
