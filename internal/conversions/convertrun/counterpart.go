package convertrun

import (
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/structural"
)

// source returns the path, in the object, of what was converted to the value at a path in the
// result. Where it is not known, it is the path of what contains it.
func (t *Target) source(c *conversion, path []structural.Step) []structural.Step {
	kind := t.kindOf(c)
	if kind == nil || t.unit(c, t.To, path).Rule == "" {
		return nil
	}
	if spoke := spokeOf(kind, t.To); spoke != nil {
		path = counterpart(spoke.Pair, conversions.ToHub(), path)
	}
	if spoke := spokeOf(kind, c.request.From); spoke != nil {
		path = counterpart(spoke.Pair, conversions.FromHub(), path)
	}
	return path
}

// declared returns the position of the Go field of the value at a path in the result, or of what
// contains it. There is none for a kind that the packages do not have.
func (t *Target) declared(c *conversion, path []structural.Step) (pos diag.Position) {
	kind := t.kindOf(c)
	if kind == nil {
		return pos
	}
	v := kind.Hub
	if v.Name != t.To {
		v = spokeOf(kind, t.To)
	}
	if v == nil {
		return pos
	}
	position := t.model.Run.Reporter.Position
	pos = position(v.Type.Decl.Spec.Name.Pos())
	typ := v.Type
	for _, step := range path {
		for typ.Shape == conversions.Pointer {
			typ = typ.Elem
		}
		switch typ.Shape {
		case conversions.List, conversions.Map:
			typ = typ.Elem
		case conversions.Struct:
			f := typ.Field(step.Field)
			if f == nil || f.Meta || f.Source == nil {
				return pos
			}
			pos = position(f.Source.Pos)
			typ = f.Type
		default:
			return pos
		}
	}
	return pos
}

// kindOf returns the kind of an object, or nil.
func (t *Target) kindOf(c *conversion) *conversions.Kind {
	for _, k := range t.model.Kinds {
		if k.Group == c.request.Group && k.Name == c.request.Kind {
			return k
		}
	}
	return nil
}

// spokeOf returns a version that is not the hub, or nil.
func spokeOf(k *conversions.Kind, name string) *conversions.Version {
	if i := slices.IndexFunc(k.Spokes, func(v *conversions.Version) bool { return v.Name == name }); i >= 0 {
		return k.Spokes[i]
	}
	return nil
}

// counterpart returns the path in the target of a pair for one in its source.
func counterpart(p *conversions.Pair, way conversions.Direction, path []structural.Step) (out []structural.Step) {
	for _, u := range p.Units {
		source, target := u.Fields(way)
		for _, list := range source {
			begins := len(list) > 0 && len(list) <= len(path) && slices.EqualFunc(list, path[:len(list)],
				func(f *conversions.Field, s structural.Step) bool { return f.JSON == s.Field })
			if !begins || u.Presence() {
				continue
			}
			for _, f := range target[0] {
				out = append(out, structural.Step{Field: f.JSON, Index: -1})
			}
			rest := path[len(list):]
			for r := u.Rule; r != nil && u.Hook == nil && len(rest) > 0 && len(out) > 0; r = r.Elem {
				switch shape := r.Spoke.Shape; {
				case r.Pair != nil:
					return append(out, counterpart(r.Pair, way, rest)...)
				case r.Elem != nil && shape == r.Hub.Shape && (shape == conversions.List || shape == conversions.Map):
					out = append(out, rest[0])
					rest = rest[1:]
				case slices.Contains([]string{"equal", "renamed", "moved"}, r.Name):
					return append(out, rest...)
				case r.Codec() != "":
					return out
				}
			}
			return out
		}
	}
	return nil
}
