package conversions

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// settleFates determines what each unit can lose. A struct loses what its fields lose, and
// structs may contain themselves, so it repeats until nothing changes.
func settleFates(pairs []*Pair) {
	for again := true; again; {
		again = false
		for _, p := range pairs {
			for _, u := range p.Units {
				if u.Rule != nil {
					up := u.settledFate(ToHub())
					down := u.settledFate(FromHub())
					again = again || up != u.Up || down != u.Down
					u.Up = up
					u.Down = down
				}
				if u.Up == Kept || u.Down == Kept {
					again = again || !p.Loses
					p.Loses = true
				}
			}
		}
	}
}

// settledFate returns what happens to values in a direction, from what is known about structs below.
func (u *Unit) settledFate(way Direction) Outcome {
	switch {
	case !u.Rule.loses(way):
		return Lossless
	case u.Reason != "":
		return Dropped
	}
	return Kept
}

// drops reports whether a field of a struct that the rule converts, or below it, is dropped.
func (r *Rule) drops() bool {
	return slices.ContainsFunc(r.pairs(nil), func(p *Pair) bool {
		return slices.ContainsFunc(p.Units, func(u *Unit) bool { return u.Up == Dropped || u.Down == Dropped })
	})
}

// Loses reports whether the unit itself loses something in a direction, not only structs below it.
func (u *Unit) Loses(way Direction) bool { return u.Rule == nil || u.Rule.losesItself(way) }

// loses reports whether a value of the source, or of a field of a struct in it, may not come back.
func (r *Rule) loses(way Direction) bool {
	isLossy := func(u *Unit) bool { return u.fate(way) != Lossless }
	for below := r; below != nil; below = below.Elem {
		if below.op == opStruct && slices.ContainsFunc(below.Pair.Units, isLossy) {
			return true
		}
	}
	return r.losesItself(way)
}

// losesItself reports whether a value of the source may not come back. What fields of structs lose does
// not count.
func (r *Rule) losesItself(way Direction) bool {
	source, target := r.sides(way)
	if r.empties(way) {
		return true
	}
	switch r.op {
	case opSame, opCast:
		return false
	case opInteger:
		return !holds(target, source)
	case opPointer:
		return r.Elem.losesItself(way) || r.shared()
	case opList, opMap:
		return r.Elem.losesItself(way)
	case opLabel, opAnnotation:
		return true // an empty one, and one that the hub has of its own
	case opKeyed:
		return source.Shape == List || r.Elem.losesItself(way) // its order, and elements with equal keys
	case opWrap:
		zero := source.Shape == Pointer && !r.Required // it points to zero
		if r.collection() {
			zero = zero && r.omitEmpty
		}
		return zero || r.omits(way) || r.Elem.losesItself(way)
	case opStruct:
		return r.omits(way)
	case opCodec:
		return codecLoses(r.Name, source, target)
	}
	return true
}

// empties reports whether an empty list or map of the source would come back as null.
func (r *Rule) empties(way Direction) bool {
	empties, _ := Sides(way, r.emptyUp, r.emptyDown)
	return empties
}

// onlyEmpties reports whether that is all that the rule loses in a direction.
func (r *Rule) onlyEmpties(way Direction) bool {
	other := *r
	other.emptyUp = false
	other.emptyDown = false
	return r.empties(way) && !other.loses(way)
}

// writesEmpty reports whether the JSON of a field tells an empty list or map from none.
func writesEmpty(f *Field, s *structural.Schema) bool {
	switch f.Type.Shape {
	case List, Map, Bytes:
		none := func(n *int64) bool { return n == nil || *n == 0 }
		may := s == nil || s.ValueValidation == nil || none(s.MinItems) && none(s.MinProperties) && none(s.MinLength)
		return may && !f.Source.JSON().Has("omitempty")
	}
	return false
}

// leavesOutEmpty reports whether a field with an empty list or map is left out of the JSON.
func leavesOutEmpty(f *Field) bool {
	switch f.Type.Shape {
	case List, Map, Bytes:
		return f.Source.JSON().Has("omitempty")
	}
	return false
}

// shared reports whether the rule is for pointers to structs, of which other units convert
// some fields: whether the pointers are set does not depend on these.
func (r *Rule) shared() bool {
	return r.op == opPointer && r.Elem.op == opStruct && len(r.Elem.Pair.takenSpoke)+len(r.Elem.Pair.takenHub) > 0
}

// codecLoses reports whether a codec may not give a value back.
func codecLoses(codec string, source, target *Type) bool {
	switch codec {
	case "not":
		return false
	case "seconds", "milliseconds", "minutes":
		return source.ID == durationID || source.Size() == 64
	case "json":
		return source.Shape == String // of which there are many for one value
	case "string", "quantity", "intOrString":
		return source.Shape != Int && source.Shape != Bool
	case "single":
		return true
	}
	return true
}

// holds reports whether an integer type has all values of another one.
func holds(t, other *Type) bool {
	if t.Shape == Uint {
		return other.Shape == Uint && t.Size() >= other.Size()
	}
	return t.Size() > other.Size() || t.Size() == other.Size() && other.Shape == Int
}

// uncheckedRules reports rules of kept values that are not checked.
func (p *pairer) uncheckedRules() {
	for _, pair := range p.model.Pairs {
		for _, u := range pair.Units {
			if u.set || pair.ofKind.Equal {
				continue
			}
			if u.Down == Kept && len(u.Hub) > 0 && u.leaf() {
				p.unchecked(u.Hub, p.below(pair.Hubward, u.Hub))
			}
			if u.Up == Kept && len(u.Spoke) > 0 && u.leaf() {
				p.unchecked(u.Spoke, p.below(pair.Spokeward, u.Spoke))
			}
		}
	}
}

// leaf reports whether the values of the unit are kept as they are.
func (u *Unit) leaf() bool {
	if u.Rule == nil || u.Hook != nil {
		return true
	}
	return !u.Rule.carries() && !u.Rule.isPresence()
}

// carries reports whether structs below a rule lose something, or it keeps the order of a list.
func (r *Rule) carries() bool {
	for ; r != nil; r = r.Elem {
		if r.op == opStruct && r.Pair.Loses || r.op == opKeyed {
			return true
		}
	}
	return false
}

// isPresence reports whether all that the rule can lose is that a list or a map behind a pointer is
// there but empty.
func (r *Rule) isPresence() bool {
	return r.collection() && !r.Elem.loses(ToHub()) && !r.Elem.loses(FromHub())
}

// collection reports whether the rule is for a list or a map and a pointer to it.
func (r *Rule) collection() bool {
	shape := pointed(r.Spoke).Shape
	return r.op == opWrap && (shape == List || shape == Map)
}

func (p *pairer) unchecked(path []*Field, s *structural.Schema) {
	found := uncheckedKeywords(s)
	if len(found) == 0 {
		return
	}
	f := path[len(path)-1]
	p.fail(uncheckedRules, f.Pos(), f.Pkg, "", "values of %s that are kept in an annotation are not checked against %s", dotted(path), strings.Join(found, ", "))
}
