package rules

import (
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// group is conditions of an object that read the same columns, or columns of each other's conditions.
// Each column is read by one group only.
type group struct {
	// conditions are indexes, in order.
	conditions []int
	fields     []string
}

// table returns the table of the conditions of a group, which are some of a list; nil as [newTable].
func (g group) table(s *structural.Schema, list []Condition) *Table {
	return newTable(s, g.of(list))
}

// of returns the conditions of the group.
func (g group) of(list []Condition) []Condition {
	var out []Condition
	for _, i := range g.conditions {
		out = append(out, list[i])
	}
	return out
}

// grouped returns the conditions of an object in groups, and the indexes of those that cannot be read
// exactly.
func grouped(s *structural.Schema, list []Condition) (groups []group, unread []int) {
	for i, c := range list {
		r := newReader(s)
		if !r.readCondition(c) || !r.setChoices() {
			unread = append(unread, i)
			continue
		}
		joined := group{conditions: []int{i}}
		for _, column := range r.self.children {
			joined.fields = append(joined.fields, column.step)
		}
		groups = slices.DeleteFunc(groups, func(known group) bool {
			isJoined := func(field string) bool { return slices.Contains(joined.fields, field) }
			isShared := slices.ContainsFunc(known.fields, isJoined)
			if isShared {
				joined.conditions = append(joined.conditions, known.conditions...)
				joined.fields = slices.Compact(slices.Sorted(slices.Values(slices.Concat(joined.fields, known.fields))))
			}
			return isShared
		})
		slices.Sort(joined.conditions)
		groups = append(groups, joined)
	}
	return groups, unread
}

// Answers compares what old and new conditions accept.
type Answers struct {
	// Same is set if they are known to accept the same objects, in each of a number of combinations of what
	// they read. It is not set if a new rule fails where the old rules only refuse: the server lets
	// updates keep a value that a rule refuses, but none for which a rule fails.
	Same         bool
	Combinations int
	// Refused has objects that the old conditions accept, by the index of the new one that refuses them.
	// Accepted has objects that the new conditions accept, by the index of the old one.
	Refused, Accepted map[int]map[string]any
	// Implied are the indexes of new conditions that hold for all objects that the old ones accept, and Kept of old
	// ones that hold for all that the new ones accept.
	Implied, Kept []int
}

// CompareAnswers compares what old and new conditions of an object accept. One that cannot be read exactly
// has to be among both. New rules that also hold for updates of what was refused before count without that.
func CompareAnswers(s *structural.Schema, old, new []Condition) Answers {
	out := Answers{Same: true, Refused: map[int]map[string]any{}, Accepted: map[int]map[string]any{}}
	list := slices.Clone(old)
	for _, c := range new {
		isOld := slices.ContainsFunc(old, func(known Condition) bool { return known.Rule.Rule == c.Rule.Rule })
		if plain, ok := withoutException(s, c.Rule); ok && !isOld {
			c.Rule = plain
		}
		list = append(list, c)
	}
	groups, unread := grouped(s, list)
	for _, i := range unread {
		others := new
		if i >= len(old) {
			others = old
		}
		out.Same = out.Same && slices.ContainsFunc(others, list[i].isEqual)
	}
	for _, g := range groups {
		t := g.table(s, list)
		if t == nil {
			out.Same = false
			continue
		}
		first := len(slices.DeleteFunc(slices.Clone(g.conditions), func(i int) bool { return i >= len(old) }))
		for _, row := range t.rows {
			before := row.outcomes[:first]
			after := row.outcomes[first:]
			switch {
			case isAccepted(before) && !isAccepted(after):
				t.keep(out.Refused, g.conditions[first:], len(old), row, after)
			case !isAccepted(before) && isAccepted(after):
				t.keep(out.Accepted, g.conditions[:first], 0, row, before)
			case !hasFailure(after) || hasFailure(before):
				continue
			}
			out.Same = false
		}
		out.Combinations += len(t.rows)
		for k, i := range g.conditions {
			switch {
			case slices.ContainsFunc(t.rows, func(r row) bool { return isAlone(r, k, first) }):
			case i < len(old):
				out.Kept = append(out.Kept, i)
			default:
				out.Implied = append(out.Implied, i-len(old))
			}
		}
	}
	return out
}

// isAlone reports whether a condition refuses a row that those of the other side accept, or fails where the old
// ones, which are the first, only refuse.
func isAlone(r row, condition, first int) bool {
	before := r.outcomes[:first]
	outcome := r.outcomes[condition : condition+1]
	if condition < first {
		return !isAccepted(outcome) && isAccepted(r.outcomes[first:])
	}
	return !isAccepted(outcome) && isAccepted(before) || hasFailure(outcome) && !hasFailure(before)
}

// values matches the variables of rules.
var values = lazyregexp.New(`\b(?:self|oldSelf)\b`)

// withoutException returns a rule without the condition on the old object under which it holds for updates anyway.
// ok is false if there is none, or if that condition is true for an old object that the rule does not refuse: then the
// rule also accepts updates that break it.
func withoutException(s *structural.Schema, rule structural.Rule) (plain structural.Rule, ok bool) {
	text, exception, ok := strings.Cut(rule.Rule, celtext.Ratchet)
	whole := unparsed(rule.Rule)
	isOther := values().MatchString(strings.ReplaceAll(exception, "oldSelf.value()", ""))
	if !ok || isOther || !ptr.Deref(rule.OptionalOldSelf, false) || whole == "" {
		return rule, false
	}
	if whole != unparsed("("+text+")"+celtext.Ratchet+"("+exception+")") {
		return rule, false
	}
	plain = structural.Rule{Rule: text}
	never := structural.Rule{Rule: "!(" + strings.ReplaceAll(exception, "oldSelf.value()", "self") + ")"}
	t := newTable(s, RuleConditions([]structural.Rule{plain, never}))
	isExcepted := func(r row) bool { return isAccepted(r.outcomes[:1]) && !isAccepted(r.outcomes) }
	return plain, t != nil && !slices.ContainsFunc(t.rows, isExcepted)
}

// keep keeps the object of a row for each condition that refuses it, unless the schema refuses it.
func (t *Table) keep(objects map[int]map[string]any, conditions []int, offset int, r row, outcomes []unions.Outcome) {
	for i, outcome := range outcomes {
		if k := conditions[i] - offset; objects[k] == nil && !isAccepted([]unions.Outcome{outcome}) && t.isPossible(r) {
			objects[k] = t.object(r)
		}
	}
}
