package conversions

import (
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

	// fate is what becomes of a field that only one version has, and alone is set for one.
	fate  Fate
	alone bool
}

// Note returns what a finding says of Pos.
func (c Converted) Note() string {
	if c.alone {
		return "declared here: " + c.fate.String()
	}
	return "converted here: " + c.Rule
}

// Of returns what converts the field at a path in objects of a version to another one. Between
// two spokes, that is what converts it to the hub.
func (m *Model) Of(group, name, from, to string, path []structural.Step) Converted {
	kind := m.kindOf(group, name)
	if kind == nil || kind.incomplete || !m.isGenerated(kind) {
		return Converted{}
	}
	up := from != kind.Hub.Name
	spoke := kind.spoke(to)
	if up {
		spoke = kind.spoke(from)
	}
	if spoke == nil {
		return Converted{}
	}
	u := spoke.Pair.unitAt(up, path)
	if u == nil {
		return Converted{}
	}
	out := Converted{Rule: u.RuleName(), Reason: u.Reason, Pos: diag.PositionOf(m.fset, u.Pos), fate: u.Down, alone: u.alone()}
	if up {
		out.fate = u.Up
	}
	return out
}

// unitAt returns the unit that converts the field at a path, or nil.
func (p *Pair) unitAt(up bool, path []structural.Step) *Unit {
	for _, u := range p.Units {
		for _, list := range u.Side(up) {
			if len(list) == 0 || len(list) > len(path) || u.set && len(list) < len(path) || !begins(path, list) {
				continue
			}
			rest := path[len(list):]
			for r := u.Rule; r != nil && r.op != opHook && len(rest) > 0; r = r.Elem {
				side := r.Hub
				if up {
					side = r.Spoke
				}
				switch {
				case r.op == opStruct:
					return r.Pair.unitAt(up, rest)
				case side.Shape == List || side.Shape == Map:
					rest = rest[1:]
				}
			}
			return u
		}
	}
	return nil
}
