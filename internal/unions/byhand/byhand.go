// Package byhand compares handwritten rules for a union with the union itself. Rules are judged by their behavior
// rather than their text: the union and the rules are evaluated for every value of the discriminator with sets of
// the members.
package byhand

import (
	"iter"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Verdict is the result of comparing handwritten rules with a union.
type Verdict struct {
	// Rules are the indexes of the rules that were judged: they mention members of the union and
	// nothing outside the union.
	Rules []int
	// Same is true if together they reject exactly the objects that the union rejects.
	Same bool
	// Slips is an object that violates the union although the rules accept it, or nil.
	Slips map[string]any
	// Fails is an object for which the rule FailsRule cannot be evaluated because
	// of the error Failure, or nil.
	Fails     map[string]any
	FailsRule int
	Failure   string
	// OneMessage are the rules that reject exactly the absence and the presence of
	// one member, with a single message for both.
	OneMessage []int
	// NoFieldPath are the rules without a fieldPath.
	NoFieldPath []int
}

// ofSelf matches the fields of the object that a rule reads, bareSelf a use of the
// object as a whole.
var (
	ofSelf   = lazyregexp.New(`\bself\.(\w+)`)
	bareSelf = lazyregexp.New(`\bself\b(?:[^.]|$)`)
)

// Rules returns the indexes of the rules of an object that mention members of the
// union and nothing else. Transition rules are not included.
func Rules(u *unions.Union, s *structural.Schema) []int {
	discriminator, members, ok := celNamesOf(u)
	if !ok {
		return nil
	}
	var out []int
	for i, rule := range s.XValidations {
		if strings.Contains(rule.Rule, "oldSelf") || bareSelf().MatchString(rule.Rule) {
			continue
		}
		member := false
		other := false
		for _, found := range ofSelf().FindAllStringSubmatch(rule.Rule, -1) {
			isMember := slices.Contains(members, found[1])
			member = member || isMember
			other = other || !isMember && found[1] != discriminator
		}
		if member && !other {
			out = append(out, i)
		}
	}
	return out
}

// celNamesOf returns the names of the fields of a union in rules. ok is false if there is a field that no
// rule can read.
func celNamesOf(u *unions.Union) (discriminator string, members []string, ok bool) {
	if u.Discriminator != "" {
		discriminator, ok = celtext.Name(u.Discriminator)
		if !ok {
			return "", nil, false
		}
	}
	for _, m := range u.Members {
		name, ok := celtext.Name(m.Name)
		if !ok || m.Untyped {
			return "", nil, false
		}
		members = append(members, name)
	}
	return discriminator, members, true
}

// MentionedIn reports whether handwritten validation restricts members of the union:
// a rule of the object that reads one, or a junctor that requires one.
func MentionedIn(u *unions.Union, schema *structural.Schema) bool {
	isMember := func(name string) bool {
		return slices.ContainsFunc(u.Members, func(m unions.Member) bool { return m.Name == name })
	}
	for _, m := range u.Members {
		name, ok := celtext.Name(m.Name)
		for _, rule := range schema.XValidations {
			reads := func(found []string) bool { return found[1] == name }
			if ok && slices.ContainsFunc(ofSelf().FindAllStringSubmatch(rule.Rule, -1), reads) {
				return true
			}
		}
	}
	var requires func(v *structural.ValueValidation) bool
	some := func(list []structural.NestedValueValidation) bool {
		return slices.ContainsFunc(list, func(n structural.NestedValueValidation) bool { return requires(&n.ValueValidation) })
	}
	requires = func(v *structural.ValueValidation) bool {
		return v != nil && (slices.ContainsFunc(v.Required, isMember) || some(v.AllOf) || some(v.AnyOf) ||
			some(v.OneOf) || v.Not != nil && requires(&v.Not.ValueValidation))
	}
	return requires(schema.ValueValidation)
}

// Judge compares the rules of an object with the given indexes with the union.
// evaluate returns their outcomes in that order.
func Judge(union *unions.Union, schema *structural.Schema, rules []int, evaluate unions.Evaluate) Verdict {
	out := Verdict{Rules: rules, Same: true}
	type sides struct{ missing, present, more bool }
	seen := make([]sides, len(rules))
	for each := range combinations(union) {
		object := each.object(union, schema)
		refused := false
		failed := false
		for i, outcome := range evaluate(object) {
			switch {
			case outcome.Failure != "":
				failed = true
				if out.Fails == nil {
					out.Fails = object
					out.FailsRule = rules[i]
					out.Failure = outcome.Failure
				}
			case outcome.Rejected:
				refused = true
				missing, present := each.wrong(union)
				seen[i].missing = seen[i].missing || missing && !present
				seen[i].present = seen[i].present || present && !missing
				seen[i].more = seen[i].more || !missing && !present
			}
		}
		missing, present := each.wrong(union)
		if wrong := missing || present; wrong != refused || failed {
			out.Same = false
			if wrong && !refused && !failed && out.Slips == nil {
				out.Slips = object
			}
		}
	}
	for i, index := range rules {
		rule := schema.XValidations[index]
		if rule.FieldPath == "" && union.Discriminator != "" {
			out.NoFieldPath = append(out.NoFieldPath, index)
		}
		if seen[i].missing && seen[i].present && !seen[i].more && rule.MessageExpression == "" && union.Discriminator != "" {
			out.OneMessage = append(out.OneMessage, index)
		}
	}
	return out
}

// combination is a value of the discriminator combined with a set of members.
type combination struct {
	value   string
	absent  bool
	members []bool
}

// allSetsUpTo is the number of members up to which all sets are tried.
const allSetsUpTo = 6

// combinations returns the values combined with all sets of members. For many members
// it uses only the sets that tell rules apart: none, one, two, all, all but one, and
// the first few, which expose rules that count.
func combinations(u *unions.Union) iter.Seq[combination] {
	return func(yield func(combination) bool) {
		values := []combination{{absent: true}}
		if u.Discriminator != "" {
			if !u.MayBeAbsent() {
				values = nil
			}
			for _, v := range u.Values {
				values = append(values, combination{value: v.Name})
			}
		}
		for _, value := range values {
			for _, members := range sets(u) {
				value.members = members
				if !yield(value) {
					return
				}
			}
		}
	}
}

func sets(u *unions.Union) [][]bool {
	n := len(u.Members)
	var out [][]bool
	if n <= allSetsUpTo {
		for bits := range 1 << n {
			set := make([]bool, n)
			for i := range set {
				set[i] = bits&(1<<i) != 0
			}
			out = append(out, set)
		}
		return out
	}
	add := func(isIn func(int) bool) {
		set := make([]bool, n)
		for i := range set {
			set[i] = isIn(i)
		}
		out = append(out, set)
	}
	for i := range n + 1 {
		add(func(k int) bool { return k < i })
		add(func(k int) bool { return k != i })
		add(func(k int) bool { return k == i })
		for j := range i {
			add(func(k int) bool { return k == i || k == j })
		}
	}
	return out
}

// wrong reports whether the union rejects the combination because a member is missing,
// and whether it rejects it because a member is set.
func (c combination) wrong(u *unions.Union) (missing, present bool) {
	if u.Discriminator == "" {
		count := 0
		for _, set := range c.members {
			if set {
				count++
			}
		}
		return count == 0 && !u.AtMostOne, count > 1
	}
	for i, m := range u.Members {
		selected := !c.absent && m.Value == c.value
		missing = missing || selected && !c.members[i] && !m.Optional
		present = present || !selected && c.members[i]
	}
	return missing, present
}

// object returns the combination as an object whose members are as empty as their
// types allow.
func (c combination) object(u *unions.Union, s *structural.Schema) map[string]any {
	out := map[string]any{}
	if !c.absent {
		out[u.Discriminator] = c.value
	}
	for i, m := range u.Members {
		if c.members[i] {
			out[m.Name] = emptyOf(s.Property(m.Name))
		}
	}
	return out
}

// emptyOf returns an empty value of the type of a schema.
func emptyOf(s *structural.Schema) any {
	switch {
	case s == nil || s.Type == "object":
		return map[string]any{}
	case s.Type == "array":
		return []any{}
	case s.Type == "string":
		return ""
	case s.Type == "boolean":
		return false
	case s.Type == "number":
		return 0.0
	default:
		return int64(0)
	}
}

// Text returns an object of a Verdict as JSON.
func Text(object map[string]any) string {
	return plainjson.Text(object)
}
