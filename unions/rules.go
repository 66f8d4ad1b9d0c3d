package unions

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/structural"
)

// celNames are the names of a union as used in CEL rules.
type celNames struct {
	discriminator string
	members       []string
}

// namesIn returns the escaped names, or the name of the first field that no rule can
// access.
func namesIn(u *Union) (names celNames, unreadable string) {
	if u.Discriminator != "" {
		name, ok := celtext.Name(u.Discriminator)
		if !ok {
			return celNames{}, u.Discriminator
		}
		names.discriminator = name
	}
	for _, m := range u.Members {
		name, ok := celtext.Name(m.Name)
		if !ok || m.Untyped {
			return celNames{}, m.Name
		}
		names.members = append(names.members, name)
	}
	return names, ""
}

// selects returns the expression that the discriminator has the value. It tests for
// presence even if the discriminator is required or has a default: an object that was
// stored before the field existed lacks it, and a rule that cannot be evaluated is not
// ratcheted, so the server would reject every update of the object, including the
// removal of a finalizer. Nor does the server apply a default inside another default
// before it evaluates rules.
func (n celNames) selects(value string) string {
	field := "self." + n.discriminator
	return "has(" + field + ") && " + field + " == " + celtext.String(value)
}

// splitRules returns two rules for each member, so that each direction has its own
// reason and message: a selected member must be set, and a member that is not selected
// must not be set. Together they also reject several members, a swapped member, and
// members next to a value that has none.
func splitRules(u *Union, names celNames) []structural.Rule {
	var out []structural.Rule
	for i, m := range u.Members {
		if !m.Optional {
			reason := apiextensionsv1.FieldValueRequired
			out = append(out, structural.Rule{
				Rule:      "!(" + names.selects(m.Value) + ") || has(self." + names.members[i] + ")",
				Message:   u.MustBeSet(m),
				Reason:    &reason,
				FieldPath: celtext.FieldPath(m.Name),
			})
		}
		out = append(out, forbidRule(u, names, i))
	}
	return out
}

// forbidRule returns the rule that rejects a member that is not selected.
func forbidRule(u *Union, names celNames, i int) structural.Rule {
	m := u.Members[i]
	reason := apiextensionsv1.FieldValueForbidden
	return structural.Rule{
		Rule:      "!has(self." + names.members[i] + ") || (" + names.selects(m.Value) + ")",
		Message:   u.MustNotBeSet(m),
		Reason:    &reason,
		FieldPath: celtext.FieldPath(m.Name),
	}
}

// compactRules returns one rule for each member, at half the cost: both directions share
// the reason, and the message is computed when the rule fails.
func compactRules(u *Union, names celNames) []structural.Rule {
	var out []structural.Rule
	for i, m := range u.Members {
		if m.Optional {
			out = append(out, forbidRule(u, names, i))
			continue
		}
		has := "has(self." + names.members[i] + ")"
		reason := apiextensionsv1.FieldValueInvalid
		out = append(out, structural.Rule{
			Rule: has + " == (" + names.selects(m.Value) + ")",
			MessageExpression: has + " ? " + celtext.String(u.MustNotBeSet(m)) +
				" : " + celtext.String(u.MustBeSet(m)),
			Reason:    &reason,
			FieldPath: celtext.FieldPath(m.Name),
		})
	}
	return out
}

// plain strips rules down to their messages, which must then name the field.
func plain(rules []structural.Rule) []structural.Rule {
	out := make([]structural.Rule, len(rules))
	for i, r := range rules {
		out[i] = structural.Rule{Rule: r.Rule, Message: r.Message}
		switch {
		case r.MessageExpression != "":
			out[i].Message = "must be specified for its value of the discriminator, and only for it"
			fallthrough
		case r.FieldPath != "":
			out[i].Message = "`" + strings.TrimPrefix(r.FieldPath, ".") + "` " + out[i].Message
		}
	}
	return out
}

// countRule returns the rule that counts the members of an undiscriminated union. It
// concerns all of them, so it has no fieldPath.
func countRule(u *Union, names celNames) structural.Rule {
	compare := " == 1"
	if u.AtMostOne {
		compare = " <= 1"
	}
	reason := apiextensionsv1.FieldValueInvalid
	return structural.Rule{Rule: names.count() + compare, Message: u.MustHaveMember(), Reason: &reason}
}

// count returns the expression for the number of members that are set.
func (n celNames) count() string {
	terms := make([]string, len(n.members))
	for i, name := range n.members {
		terms[i] = fmt.Sprintf("(has(self.%s) ? 1 : 0)", name)
	}
	return strings.Join(terms, " + ")
}

// transitionRule returns the rule that explains the error of a client that set another
// member without changing the discriminator. It uses oldSelf, so the server rejects it
// where objects cannot be correlated, and does not ratchet it: it holds by itself if the
// discriminator and the set of members that are set stay the same, whatever was stored.
func transitionRule(u *Union, names celNames) structural.Rule {
	value := func(object string) string {
		field := object + "." + names.discriminator
		return "(has(" + field + ") ? " + field + " : '')"
	}
	unchanged := make([]string, len(names.members))
	for i, name := range names.members {
		unchanged[i] = fmt.Sprintf("has(self.%s) == has(oldSelf.%[1]s)", name)
	}
	reason := apiextensionsv1.FieldValueInvalid
	return structural.Rule{
		Rule:      value("self") + " != " + value("oldSelf") + " || " + names.count() + " <= 1 || " + strings.Join(unchanged, " && "),
		Message:   MustChange,
		Reason:    &reason,
		FieldPath: celtext.FieldPath(u.Discriminator),
	}
}

// isTransition reports whether a rule is the transition rule of the union, possibly with
// the members in a different order.
func isTransition(u *Union, rule structural.Rule) bool {
	names, unreadable := namesIn(u)
	if u.Discriminator == "" || unreadable != "" {
		return false
	}
	words := func(text string) []string { return slices.Sorted(strings.SplitSeq(text, " ")) }
	return slices.Equal(words(rule.Rule), words(transitionRule(u, names).Rule))
}
