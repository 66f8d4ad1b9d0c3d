package manifest

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// frame is one step of the path to a value.
type frame struct {
	parent *frame
	// key is the name of a field or the key of a map. It is unused if index is
	// not negative.
	key   string
	index int
	// owner is the Go struct that has the field, or "" for the key of a map.
	owner string
	// decodesItself is set if the field's type has its own UnmarshalJSON.
	decodesItself bool
}

// String returns the path as in strict decoding errors: ".properties.foo[0]".
func (f *frame) String() string {
	var steps []string
	for ; f != nil; f = f.parent {
		switch {
		case f.index >= 0:
			steps = append(steps, "["+strconv.Itoa(f.index)+"]")
		case f.parent == nil:
			steps = append(steps, f.key)
		default:
			steps = append(steps, "."+f.key)
		}
	}
	return joinReversed(steps)
}

// goField returns the field as in type errors, which contain no indices and no map
// keys. The struct belongs to the innermost field outside of a value with its own UnmarshalJSON.
func (f *frame) goField() string {
	owner := ""
	var steps []string
	for ; f != nil; f = f.parent {
		if f.decodesItself {
			owner = ""
		}
		if f.owner != "" {
			owner = cmp.Or(owner, f.owner)
			steps = append(steps, "."+f.key)
		}
	}
	if owner == "" {
		return "value"
	}
	return "struct field " + owner + joinReversed(steps)
}

func joinReversed(steps []string) string {
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteString(steps[i])
	}
	return b.String()
}

// typeError returns the API server's message for a value that does not have the
// type of its field.
func typeError(what string, at *frame, want reflect.Type) string {
	return fmt.Sprintf("json: cannot unmarshal %s into Go %s of type %s", what, at.goField(), want)
}
