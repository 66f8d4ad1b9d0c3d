package conversions

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/source/gotext"
)

// losing returns a function literal that appends a value of the source to what is kept.
func (f *codeFile) losing(t *Type, value string) string {
	return block("func(j *conversionWriter)", f.appendValue(t, value), 60)
}

// block returns a function literal, on one line if its statement is at most as long as most.
func block(header, statement string, most int) string {
	if len(statement) > most {
		return header + " {\n" + statement + "\n}"
	}
	return gotext.Function(header, statement)
}

// appendValue returns a statement that appends the JSON of a value, without reflection where
// that is little code.
func (f *codeFile) appendValue(t *Type, value string) string {
	f.use("conversionWriter")
	switch {
	case !f.appends(t):
		return "j.value(" + addressOf(value) + ")"
	case t.ID == durationID:
		return "j.string(" + selectOf(value, "Duration") + ".String())"
	case t.ID == intOrStringID:
		name := f.helper("appendIntOrString", func(name string) string {
			intstr := f.imp("k8s.io/apimachinery/pkg/util/intstr", "intstr")
			return "// " + name + " appends a number or a text.\nfunc " + name + "(j *conversionWriter, value *" + intstr + ".IntOrString) {\nswitch value.Type {\ncase " + intstr + ".Int:\nj.int(int64(value.IntVal))\ncase " + intstr + ".String:\nj.string(value.StrVal)\ndefault:\nj.failed = true\n}\n}\n"
		})
		return name + "(j, " + addressOf(value) + ")"
	case t.Shape == Opaque:
		return "j.encoded(" + selectOf(value, "MarshalJSON") + "())"
	}
	switch t.Shape {
	case String:
		return "j.string(" + f.basic(t, value) + ")"
	case Bool:
		return "j.bool(" + f.basic(t, value) + ")"
	case Int:
		return "j.int(" + as("int64", t, value) + ")"
	case Uint:
		return "j.uint(" + as("uint64", t, value) + ")"
	case Struct:
		return f.appendStruct(t) + "(j, " + addressOf(value) + ")"
	}
	name := map[Shape]string{Pointer: "conversionAppendPointer", List: "conversionAppendList", Map: "conversionAppendMap"}[t.Shape]
	return f.use(name) + "(j, " + value + ", " + f.appender(t.Elem) + ")"
}

// appender returns a function that appends the JSON of what a pointer points to.
func (f *codeFile) appender(t *Type) string {
	switch {
	case !f.appends(t):
		return f.use("conversionAppend") + "[" + f.text(t) + "]"
	case t.Shape == Struct:
		return f.appendStruct(t)
	}
	return block("func(j *conversionWriter, value *"+f.text(t)+")", f.appendValue(t, "*value"), 32)
}

// appendStruct returns a function that appends the JSON of a struct.
func (f *codeFile) appendStruct(t *Type) string {
	return f.helper("append"+f.identifier(t), func(name string) string {
		var out strings.Builder
		out.WriteString("// " + name + " appends the JSON of a value.\nfunc " + name + "(j *conversionWriter, value *" + f.text(t) + ") {\nj.text = append(j.text, '{')\n")
		for _, field := range f.model.types.Fields(t) {
			quoted, _ := json.Marshal(field.JSON)
			prefix := strconv.Quote(string(quoted) + ":")
			if strconv.CanBackquote(string(quoted)) {
				prefix = "`" + string(quoted) + ":`"
			}
			expr := "value." + field.Go
			text := "j.field(" + prefix + ")\n" + f.appendValue(field.Type, expr) + "\n"
			if condition := f.omitted(field, expr); condition != "" {
				text = "if " + not(condition) + " {\n" + text + "}\n"
			}
			out.WriteString(text)
		}
		out.WriteString("j.text = append(j.text, '}')\n}\n")
		return out.String()
	})
}

// omitted returns a condition that a field is left out of the JSON; empty if it never is.
func (f *codeFile) omitted(field *Field, value string) string {
	t := field.Type
	switch t.Shape {
	case Struct, Opaque:
		if !field.OmitZero {
			return ""
		}
		if t.Decl.HasMethod("IsZero") {
			return value + ".IsZero()"
		}
		return f.zero(t, value)
	case List, Map:
		if field.OmitEmpty {
			return f.empty(t, value, field.Source.JSON().Has("omitempty"))
		}
	default:
		if field.OmitEmpty {
			return f.empty(t, value, true)
		}
	}
	return ""
}

// appends reports whether values of a type are appended without reflection: their JSON is known,
// and they do not consist of many structs of other modules.
func (f *codeFile) appends(t *Type) bool {
	switch t.Shape {
	case String, Bool, Int, Uint:
		return true
	case Pointer, List:
		return f.appends(t.Elem)
	case Map:
		return t.Key.Shape == String && f.appends(t.Elem)
	case Struct:
		known, ok := f.appended[t]
		if !ok {
			known = f.appendsStruct(t)
			f.appended[t] = known
		}
		return known
	}
	return encodesItself(t)
}

// encodesItself reports whether a type is a struct with the method MarshalJSON.
func encodesItself(t *Type) bool {
	if t.Shape != Opaque || t.Decl == nil || !t.Decl.Marshals("MarshalJSON") {
		return false
	}
	_, ok := t.Decl.Spec.Type.(*ast.StructType)
	return ok
}

func (f *codeFile) appendsStruct(t *Type) bool {
	fields := f.model.types.Fields(t)
	if t.Mixed || t.Partial || t.Decl.Generic != nil || t.Decl.Pkg != f.pkg && !ast.IsExported(t.Decl.Spec.Name.Name) {
		return false
	}
	if slices.ContainsFunc(fields, func(field *Field) bool { return field.Meta || !f.knowsOmission(field) }) {
		return false
	}
	return slices.Contains(f.model.roots, t.Decl.Pkg) || f.structs(t, map[*Type]bool{}) <= smallStruct
}

// smallStruct is the number of structs up to which one of another module is appended without
// reflection.
const smallStruct = 3

// structs returns the number of structs that a type consists of.
func (f *codeFile) structs(t *Type, seen map[*Type]bool) int {
	for t.Elem != nil {
		t = t.Elem
	}
	if t.Shape != Struct || seen[t] {
		return 0
	}
	seen[t] = true
	n := 1
	for _, field := range f.model.types.Fields(t) {
		n += f.structs(field.Type, seen)
	}
	return n
}

// knowsOmission reports whether it is known when a field is left out of the JSON.
func (f *codeFile) knowsOmission(field *Field) bool {
	t := field.Type
	switch {
	case t.Shape == Float || t.Shape == Opaque && !encodesItself(t):
		return !field.OmitEmpty
	case (t.Shape == Struct || t.Shape == Opaque) && field.OmitZero:
		return t.Decl.HasMethod("IsZero") || f.hasZero(t)
	}
	return true
}

// hasZero reports whether [codeFile.zero] knows a type.
func (f *codeFile) hasZero(t *Type) bool {
	switch t.Shape {
	case Float:
		return false // a negative zero is not the zero value
	case Struct:
		fields := f.model.types.Fields(t)
		return !t.Mixed && !t.Partial &&
			!slices.ContainsFunc(fields, func(field *Field) bool { return field.Meta || !f.hasZero(field.Type) })
	case Opaque:
		return t.ID == durationID || t.ID == timeID || t.ID == intOrStringID
	}
	return true
}

// zero returns a condition that a value is the zero value of its type.
func (f *codeFile) zero(t *Type, value string) string {
	switch t.Shape {
	case Opaque:
		return value + " == (" + f.text(t) + "{})"
	case Struct:
		return f.helper("isZero"+f.identifier(t), func(name string) string {
			var conditions []string
			for _, field := range f.model.types.Fields(t) {
				conditions = append(conditions, f.zero(field.Type, "value."+field.Go))
			}
			return "// " + name + " reports whether all fields are zero.\nfunc " + name + "(value *" + f.text(t) + ") bool {\nreturn " + cmp.Or(strings.Join(conditions, " &&\n"), "true") + "\n}\n"
		}) + "(" + addressOf(value) + ")"
	}
	return f.empty(t, value, false)
}
