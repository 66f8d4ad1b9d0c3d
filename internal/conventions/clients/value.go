package clients

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/internal/source"
)

// goValue is a value of a Go type, as far as JSON depends on it. The zero value of each type is
// a goValue with nothing but the type.
type goValue struct {
	typ *goType
	// set is set if a pointer, slice, map or interface is not nil. elem is what a pointer
	// points to.
	set  bool
	elem *goValue
	// text is a value of a basic type as JSON, without the quotes of its tag; empty if it is
	// zero. raw is the value of an interface, or of a type whose methods are not known.
	text string
	raw  any
	// elements belong to a slice, and entries to a map, or the fields of a struct, by name in JSON.
	elements []*goValue
	entries  map[string]*goValue
	// pointers are the embedded pointers of a struct that are not nil.
	pointers map[string]bool
	// known is a pointer to a value of a known type.
	known reflect.Value
}

// unreadableError is the reason that encoding/json cannot read a value.
type unreadableError struct{ reason string }

func (e *unreadableError) Error() string { return e.reason }

// decode returns the value of a type that encoding/json reads from JSON.
func decode(t *goType, value any) (*goValue, error) {
	v := &goValue{typ: t}
	switch {
	case t.known != nil:
		v.known = reflect.New(t.known)
		if err := json.Unmarshal([]byte(text(value)), v.known.Interface()); err != nil {
			return nil, &unreadableError{err.Error()}
		}
		return v, nil
	case t.kind == source.KindUnknown || t.kind == source.KindInterface:
		v.set = value != nil
		v.raw = value
		return v, nil
	case value == nil:
		return v, nil
	}
	switch t.kind {
	case source.KindPointer:
		elem, err := decode(t.elem(), value)
		v.set = true
		v.elem = elem
		return v, err
	case source.KindSlice:
		v.set = true
		if t.bytes {
			encoded, ok := value.(string)
			if _, err := base64.StdEncoding.DecodeString(encoded); err != nil || !ok {
				return nil, notOfType(t, value)
			}
			v.text = encoded
			return v, nil
		}
		list, ok := value.([]any)
		if !ok {
			return nil, notOfType(t, value)
		}
		for _, given := range list {
			elem, err := decode(t.elem(), given)
			if err != nil {
				return nil, err
			}
			v.elements = append(v.elements, elem)
		}
		return v, nil
	}
	object, isObject := value.(map[string]any)
	switch {
	case t.kind == source.KindBasic:
		return v, v.decodeBasic(value)
	case !isObject:
		return nil, notOfType(t, value)
	}
	v.set = true
	v.entries = map[string]*goValue{}
	if t.kind == source.KindMap {
		for name, given := range object {
			elem, err := decode(t.elem(), given)
			if err != nil {
				return nil, err
			}
			v.entries[name] = elem
		}
		return v, nil
	}
	v.pointers = map[string]bool{}
	for _, f := range t.jsonFields() {
		given, ok := object[f.Name]
		if !ok {
			continue
		}
		for _, p := range f.Pointers {
			v.pointers[p] = true
		}
		if f.quoted && given != nil {
			quoted, ok := given.(string)
			parsed, valid := parse(quoted)
			if !ok || !valid {
				return nil, &unreadableError{text(given) + " is not a string that contains JSON"}
			}
			given = parsed
		}
		elem, err := decode(f.typ, given)
		if err != nil {
			return nil, err
		}
		v.entries[f.Name] = elem
	}
	return v, nil
}

// notOfType is the error for a value that is not one of a type.
func notOfType(t *goType, value any) error {
	return &unreadableError{fmt.Sprintf("%s is not a value of %s", text(value), t.label())}
}

// decodeBasic reads a value of a predeclared type.
func (v *goValue) decodeBasic(value any) error {
	written := text(value)
	zero := ""
	switch kind := v.typ.goKind(); kind {
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			return notOfType(v.typ, value)
		}
		zero = "false"
	case reflect.String:
		if _, ok := value.(string); !ok {
			return notOfType(v.typ, value)
		}
		zero = `""`
	case reflect.Float32, reflect.Float64:
		bits := bitsOf(kind)
		n, err := strconv.ParseFloat(written, bits)
		if err != nil {
			return notOfType(v.typ, value)
		}
		zero = "0"
		if bits == 32 {
			written = text(float32(n))
		} else {
			written = text(n)
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if _, err := strconv.ParseUint(written, 10, bitsOf(kind)); err != nil {
			return notOfType(v.typ, value)
		}
		zero = "0"
	default:
		if _, err := strconv.ParseInt(written, 10, bitsOf(kind)); err != nil {
			return notOfType(v.typ, value)
		}
		zero = "0"
	}
	if written != zero {
		v.text = written
	}
	return nil
}

// bitsOf returns the size of numbers of a kind.
func bitsOf(kind reflect.Kind) int {
	switch kind {
	case reflect.Int8, reflect.Uint8:
		return 8
	case reflect.Int16, reflect.Uint16:
		return 16
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 32
	}
	return 64
}

// encode returns the JSON that encoding/json writes for a value. What is not known is [Unknown].
func encode(v *goValue) any {
	t := v.typ
	switch {
	case t.known != nil:
		out, err := json.Marshal(v.instance().Interface())
		if decoded, ok := parse(string(out)); ok && err == nil {
			return decoded
		}
		return Unknown
	case t.kind == source.KindUnknown:
		return Unknown
	case t.kind == source.KindInterface:
		return v.raw
	case t.kind == source.KindBasic:
		return v.basic()
	case t.kind == source.KindStruct:
		return v.encodeStruct()
	case !v.set:
		return nil
	}
	switch t.kind {
	case source.KindPointer:
		return encode(v.elem)
	case source.KindSlice:
		if t.bytes {
			return v.text
		}
		out := []any{}
		for _, elem := range v.elements {
			out = append(out, encode(elem))
		}
		return out
	}
	out := map[string]any{}
	for name, elem := range v.entries {
		out[name] = encode(elem)
	}
	return out
}

// basic returns the JSON of a value of a predeclared type.
func (v *goValue) basic() any {
	if v.text == "" {
		switch v.typ.goKind() {
		case reflect.Bool:
			return false
		case reflect.String:
			return ""
		}
		return int64(0)
	}
	out, _ := parse(v.text)
	return out
}

// encodeStruct returns the JSON of a struct.
func (v *goValue) encodeStruct() any {
	out := map[string]any{}
fields:
	for _, f := range v.typ.jsonFields() {
		for _, p := range f.Pointers {
			if !v.pointers[p] {
				continue fields
			}
		}
		elem := v.entries[f.Name]
		if elem == nil {
			elem = &goValue{typ: f.typ}
		}
		if f.omitEmpty && elem.isEmpty() {
			continue
		}
		if f.omitZero {
			zero, known := elem.isZero()
			if !known {
				out[f.Name] = Unknown
				continue
			}
			if zero {
				continue
			}
		}
		out[f.Name] = encode(elem)
		if f.quoted && out[f.Name] != nil {
			out[f.Name] = text(out[f.Name])
		}
	}
	return out
}

// instance returns the value of a known type.
func (v *goValue) instance() reflect.Value {
	if !v.known.IsValid() {
		v.known = reflect.New(v.typ.known)
	}
	return v.known
}

// isEmpty reports whether omitempty omits a value.
func (v *goValue) isEmpty() bool {
	switch t := v.typ; {
	case t.known != nil:
		return t.known.Kind() != reflect.Struct && v.instance().Elem().Len() == 0
	case t.kind == source.KindBasic:
		return v.text == ""
	case t.kind == source.KindPointer || t.kind == source.KindInterface:
		return !v.set
	case t.kind == source.KindSlice:
		return len(v.elements) == 0 && v.text == ""
	case t.kind == source.KindMap:
		return len(v.entries) == 0
	}
	return false
}

// isZero reports whether omitzero omits a value. It is not known of types with methods that are
// not.
func (v *goValue) isZero() (zero, known bool) {
	t := v.typ
	switch {
	case t.known != nil:
		if zeroer, ok := v.instance().Interface().(isZeroer); ok {
			return zeroer.IsZero(), true
		}
		return v.instance().Elem().IsZero(), true
	case t.kind == source.KindUnknown || t.hasIsZero:
		return false, false
	case t.kind == source.KindBasic:
		return v.text == "", true
	case t.kind == source.KindPointer && v.set:
		if goType := t.elem(); goType.known != nil {
			if _, ok := v.elem.instance().Interface().(isZeroer); ok {
				return v.elem.isZero()
			}
		} else if goType.kind == source.KindUnknown || goType.hasIsZero {
			return false, false
		}
		return false, true
	case t.kind != source.KindStruct:
		return !v.set, true
	case len(v.pointers) > 0:
		return false, true
	}
	for _, elem := range v.entries {
		if zero, known := elem.isZero(); !zero {
			return false, known
		}
	}
	return true, true
}

// parse returns the value of JSON, with integers of type int64 as in the API server's code.
func parse(written string) (out any, ok bool) {
	err := utiljson.Unmarshal([]byte(written), &out)
	return out, err == nil
}
