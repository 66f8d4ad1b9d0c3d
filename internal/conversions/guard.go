package conversions

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
)

// guard adds the guards of a marker on a field of the spoke to the unit of the field. m may
// be nil.
func (w *pairing) guard(m *markers.Marker, f *Field, units []*Unit) {
	if m == nil {
		return
	}
	i := slices.IndexFunc(units, func(u *Unit) bool { return !u.set && u.Hook == nil && u.Derived == nil })
	if i < 0 {
		w.fail(noRule, m.Pos, f.Pkg, "", "+%s: no value of %s %s is kept here", m.Name, w.spoke.Name, f.JSON)
		return
	}
	w.addGuards(m, m.Value.(markers.Convert).Value, f, units[i])
}

// addGuards adds fields of the hub to the guards of a unit.
func (w *pairing) addGuards(m *markers.Marker, list string, field *Field, u *Unit) {
	u.guard = m
	for _, text := range m.Value.(markers.Convert).List(list) {
		target, ok := w.target(text, 0)
		if !ok {
			w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, "write the marker further out, where the field is", "+%s: %s leads out of the struct", m.Name, text)
			continue
		}
		path := w.resolve(target, m, field)
		switch {
		case path == nil:
		case len(u.Hub) > 0 && under(path, u.Hub):
			w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, "", "+%s: %s cannot guard the field that it is in", m.Name, text)
		default:
			u.Guards = append(u.Guards, path)
		}
	}
}

// rankGuards orders the units with guards, and reports guards that guard each other.
func (w *pairing) rankGuards() {
	var guarded []*Unit
	for _, u := range w.Units {
		if len(u.Guards) > 0 {
			guarded = append(guarded, u)
		}
	}
	for range guarded {
		for _, u := range guarded {
			for _, other := range guarded {
				if other != u && u.guardedBy(other) {
					u.rank = max(u.rank, other.rank+1)
				}
			}
		}
	}
	for _, u := range guarded {
		cyclic := u.rank >= len(guarded) && slices.ContainsFunc(guarded, func(other *Unit) bool { return other.guardedBy(u) })
		if cyclic && u.guard != nil {
			w.fail(noRule, u.guard.Pos, w.Spoke.Decl.Pkg, "", "+%s: the guards of %s depend on each other", u.guard.Name, w.in(slices.Concat(u.Hub, u.Spoke)[:1]))
			break
		}
	}
}

// guardedBy reports whether a guard of the unit is a field of another one, or below it.
func (u *Unit) guardedBy(other *Unit) bool {
	return slices.ContainsFunc(u.Guards, func(guard []*Field) bool {
		return len(other.Hub) > 0 && strings.HasPrefix(dotted(guard)+".", dotted(other.Hub)+".")
	})
}

// idleGuards reports guards of fields of which nothing is kept.
func (p *pairer) idleGuards() {
	for _, pair := range p.model.Pairs {
		for _, u := range pair.Units {
			if u.guard != nil && u.Up != Kept && u.Down != Kept {
				p.reporter.Report(noRule, pair.Spoke.Decl.Pkg.At(u.guard.Pos), "remove the marker", "+%s has no effect: nothing of %s is kept", u.guard.Name, dotted(slices.Concat(u.Spoke, u.Hub)[:1]))
			}
		}
	}
}

// union adds the unit of a discriminator that only the hub has.
func (w *pairing) union(m *markers.Marker, field *Field) {
	if u := w.derive(m, field, &Derived{Name: "union", union: m}); u != nil {
		if t := u.Hub[len(u.Hub)-1].Type; pointed(t).Shape != String {
			w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, "", "+%s: %s %s is of type %s, not a string", m.Name, w.hubName(), w.in(u.Hub), t.Label())
			u.Derived.union = nil
		}
	}
}

// findMembers finds the members of the unions whose discriminators the spoke does not have.
func (w *pairing) findMembers() {
	for _, unit := range w.Units {
		if unit.Derived == nil || unit.Derived.union == nil {
			continue
		}
		marker := unit.Derived.union
		outer := unit.Hub[:len(unit.Hub)-1]
		t := w.Hub
		if len(outer) > 0 {
			t = outer[len(outer)-1].Type.Base()
		}
		found := false
		for _, marked := range w.unions.Of(t.Decl) {
			if marked.Union.Discriminator != unit.Hub[len(unit.Hub)-1].JSON {
				continue
			}
			found = true
			var none []string
			for _, v := range marked.Union.Values {
				if v.Member == "" {
					none = append(none, v.Name)
				}
			}
			switch {
			case len(none) == 1:
				unit.Derived.None = none[0]
			case len(none) > 1:
				w.fail(noRule, marker.Pos, w.Spoke.Decl.Pkg, "convert the fields with +schemagen:convert:func", "+%s: several values of %s have no member: %q", marker.Name, w.in(unit.Hub), none)
			}
			for _, member := range marked.Union.Members {
				path := append(slices.Clone(outer), t.Field(member.Name))
				i := slices.IndexFunc(w.Units, func(other *Unit) bool {
					return other.Rule != nil && other.Hook == nil && samePath(other.Hub, path)
				})
				if i >= 0 {
					unit.Derived.Members = append(unit.Derived.Members,
						UnionMember{Value: member.Value, Spoke: w.Units[i].Spoke, Hub: path})
				}
			}
		}
		switch {
		case !found:
			w.fail(noRule, marker.Pos, w.Spoke.Decl.Pkg, "mark the discriminator with +unionDiscriminator, and the members with +unionMember", "+%s: %s %s is not the discriminator of a union", marker.Name, w.hubName(), w.in(unit.Hub))
		case len(unit.Derived.Members) == 0:
			w.fail(noRule, marker.Pos, w.Spoke.Decl.Pkg, "write the marker above the struct with the members", "+%s: no member of the union has a counterpart in %s", marker.Name, w.Spoke.Label())
		}
	}
}
