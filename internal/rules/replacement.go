package rules

import (
	"slices"

	"github.com/schemagen/schemagen/unions"
)

// Replacement is the markers of Go source that replace rules.
type Replacement struct {
	// Markers together refuse what the rules refuse. Each is written on its own; those of kind [Modes] may
	// have the same discriminator.
	Markers []Marker
	// Bounded are fields that need a minimum size, because the rules take an empty value for none, and the
	// markers do not. Accepted is an object that the rules accept, and a minimum refuses. If there are no such
	// fields, the markers accept the same objects as the rules.
	Bounded  []string
	Accepted map[string]any
}

// replacement returns how markers with the meaning of the rules are written; nil if they cannot be.
func (t *Table) replacement(found []Marker) *Replacement {
	if len(found) == 0 {
		return nil
	}
	out := &Replacement{}
	for _, m := range found {
		out.Markers = append(out.Markers, t.written(m, found)...)
	}
	for _, m := range out.Markers {
		d := t.self.child(m.Discriminator)
		if m.Kind == Modes && (d.schema.Nullable || len(d.children) > 0) {
			return nil
		}
		for _, member := range m.Members {
			p := t.self.child(member.Name)
			switch {
			case m.Kind == Required || t.isCounted(m, p) || slices.Contains(out.Bounded, p.step):
			case !isBoundable(p):
				return nil
			default:
				out.Bounded = append(out.Bounded, p.step)
			}
		}
	}
	isEmptied := func(r row) bool {
		return slices.ContainsFunc(out.Bounded, func(name string) bool {
			p := t.self.child(name)
			class := r.classes[slices.Index(t.columns, p)]
			return class != absent && (len(p.choices) == 1 || t.uses[p].isEmpty(p.choices[class]))
		})
	}
	if i := slices.IndexFunc(t.accepted, isEmptied); i >= 0 && len(out.Bounded) > 0 {
		out.Accepted = t.object(t.accepted[i])
		for _, name := range out.Bounded {
			if _, ok := out.Accepted[name]; ok && len(t.self.child(name).choices) == 1 {
				out.Accepted[name] = emptyOf(t.self.child(name).schema.Type)
			}
		}
	}
	return out
}

// emptyOf returns the empty value of a type.
func emptyOf(schemaType string) any {
	switch schemaType {
	case "string":
		return ""
	case "array":
		return []any{}
	}
	return map[string]any{}
}

// written returns the markers that are written for a marker of a meaning: pairs that exclude each other for at most
// one member that is not empty, and modes for a union on whose discriminator other fields depend.
func (t *Table) written(m Marker, found []Marker) []Marker {
	var out []Marker
	isMode := func(other Marker) bool { return other.Kind == Modes && other.Discriminator == m.Discriminator }
	switch {
	case m.Kind == Discriminated && slices.ContainsFunc(found, isMode):
		for _, member := range m.Members {
			out = append(out, Marker{Kind: Modes, Discriminator: m.Discriminator, Members: []unions.Member{member}})
		}
		return out
	case m.Kind == AtMostOne && m.Nonempty:
		for i, member := range m.Members {
			for _, other := range m.Members[i+1:] {
				out = append(out, Marker{Kind: Excludes, Members: []unions.Member{member, other}})
			}
		}
		isUncounted := func(member unions.Member) bool { return !t.isCounted(out[0], t.self.child(member.Name)) }
		if !slices.ContainsFunc(m.Members, isUncounted) {
			return out
		}
	}
	return []Marker{m}
}

// isCounted reports whether a marker takes the same values of a field for set as the rules do. Kubernetes' tags
// take the zero value of a field for none, unless it is a pointer in Go.
func (t *Table) isCounted(m Marker, p *part) bool {
	readsZero := t.uses[p].readsValue() && slices.ContainsFunc(p.choices, t.uses[p].isEmpty)
	switch m.Kind {
	case Requires, Excludes, Modes:
		isTested := unions.Nonzero(p.schema) != ""
		return !p.schema.Nullable && readsZero == isTested
	}
	return !readsZero
}

// isBoundable reports whether a minimum size refuses the empty value of a field.
func isBoundable(p *part) bool {
	return !p.schema.Nullable && slices.Contains([]string{"string", "array", "object"}, p.schema.Type)
}
