package gotypes

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/bits"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/source"
)

// Shape is the kind of a Go type, as far as conversions distinguish it.
type Shape int

// The shapes of types.
const (
	Opaque Shape = iota // encodes itself, or is nothing that conversions look into
	String
	Bool
	Int
	Uint
	Float
	Bytes
	Struct
	List
	Map
	Pointer
)

// Type is a Go type. Types are equal if their IDs are.
type Type struct {
	ID    string
	Shape Shape
	// Basic is the predeclared type at the end of a chain of declarations, for scalars.
	Basic string
	// Decl is the declaration; nil for an unnamed type.
	Decl *source.Type
	// Elem is the type of elements and values and what a pointer points to. Key is the type of a
	// map's keys.
	Elem, Key *Type
	// Fields are the fields of a struct by JSON name, in order, those of embedded structs
	// included. They are complete once [Types.Fields] was called.
	Fields []*Field

	// Members are the fields of an unnamed struct, which conversions do not look into, and Length is
	// an array's length.
	Members []Member
	Length  int64

	// Mixed is set if a struct has what conversions cannot look into: unexported fields
	// and embedded pointers. Oddity is such a field, or nil, OddIn its package, and Why what is
	// odd about it.
	Mixed  bool
	Oddity *source.Field
	OddIn  *source.Package
	Why    string
	// Partial is set if the JSON of a struct depends on more than its fields here: some are left
	// out, or several have the same name.
	Partial bool

	read bool
	// byName has the Fields by their names in JSON.
	byName map[string]*Field
}

// Member is a field of an unnamed struct. Its name is empty if it is embedded.
type Member struct {
	Name string
	Type *Type
	Tag  string
}

// Field is a field of a struct in JSON.
type Field struct {
	JSON string
	// Go is the selector of the field in the struct.
	Go   string
	Type *Type
	// OmitEmpty is set if empty values are left out of the JSON.
	OmitEmpty bool
	// OmitZero is set if a struct without values is left out, too.
	OmitZero bool
	Source   *source.Field
	Pkg      *source.Package
	// Meta is set for a field that is not in the JSON itself, metav1.TypeMeta and
	// metav1.ObjectMeta of a kind.
	Meta bool
}

// Field returns the field with a JSON name, or nil.
func (t *Type) Field(name string) *Field {
	return t.byName[name]
}

// The IDs of opaque types that conversions know.
const (
	DurationID    = source.MetaV1Path + ".Duration"
	TimeID        = source.MetaV1Path + ".Time"
	MicroTimeID   = source.MetaV1Path + ".MicroTime"
	QuantityID    = "k8s.io/apimachinery/pkg/api/resource.Quantity"
	IntOrStringID = "k8s.io/apimachinery/pkg/util/intstr.IntOrString"

	RawExtensionID = "k8s.io/apimachinery/pkg/runtime.RawExtension"
	JsonID         = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON"
)

// Types makes types from expressions.
type Types struct {
	named map[*source.Type]*Type
}

// New returns Types that have made none.
func New() *Types { return &Types{named: map[*source.Type]*Type{}} }

// shapeOf returns the shape of a predeclared type.
func shapeOf(basic string) Shape {
	switch basic {
	case "string":
		return String
	case "bool":
		return Bool
	case "int", "int8", "int16", "int32", "int64":
		return Int
	case "uint", "uint8", "uint16", "uint32", "uint64":
		return Uint
	case "float32", "float64":
		return Float
	}
	return Opaque
}

// MaxDepth limits how deeply types without fields are followed: a type may be a list of itself.
const MaxDepth = 20

// Of returns the type of an expression.
func (ts *Types) Of(f *source.File, expr ast.Expr) *Type { return ts.at(f, expr, 0) }

func (ts *Types) at(file *source.File, expr ast.Expr, depth int) *Type {
	if depth > MaxDepth {
		return &Type{ID: "?"}
	}
	file, expr = file.ResolveExpr(expr)
	switch typed := expr.(type) {
	case *ast.StarExpr:
		elem := ts.at(file, typed.X, depth+1)
		return &Type{ID: "*" + elem.ID, Shape: Pointer, Elem: elem}
	case *ast.ArrayType:
		elem := ts.at(file, typed.Elt, depth+1)
		switch {
		case typed.Len != nil:
			n, ok := file.ArrayLength(typed.Len)
			if !ok {
				return &Type{ID: "?"}
			}
			return &Type{ID: fmt.Sprintf("[%d]%s", n, elem.ID), Length: n, Elem: elem}
		case elem.Shape == Uint && elem.Basic == "uint8":
			return &Type{ID: "[]" + elem.ID, Shape: Bytes}
		}
		return &Type{ID: "[]" + elem.ID, Shape: List, Elem: elem}
	case *ast.MapType:
		key := ts.at(file, typed.Key, depth+1)
		elem := ts.at(file, typed.Value, depth+1)
		return &Type{ID: "map[" + key.ID + "]" + elem.ID, Shape: Map, Key: key, Elem: elem}
	case *ast.StructType:
		return ts.unnamed(file, typed, depth)
	case *ast.InterfaceType:
		if typed.Methods.NumFields() == 0 {
			return &Type{ID: "any", Basic: "any"}
		}
		return &Type{ID: "?"}
	case *ast.FuncType, *ast.ChanType:
		return &Type{ID: "?"}
	}
	name, why := file.Resolve(expr)
	switch {
	case why != nil:
		return &Type{ID: "?"}
	case name.Type == nil:
		basic := name.Predeclared
		switch basic {
		case "byte":
			basic = "uint8"
		case "rune":
			basic = "int32"
		}
		return &Type{ID: basic, Shape: shapeOf(basic), Basic: basic}
	}
	return ts.declared(name.Type, depth)
}

// unnamed returns the type of a struct type that has no name. Identical ones have the same ID.
func (ts *Types) unnamed(f *source.File, expr *ast.StructType, depth int) *Type {
	out := &Type{ID: "struct{"}
	for _, field := range expr.Fields.List {
		m := Member{Type: ts.at(f, field.Type, depth+1)}
		if field.Tag != nil {
			m.Tag = field.Tag.Value
		}
		names := []string{""}
		if len(field.Names) > 0 {
			names = nil
		}
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		for _, name := range names {
			m.Name = name
			out.Members = append(out.Members, m)
			if name != "" && !ast.IsExported(name) {
				name = f.Pkg.Path + "." + name
			}
			out.ID += name + " " + m.Type.ID + " " + m.Tag + ";"
		}
	}
	out.ID += "}"
	return out
}

// Arguments returns the type arguments of an instance of a generic type.
func (ts *Types) Arguments(t *source.Type) (out []*Type) {
	for _, argument := range t.Arguments {
		out = append(out, ts.Of(argument.File, argument.Expr))
	}
	return out
}

// Declared returns the type of a declaration.
func (ts *Types) Declared(t *source.Type) *Type { return ts.declared(t, 0) }

func (ts *Types) declared(t *source.Type, depth int) *Type {
	if out, ok := ts.named[t]; ok {
		return out
	}
	out := &Type{ID: t.Pkg.Path + "." + t.Label(), Decl: t}
	ts.named[t] = out
	if t.Marshals("MarshalJSON") || t.Marshals("MarshalText") {
		return out
	}
	if _, ok := t.Spec.Type.(*ast.StructType); ok {
		out.Shape = Struct
		return out
	}
	body := ts.at(t.File, t.Spec.Type, depth+1)
	out.Shape = body.Shape
	out.Basic = body.Basic
	out.Elem = body.Elem
	out.Key = body.Key
	if body.Shape == Struct {
		out.Shape = Opaque // a struct that is defined as another one
	}
	return out
}

// Fields reads the fields of a struct.
func (ts *Types) Fields(t *Type) []*Field {
	if t.Shape == Struct && !t.read {
		t.read = true
		ts.add(t, t.Decl, "", 0)
		ts.metadata(t)
	}
	return t.Fields
}

// metadata marks the metadata of a kind, which is not converted field by field. In a struct that
// is no kind, apiVersion and kind are fields like others.
func (ts *Types) metadata(t *Type) {
	object := t.Field("metadata")
	if object == nil || object.Type.ID != source.MetaV1Path+".ObjectMeta" {
		return
	}
	for _, f := range t.Fields {
		if f.Pkg.Path == source.MetaV1Path && strings.Contains("."+f.Go, ".TypeMeta.") {
			delete(t.byName, f.JSON)
			f.JSON = ""
			f.Meta = true
			object.Meta = true
		}
	}
}

// add adds the fields of a struct that is embedded by prefix.
func (ts *Types) add(target *Type, t *source.Type, prefix string, depth int) {
	if depth > MaxDepth {
		target.Mixed = true
		return
	}
	for _, field := range t.Fields() {
		tag := field.JSON()
		if tag.Excluded {
			target.Partial = true
			continue
		}
		goName := field.GoName()
		name := tag.Name
		embedded := field.Name == "" && name == ""
		if !ast.IsExported(goName) && !embedded {
			if field.Name != "_" {
				target.mix(t.Pkg, field, "is not exported")
			}
			continue
		}
		if embedded {
			inner := ts.Of(t.File, field.Type)
			switch {
			case inner.Shape == Struct && ast.IsExported(goName):
				ts.add(target, inner.Decl, prefix+goName+".", depth+1)
			case inner.Shape == Pointer:
				target.mix(t.Pkg, field, "is an embedded pointer")
			default:
				target.mix(t.Pkg, field, "is embedded and not an exported struct")
			}
			continue
		}
		if name == "" {
			name = goName
		}
		f := &Field{JSON: name, Go: prefix + goName, Type: ts.Of(t.File, field.Type), Source: field, Pkg: t.Pkg}
		f.OmitZero = tag.Has("omitzero")
		f.OmitEmpty = tag.Omits()
		if tag.Has("string") {
			f.Type = &Type{ID: f.Type.ID + ",string"}
		}
		if other := target.Field(name); other != nil {
			target.Partial = true
			if depth < strings.Count(other.Go, ".") { // the outer one counts
				*other = *f
			}
			continue
		}
		target.Fields = append(target.Fields, f)
		if target.byName == nil {
			target.byName = map[string]*Field{}
		}
		target.byName[name] = f
	}
}

// mix records a field of a struct that conversions cannot look into.
func (t *Type) mix(pkg *source.Package, field *source.Field, why string) {
	t.Mixed = true
	if t.Oddity == nil {
		t.Oddity = field
		t.OddIn = pkg
		t.Why = why
	}
}

// Pos returns the position of a field.
func (f *Field) Pos() token.Pos { return f.Source.Pos }

// Base returns the type without pointers.
func (t *Type) Base() *Type {
	for t.Shape == Pointer {
		t = t.Elem
	}
	return t
}

// Label describes a type in messages.
func (t *Type) Label() string {
	switch {
	case t.Shape == Pointer:
		return t.Elem.Label()
	case t.Decl != nil && t.ID == DurationID:
		return "duration"
	case t.Decl != nil:
		return t.Decl.Pkg.Name + "." + t.Decl.Label()
	case t.Shape == List:
		return "list of " + t.Elem.Label()
	case t.Shape == Map:
		return "map of " + t.Elem.Label()
	case t.Shape == Bytes:
		return "bytes"
	case len(t.Members) > 0:
		return "unnamed struct"
	}
	return t.ID
}

// Size returns the bits of an integer type.
func (t *Type) Size() int {
	n, err := strconv.Atoi(strings.TrimLeft(t.Basic, "uint"))
	if err != nil {
		return bits.UintSize
	}
	return n
}
