package compare

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
)

// same reports whether two parts of schemas mean the same. Positions, the order of names
// and the spelling of JSON values are ignored.
func same(a, b any) bool { return sameValue(reflect.ValueOf(a), reflect.ValueOf(b)) }

func sameValue(a, b reflect.Value) bool {
	switch a.Type() {
	case reflect.TypeFor[structural.Origin]():
		return true
	case reflect.TypeFor[structural.JSON]():
		return sameJSON(a.Interface().(structural.JSON), b.Interface().(structural.JSON))
	case reflect.TypeFor[[]structural.NestedProperty](), reflect.TypeFor[[]string](), reflect.TypeFor[[]structural.JSON]():
		return sameSet(a, b)
	}
	switch a.Kind() {
	case reflect.String:
		return a.String() == b.String()
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Pointer() == b.Pointer() || sameValue(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	default:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
}

// sameSet compares lists whose order does not matter: names, values, and fields by name.
func sameSet(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	key := func(v reflect.Value) string {
		switch v := v.Interface().(type) {
		case structural.JSON:
			return canonical(v)
		case structural.NestedProperty:
			return v.Name
		}
		return v.String()
	}
	indexes := map[string][]int{}
	for i := range b.Len() {
		k := key(b.Index(i))
		indexes[k] = append(indexes[k], i)
	}
	for i := range a.Len() {
		k := key(a.Index(i))
		if len(indexes[k]) == 0 || a.Type() == reflect.TypeFor[[]structural.NestedProperty]() &&
			!sameValue(a.Index(i), b.Index(indexes[k][0])) {
			return false
		}
		indexes[k] = indexes[k][1:]
	}
	return true
}

// sameJSON compares JSON values. Numbers are equal if they are written the same.
func sameJSON(a, b structural.JSON) bool {
	return string(a.Raw) == string(b.Raw) || canonical(a) == canonical(b)
}

// canonical returns a value as JSON with sorted keys and without spaces.
func canonical(v structural.JSON) string {
	data, err := plainjson.Marshal(decoded(v))
	if err != nil {
		return string(v.Raw)
	}
	return string(data)
}

// decoded returns a value; numbers are [json.Number]. It returns the text of invalid JSON.
func decoded(v structural.JSON) any {
	d := json.NewDecoder(bytes.NewReader(v.Raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return json.RawMessage(v.Raw)
	}
	return value
}

// without returns the elements of list that other does not have.
func without[T any](list, other []T) []T {
	var out []T
	for _, x := range list {
		if !slices.ContainsFunc(other, func(y T) bool { return same(x, y) }) {
			out = append(out, x)
		}
	}
	return out
}

// withoutKeys is like without for elements that are identified by a string. It takes linear
// time.
func withoutKeys[T any](list, other []T, key func(T) string) []T {
	known := map[string]bool{}
	for _, y := range other {
		known[key(y)] = true
	}
	var out []T
	for _, x := range list {
		if !known[key(x)] {
			out = append(out, x)
		}
	}
	return out
}
