package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// enforced returns the unions of an object that a server enforces, that is, those expressed
// by its rules and branches.
func enforced(s *structural.Schema) []unions.Union {
	plain := *s
	plain.XUnions = nil
	plain.Properties = slices.Clone(s.Properties)
	for i, p := range plain.Properties {
		if len(p.Schema.XUnionMembers) > 0 {
			bare := *p.Schema
			bare.XUnionMembers = nil
			plain.Properties[i].Schema = &bare
		}
	}
	return unions.Of(&plain)
}

// unions compares the unions of an object. It returns the fields that remain
// discriminators: the values of their enums belong to the unions.
func (c *comparer) unions(pair nodePair) []string {
	old := enforced(pair.old)
	new := enforced(pair.new)
	if len(old) == 0 && len(new) == 0 {
		return nil
	}
	c.unguarded(pair, new)
	var discriminators []string
	taken := make([]bool, len(old))
	for i := range new {
		index := counterpart(&new[i], old, taken)
		if index < 0 {
			c.tighten(pair, "", Change{Kind: changekind.UnionAdded, New: unionText(&new[i]), Reason: "objects that violate the union are rejected"})
			continue
		}
		taken[index] = true
		u := unionPair{comparer: c, node: pair, old: &old[index], new: &new[i]}
		if new[i].Discriminator != "" {
			discriminators = append(discriminators, new[i].Discriminator)
			u.discriminated()
		} else {
			u.undiscriminated()
		}
	}
	for i := range old {
		if !taken[i] {
			c.loosen(pair, "", Change{Kind: changekind.UnionRemoved, Old: unionText(&old[i]), Reason: "clients may read objects with any set of members"})
		}
	}
	if len(unions.WithoutRules(pair.old)) != len(pair.old.XValidations) != (len(unions.WithoutRules(pair.new)) != len(pair.new.XValidations)) && len(discriminators) > 0 {
		c.loosen(pair, "", Change{Kind: changekind.UnionFormChanged, Reason: "the union is expressed differently; error messages may change"})
	}
	return discriminators
}

// unguarded adds new union rules that read an optional discriminator without checking that
// it is set: they fail for objects without it, which the union allows.
func (c *comparer) unguarded(p nodePair, new []unions.Union) {
	added := rulesWithout(p.new.XValidations, p.old.XValidations)
	// Rules that are not a union's own are compared as rules.
	added = rulesWithout(added, unions.WithoutRules(p.new))
	if len(added) == 0 {
		return
	}
	oldRules := c.beforeRules(p)
	for _, rule := range added {
		for i := range new {
			name, ok := celtext.Name(new[i].Discriminator)
			if ok && new[i].MayBeAbsent() && strings.Contains(rule.Rule, "self."+name+" ==") && !strings.Contains(rule.Rule, "has(self."+name+") &&") {
				c.ruleAdded(p, rule, oldRules, "")
			}
		}
	}
}

// counterpart returns the index of the old union that corresponds to a new one, or -1: the
// one with the same discriminator, or the one that shares most members.
func counterpart(u *unions.Union, old []unions.Union, taken []bool) int {
	best := -1
	shared := 0
	for i := range old {
		if taken[i] || old[i].Discriminator != u.Discriminator {
			continue
		}
		if u.Discriminator != "" {
			return i
		}
		n := 0
		for _, m := range u.Members {
			if memberOf(&old[i], m.Name) {
				n++
			}
		}
		if n > shared {
			best = i
			shared = n
		}
	}
	return best
}

func memberOf(u *unions.Union, name string) bool {
	return slices.ContainsFunc(u.Members, func(m unions.Member) bool { return m.Name == name })
}

// unionText returns a description of a union.
func unionText(u *unions.Union) string {
	var names []string
	for _, m := range u.Members {
		names = append(names, m.Name)
	}
	text := strings.Join(names, ", ")
	if u.Discriminator != "" {
		text += " by " + u.Discriminator
	}
	return text
}

// unionPair is a union in both schemas of an object.
type unionPair struct {
	*comparer
	node     nodePair
	old, new *unions.Union
}

// existed reports whether objects could have the field before without it being a member.
func (u unionPair) existed(name string) bool {
	return !memberOf(u.old, name) && (u.node.old.Property(name) != nil || keepsUnknown(u.node.old))
}

// discriminated compares which member each value selects. Values that are added or removed
// are reported at the discriminator.
func (u unionPair) discriminated() {
	for _, value := range u.new.Values {
		new := selected(u.new, value.Name)
		if !u.old.HasValue(value.Name) {
			if new != nil && (u.existed(new.Name) || memberOf(u.old, new.Name)) {
				u.tighten(u.node, "", Change{Kind: changekind.UnionMemberMoved, New: memberText(u.new, new),
					Reason: fmt.Sprintf("%s could be set along with other values", new.Name)})
			}
			continue
		}
		u.value(value.Name, selected(u.old, value.Name), new)
	}
	for _, m := range u.old.Members {
		if !memberOf(u.new, m.Name) && !u.new.HasValue(m.Value) && u.node.new.Property(m.Name) != nil {
			u.loosen(u.node, "", Change{Kind: changekind.UnionMemberRemoved, Old: memberText(u.old, &m), Reason: fmt.Sprintf("%s may be set with every value", m.Name)})
		}
	}
}

// value compares the members that a value selected and selects; nil means none.
func (u unionPair) value(value string, old, new *unions.Member) {
	change := Change{Old: memberText(u.old, old), New: memberText(u.new, new)}
	switch {
	case old == nil && new == nil:
	case old == nil:
		change.Kind = changekind.UnionMemberAdded
		switch {
		case !new.Optional:
			change.Reason = fmt.Sprintf("objects with %s %q but without %s are rejected", u.new.Discriminator, value, new.Name)
			u.tighten(u.node, "", change)
		case u.existed(new.Name):
			change.Reason = fmt.Sprintf("objects with %s and a %s other than %q are rejected", new.Name, u.new.Discriminator, value)
			u.tighten(u.node, "", change)
		default:
			change.Reason = fmt.Sprintf("clients may read objects with %s and %q", new.Name, value)
			u.loosen(u.node, "", change)
		}
	case new == nil:
		change.Kind = changekind.UnionMemberRemoved
		if memberOf(u.new, old.Name) || u.node.new.Property(old.Name) == nil {
			change.Reason = fmt.Sprintf("objects with %s %q and %s are rejected, or lose that field", u.new.Discriminator, value, old.Name)
			u.tighten(u.node, "", change)
			return
		}
		change.Reason = fmt.Sprintf("%s may be set with every value", old.Name)
		u.loosen(u.node, "", change)
	case old.Name != new.Name:
		change.Kind = changekind.UnionMemberMoved
		change.Reason = fmt.Sprintf("%q selects a different member, so objects with %s are rejected", value, old.Name)
		u.tighten(u.node, "", change)
	case old.Optional && !new.Optional:
		change.Kind = changekind.UnionMemberRequired
		change.Reason = fmt.Sprintf("objects with %s %q but without %s are rejected", u.new.Discriminator, value, new.Name)
		u.tighten(u.node, "", change)
	case new.Optional && !old.Optional:
		change.Kind = changekind.UnionMemberOptional
		change.Reason = fmt.Sprintf("clients may read objects with %s %q but without %s", u.new.Discriminator, value, new.Name)
		u.loosen(u.node, "", change)
	}
}

func (u unionPair) undiscriminated() {
	if u.old.AtMostOne && !u.new.AtMostOne {
		u.tighten(u.node, "", Change{Kind: changekind.UnionMemberRequired, New: unionText(u.new), Reason: "objects without any member are rejected"})
	}
	if u.new.AtMostOne && !u.old.AtMostOne {
		u.loosen(u.node, "", Change{Kind: changekind.UnionMemberOptional, New: unionText(u.new), Reason: "clients may read objects without any member"})
	}
	for _, m := range u.new.Members {
		switch change := (Change{Kind: changekind.UnionMemberAdded, New: m.Name}); {
		case memberOf(u.old, m.Name):
		case u.existed(m.Name):
			change.Reason = fmt.Sprintf("objects with %s and another member are rejected", m.Name)
			u.tighten(u.node, "", change)
		default:
			change.Reason = fmt.Sprintf("clients may read objects with %s and without the members that they know", m.Name)
			u.loosen(u.node, "", change)
		}
	}
	for _, m := range u.old.Members {
		switch change := (Change{Kind: changekind.UnionMemberRemoved, Old: m.Name}); {
		case memberOf(u.new, m.Name):
		case !u.new.AtMostOne:
			change.Reason = fmt.Sprintf("objects with %s but no other member are rejected", m.Name)
			u.tighten(u.node, "", change)
		default:
			change.Reason = fmt.Sprintf("%s may be set along with the members", m.Name)
			u.loosen(u.node, "", change)
		}
	}
}

// selected returns the member that a value selects, or nil.
func selected(u *unions.Union, value string) *unions.Member {
	if index := u.Selected(value); index >= 0 {
		return &u.Members[index]
	}
	return nil
}

// memberText returns a description of a member of a union.
func memberText(u *unions.Union, m *unions.Member) string {
	if m == nil {
		return ""
	}
	text := fmt.Sprintf("%s %q: %s", u.Discriminator, m.Value, m.Name)
	if m.Optional {
		text += ", optional"
	}
	return text
}
