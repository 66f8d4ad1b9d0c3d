package rules

import (
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
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
	return newTable(s, g.of(list))
}

// of returns the rules of the group.
func (g group) of(list []structural.Rule) []structural.Rule {
	var out []structural.Rule
	for _, i := range g.rules {
		out = append(out, list[i])
	}
	return out
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

// Answers compares what old and new rules accept.
type Answers struct {
	// Same is set if they are known to accept the same objects, in each of a number of combinations of what
	// they read. It is not set if a new rule fails where the old rules only refuse: the server lets
	// updates keep a value that a rule refuses, but none for which a rule fails.
	Same         bool
	Combinations int
	// Refused has objects that the old rules accept, by the index of the new rule that refuses them.
	// Accepted has objects that the new rules accept, by the index of the old rule.
	Refused, Accepted map[int]map[string]any
}

// CompareAnswers compares what old and new rules of an object accept. A rule that cannot be read exactly
// has to be among both. New rules that also hold for updates of what was refused before count without that.
func CompareAnswers(s *structural.Schema, old, new []structural.Rule) Answers {
	out := Answers{Same: true, Refused: map[int]map[string]any{}, Accepted: map[int]map[string]any{}}
	list := slices.Clone(old)
	for _, rule := range new {
		isOld := slices.ContainsFunc(old, func(r structural.Rule) bool { return r.Rule == rule.Rule })
		condition, _, ok := strings.Cut(rule.Rule, celtext.Ratchet)
		if ok && !isOld && ptr.Deref(rule.OptionalOldSelf, false) {
			rule = structural.Rule{Rule: condition}
		}
		list = append(list, rule)
	}
	groups, unread := grouped(s, list)
	for _, i := range unread {
		others := new
		if i >= len(old) {
			others = old
		}
		isEqual := func(r structural.Rule) bool {
			return r.Rule == list[i].Rule && ptr.Deref(r.OptionalOldSelf, false) == ptr.Deref(list[i].OptionalOldSelf, false)
		}
		out.Same = out.Same && slices.ContainsFunc(others, isEqual)
	}
	for _, g := range groups {
		t := g.table(s, list)
		if t == nil {
			out.Same = false
			continue
		}
		first := len(slices.DeleteFunc(slices.Clone(g.rules), func(i int) bool { return i >= len(old) }))
		for _, row := range t.rows {
			before := row.outcomes[:first]
			after := row.outcomes[first:]
			switch {
			case isAccepted(before) && !isAccepted(after):
				t.keep(out.Refused, g.rules[first:], len(old), row, after)
			case !isAccepted(before) && isAccepted(after):
				t.keep(out.Accepted, g.rules[:first], 0, row, before)
			case !hasFailure(after) || hasFailure(before):
				continue
			}
			out.Same = false
		}
		out.Combinations += len(t.rows)
	}
	return out
}

// keep keeps the object of a row for each rule that refuses it, unless the schema refuses it.
func (t *Table) keep(objects map[int]map[string]any, rules []int, offset int, r row, outcomes []unions.Outcome) {
	for i, outcome := range outcomes {
		if rule := rules[i] - offset; objects[rule] == nil && !isAccepted([]unions.Outcome{outcome}) && t.isPossible(r) {
			objects[rule] = t.object(r)
		}
	}
}
