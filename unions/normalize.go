package unions

import "github.com/schemagen/schemagen/structural"

// Normalize clears the members of new that KEP-1027 requires to be cleared, by the
// unions in the schema, and reports whether it changed anything. old is nil on create.
// It does not modify old, which must share no memory with new.
func Normalize(s *structural.Schema, old, new map[string]any) (changed bool) {
	return Compile(s, Options{}).Normalize(old, new)
}

// Normalize clears the members of new that KEP-1027 requires to be cleared, and
// reports whether it changed anything. old is nil on create. It does not modify old,
// which must share no memory with new.
func (p *Plan) Normalize(old, new map[string]any) (changed bool) {
	if p.root == nil {
		return false
	}
	return normalizer{opts: p.opts}.object(p.root, old, new)
}

// normalizer walks two objects in parallel.
type normalizer struct {
	opts Options
	// dry suppresses changes; the result reports whether there would be any.
	dry bool
}

func (z normalizer) value(n *node, old, new any) bool {
	if n.items != nil {
		previous, _ := old.([]any)
		current, _ := new.([]any)
		return z.list(n, previous, current)
	}
	oldMetadata, _ := old.(map[string]any)
	updated, _ := new.(map[string]any)
	return z.object(n, oldMetadata, updated)
}

// object works from the outside in, so that it does not descend into a cleared
// member. Without a counterpart, nothing in or below the object changes.
func (z normalizer) object(n *node, old, new map[string]any) bool {
	if old == nil || new == nil {
		return false
	}
	changed := false
	for i := range n.unions {
		if z.union(&n.unions[i], old, new) {
			changed = true
		}
	}
	for _, f := range n.fields {
		if changed && z.dry {
			return true
		}
		if value := new[f.name]; value != nil && z.value(f.node, old[f.name], value) {
			changed = true
		}
	}
	if n.values != nil {
		for key, value := range new {
			if n.field(key) == nil && z.value(n.values, old[key], value) {
				changed = true
			}
		}
	}
	return changed
}

// list searches for counterparts only if something would change. If the old element
// at the same index has the same keys, it is the counterpart, or there is none because
// the keys occur more than once: if it causes no change, there is none.
func (z normalizer) list(n *node, old, new []any) bool {
	if len(n.keys) == 0 || len(old) == 0 {
		return false
	}
	changed := false
	var found []any
	for i, element := range new {
		if found == nil {
			if i < len(old) && sameKeys(n.keys, old[i], element) &&
				!(normalizer{opts: z.opts, dry: true}).value(n.items, old[i], element) {
				continue
			}
			found = counterparts(n.keys, old, new)
		}
		if found[i] != nil && z.value(n.items, found[i], element) {
			if z.dry {
				return true
			}
			changed = true
		}
	}
	return changed
}

// union clears the members that a changed discriminator does not select: "it
// should clear all fields except the one pointed to by the discriminator if and
// only if the discriminator has been modified" (KEP-1027, Normalization).
func (z normalizer) union(u *union, old, new map[string]any) bool {
	if u.Discriminator == "" {
		return false
	}
	is := u.read(new)
	if is.sameAs(u.read(old)) {
		return false
	}
	// A discriminator that validation rejects clears nothing, so that no data is lost.
	selected, valid := u.selects(is)
	if !valid {
		return false
	}
	changed := false
	left := u.others(new, is, selected)
	for i, m := range u.Members {
		if left == 0 {
			break
		}
		if i == selected {
			continue
		}
		value, ok := new[m.Name]
		if ok {
			left--
		}
		if value == nil || z.opts.CarryOverOnly && old[m.Name] == nil {
			continue
		}
		if !z.dry {
			delete(new, m.Name)
		}
		changed = true
	}
	return changed
}
