package runcache

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// Key returns a key that identifies a request: it covers all fields of the value, byte for
// byte. It returns an error for types whose values cannot be distinguished.
func Key(request any) (string, error) {
	key, err := appendKey(nil, reflect.ValueOf(request))
	return string(key), err
}

// appendKey appends an injective encoding of a value.
func appendKey(key []byte, v reflect.Value) ([]byte, error) {
	var err error
	each := func(v reflect.Value) {
		if err == nil {
			key, err = appendKey(key, v)
			key = append(key, ',')
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(key, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(key, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(key, v.Uint(), 10), nil
	case reflect.String:
		return strconv.AppendQuote(key, v.String()), nil
	case reflect.Struct:
		key = append(key, '{')
		for i := range v.NumField() {
			each(v.Field(i))
		}
		return append(key, '}'), err
	case reflect.Array:
		key = append(key, '[')
		for i := range v.Len() {
			each(v.Index(i))
		}
		return append(key, ']'), err
	}
	switch v.Kind() {
	case reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		if v.IsNil() {
			return append(key, "nil"...), nil
		}
	}
	switch v.Kind() {
	case reflect.Interface:
		key = strconv.AppendQuote(key, v.Elem().Type().String())
		return appendKey(key, v.Elem())
	case reflect.Pointer:
		return appendKey(append(key, '&'), v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return strconv.AppendQuote(key, string(v.Bytes())), nil
		}
		key = append(key, '[')
		for i := range v.Len() {
			each(v.Index(i))
		}
		return append(key, ']'), err
	case reflect.Map:
		var entries []string
		for _, name := range v.MapKeys() {
			entry, failed := appendKey(nil, name)
			if failed == nil {
				entry, failed = appendKey(append(entry, ':'), v.MapIndex(name))
			}
			if failed != nil {
				return key, failed
			}
			entries = append(entries, string(entry))
		}
		slices.Sort(entries)
		key = append(key, '{')
		for _, entry := range entries {
			key = append(append(key, entry...), ',')
		}
		return append(key, '}'), nil
	}
	return key, fmt.Errorf("a value of type %s", v.Type())
}
