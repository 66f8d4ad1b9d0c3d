package compare

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/lazyregexp"
	"github.com/schemagen/schemagen/structural"
)

// keepsRegexp matches rules that an unchanged value satisfies.
var keepsRegexp = lazyregexp.New(`^\s*(?:self\s*(?:==|>=|<=)\s*oldSelf|oldSelf\s*(?:==|>=|<=)\s*self)\s*$`)

// rules compares the CEL rules of a node as sets. Rules are equal if their text and
// optionalOldSelf are.
func (c *comparer) rules(p nodePair) bool {
	removed, added := rulesWithout(p.old.XValidations, p.new.XValidations), rulesWithout(p.new.XValidations, p.old.XValidations)
	for _, rule := range added {
		c.ruleAdded(p, rule)
	}
	for _, rule := range removed {
		c.loosen(p, "x-kubernetes-validations", Change{Kind: RuleRemoved, Old: rule.Rule, Index: indexOf(p.oldRules, rule), Reason: "values that violate the rule are accepted"})
	}
	if len(removed) == 0 && len(added) == 0 && !same(p.old.XValidations, p.new.XValidations) {
		c.loosen(p, "x-kubernetes-validations", Change{Kind: RuleMessageChanged, Reason: "only the message of a rejection, the number or the order of equal rules changed"})
	}
	return true
}

// rulesWithout returns the rules of list that other does not have.
func rulesWithout(list, other []structural.Rule) []structural.Rule {
	optional := func(r structural.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }
	var out []structural.Rule
	for _, rule := range list {
		if !slices.ContainsFunc(other, func(o structural.Rule) bool {
			return strings.TrimSpace(o.Rule) == strings.TrimSpace(rule.Rule) && optional(o) == optional(rule)
		}) {
			out = append(out, rule)
		}
	}
	return out
}

// indexOf returns the index of the first rule with the text of a rule in the list.
func indexOf(list []structural.Rule, rule structural.Rule) int {
	return slices.IndexFunc(list, func(r structural.Rule) bool { return r.Rule == rule.Rule })
}

var oldSelfRegexp = lazyregexp.New(`\boldSelf\b`)

func (c *comparer) ruleAdded(p nodePair, rule structural.Rule) {
	change := Change{Kind: RuleAdded, New: rule.Rule, Index: indexOf(p.newRules, rule), Reason: "values that violate the rule are rejected"}
	optional := rule.OptionalOldSelf != nil && *rule.OptionalOldSelf
	switch {
	case c.holdsBefore(p, rule):
		change.Reason = "it is true for everything that the old schema accepts"
		c.loosen(p, "x-kubernetes-validations", change)
	case !oldSelfRegexp().MatchString(rule.Rule) && !p.composite() && (p.new.XIntOrString || !cannotFail(rule.Rule)):
		change.Category = BreaksStored
		change.Reason += "; values for which it fails to evaluate are not ratcheted"
		c.add(p, "x-kubernetes-validations", change)
	case !oldSelfRegexp().MatchString(rule.Rule):
		c.tighten(p, "x-kubernetes-validations", change)
	case keepsRegexp().MatchString(rule.Rule) && !optional:
		change.Category, change.Reason = BreaksClients, "changes that the rule forbids are rejected; an unchanged value satisfies it"
		c.add(p, "x-kubernetes-validations", change)
	default:
		change.Category = BreaksStored
		change.Reason = "a transition rule also applies to unchanged values and is not ratcheted"
		c.add(p, "x-kubernetes-validations", change)
	}
}

// tokenRegexp matches a part of a rule that can be evaluated for every value of its type,
// or a bracket, which cannotFail checks itself.
var tokenRegexp = lazyregexp.New(`^(?:\s+|'[^'\\]*'|"[^"\\]*"|-?\d+(?:\.\d+)?|==|!=|<=|>=|&&|\|\||[<>!(),.\[\]]|\b(?:self|in|true|false|size|startsWith|endsWith|contains|matches)\b)`)

// cannotFail reports whether a rule about a scalar evaluates without an error for every
// value: it only compares and searches strings, without conversions, arithmetic or
// indexing.
func cannotFail(rule string) bool {
	last, before := "", ""
	for rule != "" {
		token := tokenRegexp().FindString(rule)
		switch {
		case token == "", token == "[" && last != "in":
			return false
		case strings.HasPrefix(token, "-") && last != "" && !strings.Contains("== != <= >= && || < > ( , [", last):
			return false // a subtraction
		case before == "matches" && last == "(" && strings.Trim(token, " \t\n\r") != "" && !strings.ContainsAny(token[:1], `'"`):
			return false // only a literal is known to be a valid regular expression
		}
		if rule = rule[len(token):]; strings.TrimSpace(token) != "" {
			last, before = token, last
		}
	}
	return true
}

// holdsBefore reports whether a rule is known to be true for every value that the old schema
// accepts, as the new schema sees it.
func (c *comparer) holdsBefore(p nodePair, rule structural.Rule) bool {
	if c.old != nil && c.old.CRD.Spec.PreserveUnknownFields {
		return false
	}
	seen := seenAfter(p.old, p.new)
	if p.field == "" {
		// The server itself sets or keeps these.
		fields := *seen
		own := []string{"apiVersion", "kind", "metadata"}
		fields.Properties = slices.DeleteFunc(slices.Clone(seen.Properties), func(f structural.Property) bool { return slices.Contains(own, f.Name) })
		for _, name := range own {
			fields.Properties = append(fields.Properties, structural.Property{Name: name, Schema: unspecified()})
		}
		seen = &fields
	}
	return c.target.AlwaysHolds(rule, seen)
}

// seenAfter returns a schema of the values that the old schema accepts, after the new one has
// set its defaults: nothing is known about what they set.
func seenAfter(old, new *structural.Schema) *structural.Schema {
	if old == new || old == nil || new == nil {
		return old
	}
	if new.Default != nil && !same(old.Default, new.Default) {
		return unspecified()
	}
	out := *old
	out.Properties = nil
	for _, f := range old.Properties {
		out.Properties = append(out.Properties, structural.Property{Name: f.Name, Schema: seenAfter(f.Schema, propertyOf(new, f.Name))})
	}
	for _, f := range new.Properties {
		if f.Schema.Default != nil && propertyOf(old, f.Name) == nil {
			out.Properties = append(out.Properties, structural.Property{Name: f.Name, Schema: unspecified()})
		}
	}
	out.Items = seenAfter(old.Items, new.Items)
	if a, b := old.AdditionalProperties, new.AdditionalProperties; a != nil && b != nil {
		values := *a
		values.Schema = seenAfter(a.Schema, b.Schema)
		out.AdditionalProperties = &values
	}
	return &out
}

// unspecified returns a schema of values about which nothing is known.
func unspecified() *structural.Schema {
	return &structural.Schema{Extensions: structural.Extensions{XPreserveUnknownFields: new(true)}}
}
