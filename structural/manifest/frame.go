package manifest

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// frame is one step of the way to a value.
type frame struct {
	parent *frame
	// key is the name of a field or the key of a map; index counts if it is not
	// negative.
	key   string
	index int
	// owner is the Go struct that the field belongs to, empty for a map's key.
	owner string
	// decodesItself says that the field's type does.
	decodesItself bool
}

// String is the path in the words of strict errors: ".properties.foo[0]".
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

// goField is the field in the words of type errors, which know no indices and
// no keys of maps. The struct is that of the innermost field that does not stand
// in a value which decodes itself.
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

// typeError is what the API server says of a value that is not of the type of
// its field.
func typeError(what string, at *frame, want reflect.Type) string {
	return fmt.Sprintf("json: cannot unmarshal %s into Go %s of type %s", what, at.goField(), want)
}
