package gotypes

import (
	"encoding/json"
	"strings"
)

// Unfit returns why JSON cannot be written as a value of a type in Go; empty if it can.
func (ts *Types) Unfit(t *Type, raw json.RawMessage) string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err.Error()
	}
	fits := false
	switch t.Shape {
	case String:
		_, fits = value.(string)
	case Bool:
		_, fits = value.(bool)
	case Int:
		var n int64
		fits = json.Unmarshal(raw, &n) == nil && value != nil && n>>(t.Size()-1) == n>>63
	case Uint:
		var n uint64
		fits = json.Unmarshal(raw, &n) == nil && value != nil && n>>(t.Size()-1)>>1 == 0
	case Float:
		_, fits = value.(float64)
	case Pointer:
		if t.Elem.Shape == Pointer {
			return "it is a pointer to a pointer"
		}
		return ts.Unfit(t.Elem, raw)
	case List:
		var list []json.RawMessage
		fits = json.Unmarshal(raw, &list) == nil && list != nil
		for _, element := range list {
			if problem := ts.Unfit(t.Elem, element); problem != "" {
				return problem
			}
		}
	case Struct:
		var object map[string]json.RawMessage
		fits = json.Unmarshal(raw, &object) == nil && object != nil
		ts.Fields(t)
		for name, field := range object {
			f := t.Field(name)
			if f == nil || strings.Contains(f.Go, ".") {
				return t.Label() + " has no field " + name + " of its own"
			}
			if problem := ts.Unfit(f.Type, field); problem != "" {
				return problem
			}
		}
	default:
		return "a " + t.Label() + " cannot be written as a constant"
	}
	if !fits {
		return "its type is " + t.Label()
	}
	return ""
}
