package conversions

import (
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Source returns the path, in objects of the version from, of what is converted to the value at a
// path in those of the version to. Where it is not known, it is the path of what contains it.
func (m *Model) Source(group, name, from, to string, path []structural.Step) []structural.Step {
	kind := m.kindOf(group, name)
	if kind == nil || kind.incomplete || !m.isGenerated(kind) {
		return nil
	}
	if spoke := kind.spoke(to); spoke != nil {
		path = spoke.Pair.counterpart(true, path)
	}
	if spoke := kind.spoke(from); spoke != nil {
		path = spoke.Pair.counterpart(false, path)
	}
	return path
}

// Declared returns the position of the Go field of the value at a path in objects of a version, or
// of what contains it. There is none for a kind that the packages do not have.
func (m *Model) Declared(group, name, version string, path []structural.Step) (at diag.Position) {
	kind := m.kindOf(group, name)
	if kind == nil {
		return at
	}
	v := kind.Hub
	if v.Name != version {
		v = kind.spoke(version)
	}
	if v == nil {
		return at
	}
	at = diag.PositionOf(m.fset, v.Type.Decl.Spec.Name.Pos())
	t := v.Type
	for _, step := range path {
		switch t = t.base(); t.Shape {
		case List, Map:
			t = t.Elem
		case Struct:
			m.types.fields(t)
			f := t.Field(step.Field)
			if f == nil || f.Meta {
				return at
			}
			at, t = diag.PositionOf(m.fset, f.pos()), f.Type
		default:
			return at
		}
	}
	return at
}

func (m *Model) kindOf(group, name string) *Kind {
	if i := slices.IndexFunc(m.Kinds, func(k *Kind) bool { return k.Group == group && k.Name == name }); i >= 0 {
		return m.Kinds[i]
	}
	return nil
}

// spoke returns a version that is not the hub, or nil.
func (k *Kind) spoke(name string) *Version {
	if i := slices.IndexFunc(k.Spokes, func(v *Version) bool { return v.Name == name }); i >= 0 {
		return k.Spokes[i]
	}
	return nil
}

// counterpart returns the path on the other side of the pair for one on this side, which is that
// of the spoke if spoke is set.
func (p *Pair) counterpart(spoke bool, path []structural.Step) (out []structural.Step) {
	for _, u := range p.Units {
		for _, list := range u.Side(spoke) {
			if len(list) == 0 || u.set || !begins(path, list) {
				continue
			}
			for _, f := range u.Side(!spoke)[0] {
				out = append(out, structural.Step{Field: f.JSON, Index: -1})
			}
			rest := path[len(list):]
			for r := u.Rule; r != nil && len(rest) > 0 && len(out) > 0; r = r.Elem {
				switch r.op {
				case opStruct:
					return append(out, r.Pair.counterpart(spoke, rest)...)
				case opList, opMap:
					out, rest = append(out, rest[0]), rest[1:]
				case opSame, opCast:
					return append(out, rest...)
				case opPointer, opWrap:
				default:
					return out
				}
			}
			return out
		}
	}
	return nil
}

// begins reports whether a path begins with fields.
func begins(path []structural.Step, fields []*Field) bool {
	return len(path) >= len(fields) && slices.EqualFunc(fields, path[:len(fields)], func(f *Field, s structural.Step) bool { return f.JSON == s.Field })
}
