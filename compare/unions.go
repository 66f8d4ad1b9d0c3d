package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// enforced are the unions of an object that a server enforces: those that its rules and
// branches say.
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

// unions compares the unions of an object. It returns the discriminators that stay
// discriminators: the values of their enum are those of the unions.
func (c *schemas) unions(p place) []string {
	old, new := enforced(p.old), enforced(p.new)
	if len(old) == 0 && len(new) == 0 {
		return nil
	}
	c.unguarded(p, new)
	var discriminators []string
	taken := make([]bool, len(old))
	for i := range new {
		at := counterpart(&new[i], old, taken)
		if at < 0 {
			c.tighten(p, "", Change{Kind: UnionAdded, New: unionText(&new[i]), Reason: "objects whose members do not fit are refused"})
			continue
		}
		taken[at] = true
		u := unionPair{schemas: c, place: p, old: &old[at], new: &new[i]}
		if new[i].Discriminator != "" {
			discriminators = append(discriminators, new[i].Discriminator)
			u.discriminated()
		} else {
			u.undiscriminated()
		}
	}
	for i := range old {
		if !taken[i] {
			c.loosen(p, "", Change{Kind: UnionRemoved, Old: unionText(&old[i]), Reason: "clients that read may meet any set of members"})
		}
	}
	if len(unions.WithoutRules(p.old)) != len(p.old.XValidations) != (len(unions.WithoutRules(p.new)) != len(p.new.XValidations)) && len(discriminators) > 0 {
		c.loosen(p, "", Change{Kind: UnionFormChanged, Reason: "the same is said in another way; a refusal may have other words"})
	}
	return discriminators
}

// unguarded notes rules of unions that read a discriminator which may be absent without
// asking whether it is there: they fail for objects without it, which the union does not say.
func (c *schemas) unguarded(p place, new []unions.Union) {
	kept := unions.WithoutRules(p.new)
	for _, rule := range apart(p.new.XValidations, p.old.XValidations) {
		if len(apart([]structural.Rule{rule}, kept)) == 0 {
			continue // it is compared as a rule
		}
		for i := range new {
			name, ok := structural.CELName(new[i].Discriminator)
			if ok && new[i].MayBeAbsent() && strings.Contains(rule.Rule, "self."+name+" ==") && !strings.Contains(rule.Rule, "has(self."+name+") &&") {
				c.ruleAdded(p, rule)
			}
		}
	}
}

// counterpart is the index of the old union that a new one was, -1 if it was none: that
// of the same discriminator, or one that shares members.
func counterpart(u *unions.Union, old []unions.Union, taken []bool) int {
	best, shared := -1, 0
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
			best, shared = i, n
		}
	}
	return best
}

func memberOf(u *unions.Union, name string) bool {
	return slices.ContainsFunc(u.Members, func(m unions.Member) bool { return m.Name == name })
}

// unionText is a union in words.
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
	*schemas
	place    place
	old, new *unions.Union
}

// existed reports whether objects could have the field before without it being a member.
func (u unionPair) existed(name string) bool {
	return !memberOf(u.old, name) && (propertyOf(u.place.old, name) != nil || keepsUnknown(u.place.old))
}

// discriminated compares what each value selects. Values that are gone, or that are
// more, are told at the discriminator.
func (u unionPair) discriminated() {
	for _, value := range u.new.Values {
		new := selected(u.new, value.Name)
		if !u.old.HasValue(value.Name) {
			if new != nil && (u.existed(new.Name) || memberOf(u.old, new.Name)) {
				u.tighten(u.place, "", Change{Kind: UnionMemberMoved, New: memberText(u.new, new),
					Reason: fmt.Sprintf("%s could be set beside other values", new.Name)})
			}
			continue
		}
		u.value(value.Name, selected(u.old, value.Name), new)
	}
	for _, m := range u.old.Members {
		if !memberOf(u.new, m.Name) && !u.new.HasValue(m.Value) && propertyOf(u.place.new, m.Name) != nil {
			u.loosen(u.place, "", Change{Kind: UnionMemberRemoved, Old: memberText(u.old, &m), Reason: fmt.Sprintf("%s may be set beside every value", m.Name)})
		}
	}
}

// value compares the members that a value selected and selects; nil is none.
func (u unionPair) value(value string, old, new *unions.Member) {
	change := Change{Old: memberText(u.old, old), New: memberText(u.new, new)}
	switch {
	case old == nil && new == nil:
	case old == nil:
		change.Kind = UnionMemberAdded
		switch {
		case !new.Optional:
			change.Reason = fmt.Sprintf("objects with %s %q and without %s are refused", u.new.Discriminator, value, new.Name)
			u.tighten(u.place, "", change)
		case u.existed(new.Name):
			change.Reason = fmt.Sprintf("objects with %s and another %s than %q are refused", new.Name, u.new.Discriminator, value)
			u.tighten(u.place, "", change)
		default:
			change.Reason = fmt.Sprintf("clients that read may meet %s beside %q", new.Name, value)
			u.loosen(u.place, "", change)
		}
	case new == nil:
		change.Kind = UnionMemberRemoved
		if memberOf(u.new, old.Name) || propertyOf(u.place.new, old.Name) == nil {
			change.Reason = fmt.Sprintf("objects with %s %q and %s are refused, or lose it", u.new.Discriminator, value, old.Name)
			u.tighten(u.place, "", change)
			return
		}
		change.Reason = fmt.Sprintf("%s may be set beside every value", old.Name)
		u.loosen(u.place, "", change)
	case old.Name != new.Name:
		change.Kind, change.Reason = UnionMemberMoved, fmt.Sprintf("%q selects another member: objects with %s are refused", value, old.Name)
		u.tighten(u.place, "", change)
	case old.Optional && !new.Optional:
		change.Kind, change.Reason = UnionMemberRequired, fmt.Sprintf("objects with %s %q and without %s are refused", u.new.Discriminator, value, new.Name)
		u.tighten(u.place, "", change)
	case new.Optional && !old.Optional:
		change.Kind, change.Reason = UnionMemberOptional, fmt.Sprintf("clients that read may meet %s %q without %s", u.new.Discriminator, value, new.Name)
		u.loosen(u.place, "", change)
	}
}

func (u unionPair) undiscriminated() {
	if u.old.AtMostOne && !u.new.AtMostOne {
		u.tighten(u.place, "", Change{Kind: UnionMemberRequired, New: unionText(u.new), Reason: "objects without any member are refused"})
	}
	if u.new.AtMostOne && !u.old.AtMostOne {
		u.loosen(u.place, "", Change{Kind: UnionMemberOptional, New: unionText(u.new), Reason: "clients that read may meet objects without any member"})
	}
	for _, m := range u.new.Members {
		switch change := (Change{Kind: UnionMemberAdded, New: m.Name}); {
		case memberOf(u.old, m.Name):
		case u.existed(m.Name):
			change.Reason = fmt.Sprintf("objects with %s and another member are refused", m.Name)
			u.tighten(u.place, "", change)
		default:
			change.Reason = fmt.Sprintf("clients that read may meet objects with %s, and without the members that they know", m.Name)
			u.loosen(u.place, "", change)
		}
	}
	for _, m := range u.old.Members {
		switch change := (Change{Kind: UnionMemberRemoved, Old: m.Name}); {
		case memberOf(u.new, m.Name):
		case !u.new.AtMostOne:
			change.Reason = fmt.Sprintf("objects with %s and no other member are refused", m.Name)
			u.tighten(u.place, "", change)
		default:
			change.Reason = fmt.Sprintf("%s may be set beside the members", m.Name)
			u.loosen(u.place, "", change)
		}
	}
}

// selected is the member that a value selects, nil if it selects none.
func selected(u *unions.Union, value string) *unions.Member {
	if at := u.Selected(value); at >= 0 {
		return &u.Members[at]
	}
	return nil
}

// memberText is a member of a union in words.
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
