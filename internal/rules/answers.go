package rules

import (
	"slices"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
)

// group is rules of an object that read the same columns, or columns of each other's rules. Each
// column is read by one group only.
type group struct {
	// rules are indexes, in order.
	rules  []int
	fields []string
}

// table returns the table of the rules of a group, which are some of a list; nil as [newTable].
func (g group) table(s *structural.Schema, list []structural.Rule) *Table {
	var rules []structural.Rule
	for _, i := range g.rules {
		rules = append(rules, list[i])
	}
	return newTable(s, rules)
}

// grouped returns the rules of an object in groups, and the indexes of those that cannot be read
// exactly.
func grouped(s *structural.Schema, list []structural.Rule) (groups []group, unread []int) {
	for i, rule := range list {
		r := newReader(s)
		if !r.readRule(rule) || !r.setChoices() {
			unread = append(unread, i)
			continue
		}
		joined := group{rules: []int{i}}
		for _, column := range r.self.children {
			joined.fields = append(joined.fields, column.step)
		}
		groups = slices.DeleteFunc(groups, func(known group) bool {
			isJoined := func(field string) bool { return slices.Contains(joined.fields, field) }
			isShared := slices.ContainsFunc(known.fields, isJoined)
			if isShared {
				joined.rules = append(joined.rules, known.rules...)
				joined.fields = slices.Compact(slices.Sorted(slices.Values(slices.Concat(joined.fields, known.fields))))
			}
			return isShared
		})
		slices.Sort(joined.rules)
		groups = append(groups, joined)
	}
	return groups, unread
}

// SameAnswers reports whether new rules accept the same objects of a schema as old ones, and for how
// many combinations of what they read this was proved. It is false if that is not known, and if a new
// rule fails where the old rules only refuse: the server lets updates keep a value that a rule
// refuses, but none for which a rule fails.
func SameAnswers(s *structural.Schema, old, new []structural.Rule) (combinations int, same bool) {
	list := slices.Concat(old, new)
	groups, unread := grouped(s, list)
	for _, i := range unread {
		others := new
		if i >= len(old) {
			others = old
		}
		isEqual := func(r structural.Rule) bool {
			return r.Rule == list[i].Rule && ptr.Deref(r.OptionalOldSelf, false) == ptr.Deref(list[i].OptionalOldSelf, false)
		}
		if !slices.ContainsFunc(others, isEqual) {
			return 0, false
		}
	}
	for _, g := range groups {
		t := g.table(s, list)
		if t == nil {
			return 0, false
		}
		first := len(slices.DeleteFunc(slices.Clone(g.rules), func(i int) bool { return i >= len(old) }))
		for _, row := range t.rows {
			before := row.outcomes[:first]
			after := row.outcomes[first:]
			if isAccepted(before) != isAccepted(after) || hasFailure(after) && !hasFailure(before) {
				return 0, false
			}
		}
		combinations += len(t.rows)
	}
	return combinations, true
}
