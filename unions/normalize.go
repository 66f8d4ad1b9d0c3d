package unions

import "github.com/schemagen/schemagen/structural"

// Normalize clears from new what KEP-1027 says to clear, by the unions that the
// schema carries, and reports whether it changed anything. old is nil on create.
// It does not write to old, which must share no memory with new.
func Normalize(s *structural.Schema, old, new map[string]any) (changed bool) {
	return Compile(s, Options{}).Normalize(old, new)
}

// Normalize clears from new what KEP-1027 says to clear, and reports whether it
// changed anything. old is nil on create. It does not write to old, which must
// share no memory with new.
func (p *Plan) Normalize(old, new map[string]any) (changed bool) {
	if p.root == nil {
		return false
	}
	return p.root.normalizeObject(old, new, p.opts)
}

func (n *node) normalize(old, new any, opts Options) bool {
	if n.items != nil {
		before, _ := old.([]any)
		after, _ := new.([]any)
		return n.normalizeList(before, after, opts)
	}
	before, _ := old.(map[string]any)
	after, _ := new.(map[string]any)
	return n.normalizeObject(before, after, opts)
}

// normalizeObject goes from the outside in, so that a member that is cleared is
// not entered. Without a counterpart nothing in the object or below it changes.
func (n *node) normalizeObject(old, new map[string]any, opts Options) bool {
	if old == nil || new == nil {
		return false
	}
	changed := false
	for i := range n.unions {
		if n.unions[i].normalize(old, new, opts) {
			changed = true
		}
	}
	for _, f := range n.fields {
		if value := new[f.name]; value != nil && f.node.normalize(old[f.name], value, opts) {
			changed = true
		}
	}
	if n.values != nil {
		for key, value := range new {
			if n.field(key) == nil && n.values.normalize(old[key], value, opts) {
				changed = true
			}
		}
	}
	return changed
}

func (n *node) normalizeList(old, new []any, opts Options) bool {
	if len(n.keys) == 0 || len(old) == 0 || len(new) == 0 {
		return false
	}
	changed := false
	for i, before := range counterparts(n.keys, old, new) {
		if before != nil && n.items.normalize(before, new[i], opts) {
			changed = true
		}
	}
	return changed
}

// normalize clears the members that a changed discriminator does not select:
// "it should clear all fields except the one pointed to by the discriminator if
// and only if the discriminator has been modified" (KEP-1027, Normalization).
func (u *union) normalize(old, new map[string]any, opts Options) bool {
	if u.Discriminator == "" {
		return false
	}
	is := u.read(new)
	// A discriminator that validation refuses clears nothing: no data is lost first.
	if is.sameAs(u.read(old)) || !u.isValid(is) {
		return false
	}
	selected, changed := u.selected(is), false
	for i, m := range u.Members {
		if i == selected || new[m.Name] == nil || opts.CarryOverOnly && old[m.Name] == nil {
			continue
		}
		delete(new, m.Name)
		changed = true
	}
	return changed
}
