package conversions

import (
	"slices"

	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/structural"
)

// written reports whether the fields on a path are structs that are always in the JSON of the first
// one's struct.
func written(path []*Field) bool {
	return !slices.ContainsFunc(path, func(f *Field) bool { return f.Type.Shape != Struct || f.OmitZero })
}

// required reports whether the schema of a struct requires the pointer at a path, so that the JSON of
// nil would not be valid.
func (p properties) required(s *structural.Schema, path []*Field) bool {
	last := len(path) - 1
	f := path[last]
	s = p.below(s, path[:last])
	if s == nil || !written(path[:last]) || s.ValueValidation == nil || !slices.Contains(s.Required, f.JSON) {
		return false
	}
	value := p.Property(s, f.JSON)
	return value == nil || value.Default == nil && (f.OmitEmpty || !value.Nullable)
}

// requiresPointer reports whether the schema of a struct requires a pointer in it, or in a struct
// that is always part of it.
func (p properties) requiresPointer(ts *gotypes.Types, t *Type, s *structural.Schema) bool {
	return slices.ContainsFunc(ts.Fields(t), func(f *Field) bool {
		switch path := []*Field{f}; {
		case f.Meta:
			return false
		case f.Type.Shape == Pointer:
			return p.required(s, path)
		default:
			return written(path) && p.requiresPointer(ts, f.Type, p.Property(s, f.JSON))
		}
	})
}

// omits reports whether the struct of the source is left out of the JSON while it has only
// zeros, and can have zeros behind pointers that are required: then it is not left out.
func (r *Rule) omits(way Direction) bool {
	if omits, _ := Sides(way, r.spokeOmits, r.hubOmits); !omits {
		return false
	}
	if r.op == opWrap {
		r = r.Elem
	}
	return r.op == opStruct && r.Pair.hasZeros(way)
}

// hasZeros reports whether the struct of the source is not empty although all its values are zeros.
func (p *Pair) hasZeros(way Direction) bool {
	return slices.ContainsFunc(p.Units, func(u *Unit) bool {
		path, pair, pointer := u.zeros(way)
		return path != nil && (pointer || pair.hasZeros(way))
	})
}

// zeros returns the source's field of a unit that is not empty although its value is zero: a required pointer,
// or a struct of a pair that has one. path is nil for other units.
func (u *Unit) zeros(way Direction) (path []*Field, pair *Pair, pointer bool) {
	path, _ = Sides(way, u.Spoke, u.Hub)
	if u.Rule == nil || u.Hook != nil || len(path) == 0 ||
		slices.ContainsFunc(path[:len(path)-1], func(f *Field) bool { return f.Type.Shape == Pointer }) {
		return nil, nil, false
	}
	r := u.Rule
	pointer = r.op == opWrap && r.Required && path[len(path)-1].Type.Shape == Pointer
	if r.op == opWrap {
		r = r.Elem
	}
	if r.op == opStruct {
		pair = r.Pair
	}
	if !pointer && (pair == nil || path[len(path)-1].Type.Shape != Struct) {
		return nil, nil, false
	}
	return path, pair, pointer
}
