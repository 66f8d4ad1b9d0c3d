package clients

import (
	"go/ast"
	"reflect"

	"github.com/schemagen/schemagen/internal/source"
)

// goType is a type as encoding/json sees it. Its kind is source.KindUnknown if what it marshals
// is not known.
type goType struct {
	types *types
	kind  source.Kind
	// basic is the name of a predeclared type. Its Go type is that name's.
	basic string
	// bytes is set for a slice that is a string in JSON.
	bytes bool
	// file and expr are the type expression of a pointer, slice, map or struct.
	file *source.File
	expr ast.Expr
	// decl declares a struct.
	decl *source.Type
	// known is the Go type of a declared type whose methods are known, such as metav1.Time. Its kind
	// is then the kind of that type.
	known reflect.Type
	// hasIsZero is set for another type whose method decides what omitzero omits.
	hasIsZero bool

	element *goType
	listed  bool
	fields  []*jsonField
}

// jsonField is a field of the object that a struct is in JSON.
type jsonField struct {
	source.JSONField
	tag                 source.JSONTag
	omitEmpty, omitZero bool
	quoted              bool
	typ                 *goType
}

// types returns each type once.
type types struct {
	declared map[*source.Type]*goType
	written  map[ast.Expr]map[*source.File]*goType
}

func newTypes() *types {
	return &types{map[*source.Type]*goType{}, map[ast.Expr]map[*source.File]*goType{}}
}

// named returns a declared type.
func (ts *types) named(decl *source.Type) *goType {
	if t := ts.declared[decl]; t != nil {
		return t
	}
	t := &goType{types: ts}
	ts.declared[decl] = t
	if known := knownType(decl.Pkg.Path + "." + decl.Spec.Name.Name); known != nil && decl.Generic == nil {
		t.known = known
		t.kind = source.KindStruct
		if known.Kind() == reflect.Slice {
			t.kind = source.KindSlice
		}
		if known.Kind() == reflect.String {
			t.kind = source.KindBasic
			t.basic = "string"
		}
		return t
	}
	for _, method := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		if decl.HasMethod(method) {
			return t
		}
	}
	t.take(decl.File, decl.Spec.Type)
	if t.kind == source.KindStruct {
		if body := source.UnderlyingOf(decl.File, decl.Spec.Type); isStructType(decl.Spec.Type) {
			t.decl = decl
		} else {
			t.decl = source.AnonymousStruct(body.File, body.Expr.(*ast.StructType))
		}
	}
	t.hasIsZero = decl.HasMethod("IsZero")
	return t
}

// at returns the type that an expression in a file denotes.
func (ts *types) at(f *source.File, expr ast.Expr) *goType {
	f, expr = f.ResolveExpr(expr)
	if source.IsName(expr) || isInstance(expr) {
		name, missing := f.Resolve(expr)
		if missing == nil && name.Type != nil {
			if decl := name.Type.Unalias(); decl != nil {
				return ts.named(decl)
			}
		}
	}
	if t := ts.written[expr][f]; t != nil {
		return t
	}
	t := &goType{types: ts}
	if ts.written[expr] == nil {
		ts.written[expr] = map[*source.File]*goType{}
	}
	ts.written[expr][f] = t
	t.take(f, expr)
	if t.kind == source.KindStruct {
		t.decl = source.AnonymousStruct(f, expr.(*ast.StructType))
	}
	return t
}

func isInstance(expr ast.Expr) bool { _, args := source.Indexed(expr); return args != nil }

// take gives a type the properties of its underlying type.
func (t *goType) take(f *source.File, expr ast.Expr) {
	body := source.UnderlyingOf(f, expr)
	t.kind = body.Kind
	t.basic = body.Basic
	t.file = body.File
	t.expr = body.Expr
	switch t.kind {
	case source.KindArray, source.KindOther:
		t.kind = source.KindUnknown
	case source.KindSlice:
		elem := t.elem()
		t.bytes = elem.kind == source.KindBasic && (elem.basic == "byte" || elem.basic == "uint8")
	case source.KindBasic:
		if t.goKind() == reflect.Invalid {
			t.kind = source.KindUnknown
		}
	case source.KindMap:
		if keys := t.types.at(body.File, body.Expr.(*ast.MapType).Key); keys.kind != source.KindBasic || keys.known != nil || keys.basic != "string" {
			t.kind = source.KindUnknown
		}
	}
}

// goKind is the kind of a predeclared type.
func (t *goType) goKind() reflect.Kind {
	switch t.basic {
	case "bool":
		return reflect.Bool
	case "string":
		return reflect.String
	case "int", "int64":
		return reflect.Int64
	case "int8":
		return reflect.Int8
	case "int16":
		return reflect.Int16
	case "int32", "rune":
		return reflect.Int32
	case "uint", "uint64":
		return reflect.Uint64
	case "uint8", "byte":
		return reflect.Uint8
	case "uint16":
		return reflect.Uint16
	case "uint32":
		return reflect.Uint32
	case "float32":
		return reflect.Float32
	case "float64":
		return reflect.Float64
	}
	return reflect.Invalid
}

// label describes the type in messages.
func (t *goType) label() string {
	switch t.kind {
	case source.KindBasic:
		return "type " + t.basic
	case source.KindSlice:
		if t.bytes {
			return "type []byte"
		}
		return "a slice"
	case source.KindMap:
		return "a map"
	}
	return "a struct"
}

// elem returns the type of what a pointer points to, or of elements or values.
func (t *goType) elem() *goType {
	if t.element == nil {
		t.element = t.types.at(t.file, source.Elem(t.expr))
	}
	return t.element
}

// jsonFields returns the fields of a struct in JSON.
func (t *goType) jsonFields() []*jsonField {
	if t.listed || t.kind != source.KindStruct || t.known != nil {
		return t.fields
	}
	t.listed = true
	for _, declared := range t.decl.JSONFields() {
		f := &jsonField{JSONField: declared, tag: declared.Field.JSON(), typ: t.types.at(declared.Owner.File, declared.Field.Type)}
		f.omitEmpty = f.tag.Has("omitempty")
		f.omitZero = f.tag.Has("omitzero")
		target := f.typ
		if target.kind == source.KindPointer {
			target = target.elem()
		}
		f.quoted = f.tag.Has("string") && target.kind == source.KindBasic && target.known == nil
		t.fields = append(t.fields, f)
	}
	return t.fields
}
