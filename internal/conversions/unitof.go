package conversions

import (
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Converted is what converts a field of an object.
type Converted struct {
	// Rule is its name in [Model.Explain], and Reason why it is dropped. Both are empty if
	// the packages do not tell, because people wrote the conversions.
	Rule, Reason string
	// Pos is the position of the field of the spoke, or of the hub if that alone has it.
	Pos diag.Position
	// Unpaired is set if only one version has the field, and Outcome is what becomes of it.
	Unpaired bool
	Outcome  Outcome
}

// Of returns what converts the field at a path in objects of a version to another one. Between
// two spokes, that is what converts it to the hub.
func (m *Model) Of(group, name, source, target string, path []structural.Step) Converted {
	i := slices.IndexFunc(m.Kinds, func(k *Kind) bool { return k.Group == group && k.Name == name })
	if i < 0 || !m.IsGenerated(m.Kinds[i]) {
		return Converted{}
	}
	direction := ToHub()
	if source == m.Kinds[i].Hub.Name {
		direction = FromHub()
	}
	spoke, _ := Sides(direction, source, target)
	index := slices.IndexFunc(m.Kinds[i].Spokes, func(v *Version) bool { return v.Name == spoke })
	if index < 0 {
		return Converted{}
	}
	u := m.Kinds[i].Spokes[index].Pair.unitAt(direction, path)
	if u == nil {
		return Converted{}
	}
	return Converted{u.RuleName(), u.Reason, diag.PositionOf(m.fset, u.Pos), u.alone(), u.fate(direction)}
}

// unitAt returns the unit that converts the source's field at a path, or nil.
func (p *Pair) unitAt(way Direction, path []structural.Step) *Unit {
	for _, u := range p.Units {
		source, _ := u.Fields(way)
		for _, list := range source {
			if len(list) == 0 || len(list) > len(path) || u.set && len(list) < len(path) || !slices.EqualFunc(list,
				path[:len(list)], func(f *Field, s structural.Step) bool { return f.JSON == s.Field }) {
				continue
			}
			rest := path[len(list):]
			for r := u.Rule; r != nil && r.op != opHook && len(rest) > 0; r = r.Elem {
				switch list, _ := r.sides(way); {
				case r.op == opStruct:
					return r.Pair.unitAt(way, rest)
				case list.Shape == List || list.Shape == Map:
					rest = rest[1:]
				}
			}
			return u
		}
	}
	return nil
}
