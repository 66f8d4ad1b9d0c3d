package source

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
)

// Type is a package-level type declaration.
type Type struct {
	Pkg  *Package
	File *File
	// Decl is the declaration that contains Spec.
	Decl *ast.GenDecl
	Spec *ast.TypeSpec
	// Generic is the generic type that this one is an instance of, or nil, and Arguments are the
	// type arguments of an instance.
	Generic   *Type
	Arguments []TypeArgument

	// Doc, Markers and Malformed are set by Load.
	Doc       string
	Markers   Markers
	Malformed Malformed

	loaded     bool
	fieldsRead bool
	fields     []*Field
	// instances are the instances of a generic type, keyed by their arguments.
	instances map[string]*Type
	// key is the key of an instance.
	key string
}

// Field is one field of a struct. A declaration with several names results in several
// fields.
type Field struct {
	// Name is the Go name; it is empty for an embedded field.
	Name      string
	Pos       token.Pos
	Type      ast.Expr
	Tag       reflect.StructTag
	Doc       string
	Markers   Markers
	Malformed Malformed
	// Comments are the comments that the markers were parsed from, including markers of
	// other tools.
	Comments []markers.Comment
}

// NamedField is a field with its name in JSON.
type NamedField struct {
	Field *Field
	// Name is the JSON name.
	Name string
}

// Markers are the markers of a declaration, in source order.
type Markers []*markers.Marker

// InUnion reports whether the markers of a field make it part of a union.
func (s Markers) InUnion() bool {
	return slices.ContainsFunc(s, func(m *markers.Marker) bool {
		switch value := m.Value.(type) {
		case markers.UnionDiscriminator, markers.UnionMember:
			return true
		case markers.Declarative:
			return strings.HasPrefix(value.Name, "k8s:union") || value.Name == markers.TagZeroOrOneOfMemberName
		}
		return false
	})
}

// Get returns the first marker with the name, or nil.
func (s Markers) Get(name string) *markers.Marker {
	for _, m := range s {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Malformed are the definitions of those markers of a declaration whose arguments could not
// be parsed. They have been reported.
type Malformed []*markers.Definition

// Has reports whether a marker with the name is malformed.
func (m Malformed) Has(name string) bool {
	return slices.ContainsFunc(m, func(def *markers.Definition) bool { return def.Name == name })
}

// String returns the name of the type for messages. It is qualified unless the package is
// the user's.
func (t *Type) String() string {
	if t.Pkg.Local() {
		return t.Label()
	}
	return t.Pkg.Path + "." + t.Label()
}

// Load sets the documentation and the markers of the type, once, and returns the type.
func (t *Type) Load() *Type {
	if t.loaded {
		return t
	}
	t.loaded = true
	doc := t.Spec.Doc
	if doc == nil && !t.Decl.Lparen.IsValid() {
		doc = t.Decl.Doc
	}
	t.Doc = DocText(doc)
	if t.Generic != nil {
		t.Markers = t.Generic.Load().Markers
		t.Malformed = t.Generic.Malformed
		return t
	}
	t.Markers, t.Malformed = t.Pkg.program.markers.ParseMarkers(t.Pkg, t.File.Comments.Type(t.Spec), markers.Type)
	return t
}

// Fields returns the fields of a struct type, and nil for other types.
func (t *Type) Fields() []*Field {
	st, ok := t.Spec.Type.(*ast.StructType)
	if !ok || t.fieldsRead {
		return t.fields
	}
	t.fieldsRead = true
	comments := t.File.Comments.Fields(st)
	for i, field := range st.Fields.List {
		f := Field{Pos: field.Pos(), Type: field.Type, Tag: TagOf(field), Doc: DocText(field.Doc), Comments: comments[i]}
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

// Label returns the name of the field for messages; for an embedded field, the name of its
// type.
func (f *Field) Label() string {
	if f.Name != "" {
		return f.Name
	}
	return ExprName(Pointee(f.Type))
}

// Embedded returns the types of the embedded fields of a struct. It does not parse markers.
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

// TagOf returns the tag of a field, or the empty string if it has none.
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

// DocText returns the documentation in a doc comment. As in the documentation of Kubernetes
// types, it omits markers and lines that start with TODO or schemagen:ignore, and ends at a line that starts
// with "---" (fmtRawDoc in apimachinery's swagger_doc_generator.go, extractDoc in
// controller-tools). Code fences are kept unchanged.
func DocText(group *ast.CommentGroup) string {
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
			// What a comment says to schemagen is not for readers of the CRD.
			if strings.HasPrefix(line, "TODO") || strings.HasPrefix(line, "schemagen:ignore") {
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

// Types returns the types declared in the file, in source order.
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

// Types returns the types declared in the files that have been parsed, in source order.
func (p *Package) Types() []*Type {
	var out []*Type
	for _, f := range p.Sources {
		out = append(out, f.Types()...)
	}
	return out
}

// Names returns the package-level names and their positions, for the files that have been
// parsed.
func (p *Package) Names() map[string]token.Pos {
	out := map[string]token.Pos{}
	for _, f := range p.Sources {
		if f.Syntax == nil {
			continue
		}
		for _, fn := range f.allFunctions() {
			if fn.Recv == nil {
				out[fn.Name.Name] = fn.Name.Pos()
			}
		}
		for _, decl := range f.Syntax.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
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

// AnonymousStruct returns a declaration for an anonymous struct type.
func AnonymousStruct(f *File, st *ast.StructType) *Type {
	return &Type{Pkg: f.Pkg, File: f, loaded: true,
		Spec: &ast.TypeSpec{Name: &ast.Ident{Name: "struct", NamePos: st.Pos()}, Type: st}}
}

// GoName returns the Go name of the field; for an embedded field, the name of its type.
func (f *Field) GoName() string {
	if f.Name != "" {
		return f.Name
	}
	if name := EmbeddedName(f.Type); name != nil {
		return name.Name
	}
	return "?"
}

// IsPointer reports whether the type of the field is written as a pointer.
func (f *Field) IsPointer() bool {
	_, ok := f.Type.(*ast.StarExpr)
	return ok
}
