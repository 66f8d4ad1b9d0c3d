package conversions

import (
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// written reports whether the fields on a path are structs that are always in the JSON of the first
// one's struct.
func written(path []*Field) bool {
	return !slices.ContainsFunc(path, func(f *Field) bool { return f.Type.Shape != Struct || f.OmitZero })
}

// required reports whether the schema of a struct requires the pointer at a path, so that the JSON of
// nil would not be valid.
func required(s *structural.Schema, path []*Field) bool {
	last := len(path) - 1
	f := path[last]
	if s = below(s, path[:last]); s == nil || !written(path[:last]) || s.ValueValidation == nil || !slices.Contains(s.Required, f.JSON) {
		return false
	}
	value := property(s, f.JSON)
	return value == nil || value.Default == nil && (f.OmitEmpty || !value.Nullable)
}

// requiresPointer reports whether the schema of a struct requires a pointer in it, or in a struct
// that is always part of it.
func (ts *types) requiresPointer(t *Type, s *structural.Schema) bool {
	return slices.ContainsFunc(ts.fields(t), func(f *Field) bool {
		switch path := []*Field{f}; {
		case f.Meta:
			return false
		case f.Type.Shape == Pointer:
			return required(s, path)
		default:
			return written(path) && ts.requiresPointer(f.Type, property(s, f.JSON))
		}
	})
}
