package compare

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/structural"
)

// rules compares the CEL rules of a node as sets. Rules are equal if their conditions and
// optionalOldSelf are.
func (c *comparer) rules(p nodePair) bool {
	removed := rulesWithout(p.old.XValidations, p.new.XValidations)
	added := rulesWithout(p.new.XValidations, p.old.XValidations)
	var answers, stored rules.Answers
	if len(added) > 0 && len(removed) > 0 {
		answers = rules.CompareAnswers(p.new, rules.ConditionsOf(p.old), rules.ConditionsOf(p.new))
		stored = rules.CompareAnswers(p.old, rules.ConditionsOf(p.old), rules.ConditionsOf(p.new))
	}
	if len(added) > 0 {
		oldRules := c.beforeRules(p)
		for i, rule := range p.new.XValidations {
			if slices.Contains(answers.Implied, i) && slices.Contains(stored.Implied, i) {
				oldRules.implied = append(oldRules.implied, rule.Rule)
			}
		}
		for _, rule := range added {
			if c.ctx.Err() != nil {
				return true
			}
			c.ruleAdded(p, rule, oldRules, such(answers.Refused[indexOf(p.new.XValidations, rule)]))
		}
	}
	for _, rule := range removed {
		i := indexOf(p.old.XValidations, rule)
		reason := "values that violate the rule are accepted" + such(answers.Accepted[i])
		if slices.Contains(answers.Kept, i) && slices.Contains(stored.Kept, i) {
			reason = "the new rules require it still"
		}
		c.loosen(p, "x-kubernetes-validations", Change{Kind: changekind.RuleRemoved, Old: rule.Rule, Index: indexOf(p.oldRules, rule), Reason: reason})
	}
	return true
}

// such shows an object of a table, if there is one.
func such(object map[string]any) string {
	if object == nil {
		return ""
	}
	return ", such as " + plainjson.Text(object)
}

// rewritten returns a pair of nodes with the new rules and logical junctors on both sides if the old ones accept
// the same objects, such as rules that a marker replaces. It adds a change about that.
func (c *comparer) rewritten(p nodePair) nodePair {
	old := rules.ConditionsOf(p.old)
	new := rules.ConditionsOf(p.new)
	if same(old, new) {
		return p
	}
	node := *p.old
	reason := "only messages, the spelling of rules, or the number or order of equal rules changed"
	removed := rulesWithout(p.old.XValidations, p.new.XValidations)
	added := rulesWithout(p.new.XValidations, p.old.XValidations)
	hasOtherJunctors := !same(old[len(p.old.XValidations):], new[len(p.new.XValidations):])
	if hasOtherJunctors && same(rules.ConditionsOf(normalized(p.old)), rules.ConditionsOf(normalized(p.new))) {
		return p // unions in another form
	}
	if len(removed)+len(added) > 0 || hasOtherJunctors {
		moved := p.moveRequired(&node)
		if !rules.CompareAnswers(p.old, old, slices.Concat(new, moved)).Same {
			return p
		}
		answers := rules.CompareAnswers(p.new, old, new)
		if !answers.Same {
			return p
		}
		reason = "the rules accept the same objects as before"
		if answers.Combinations > 1 {
			reason += fmt.Sprintf(", in each of %d combinations of what they read", answers.Combinations)
		}
	}
	c.loosen(p, "x-kubernetes-validations", Change{Kind: changekind.RuleMessageChanged, Reason: reason})
	node.XValidations = p.new.XValidations
	if hasOtherJunctors {
		node.ValueValidation = withJunctors(node.ValueValidation, p.new.ValueValidation)
	}
	p.old = &node
	return p
}

// withJunctors returns a value validation with the logical junctors of another one. Both may be nil.
func withJunctors(v, other *structural.ValueValidation) *structural.ValueValidation {
	out := ptr.Deref(v, structural.ValueValidation{})
	junctors := ptr.Deref(other, structural.ValueValidation{})
	out.AllOf = junctors.AllOf
	out.AnyOf = junctors.AnyOf
	out.OneOf = junctors.OneOf
	out.Not = junctors.Not
	return &out
}

// moveRequired makes a copy of the old node require the fields that the new one requires and that the old rules
// required. It returns rules that say the same.
func (p nodePair) moveRequired(node *structural.Schema) []rules.Condition {
	if len(node.XValidations) == 0 || p.new.ValueValidation == nil {
		return nil
	}
	v := ptr.Deref(node.ValueValidation, structural.ValueValidation{})
	old := rules.ConditionsOf(p.old)
	var moved []rules.Condition
	for _, field := range p.new.Required {
		name, ok := celtext.Name(field)
		if !ok || slices.Contains(v.Required, field) {
			continue
		}
		has := rules.Condition{Rule: structural.Rule{Rule: "has(self." + name + ")"}}
		if rules.CompareAnswers(p.old, old, append(slices.Clip(old), has)).Same {
			v.Required = append(slices.Clip(v.Required), field)
			moved = append(moved, has)
		}
	}
	if len(moved) > 0 {
		node.ValueValidation = &v
	}
	return moved
}

// rulesWithout returns the rules of list that other does not have.
func rulesWithout(list, other []structural.Rule) []structural.Rule {
	byText := func(r structural.Rule) string {
		return fmt.Sprint(ptr.Deref(r.OptionalOldSelf, false), strings.TrimSpace(r.Rule))
	}
	rest := withoutKeys(list, other, byText)
	if len(rest) == 0 {
		return nil
	}
	return withoutKeys(rest, other, func(r structural.Rule) string {
		if conditions := apiserver.Conditions(r.Rule); conditions != nil {
			return fmt.Sprintf("%t %q", ptr.Deref(r.OptionalOldSelf, false), conditions)
		}
		return byText(r)
	})
}

// isAboutChanges reports whether a rule only applies to updates of a value.
func isAboutChanges(r structural.Rule) bool {
	return !ptr.Deref(r.OptionalOldSelf, false) && apiserver.UsesOldSelf(r.Rule)
}

// beforeRules is what is known about the values of a node without its new rules.
type beforeRules struct {
	required conditions
	// implied are the texts of new rules that a table of the old ones implies.
	implied []string
	// accepted is a schema of the values, or nil if they may have any other fields.
	accepted *structural.Schema
}

func (c *comparer) beforeRules(p nodePair) beforeRules {
	return beforeRules{required: conditionsOf(p.oldRules), accepted: c.acceptedSchema(p)}
}

// conditions are what rules require, by the rarest of their alternatives and by the kind of the rule.
type conditions map[alternative][]apiserver.Alternatives

type alternative struct {
	kind ruleKind
	text string
}

// ruleKind says when a rule is evaluated: whether it is about changes, and whether oldSelf is
// optional then.
type ruleKind struct{ changes, optional bool }

func kindOfRule(r structural.Rule) ruleKind {
	return ruleKind{isAboutChanges(r), ptr.Deref(r.OptionalOldSelf, false)}
}

// conditionsOf returns what rules require.
func conditionsOf(rules []structural.Rule) conditions {
	required := map[ruleKind][]apiserver.Alternatives{}
	count := map[string]int{}
	for _, rule := range rules {
		kind := kindOfRule(rule)
		for _, condition := range apiserver.Conditions(rule.Rule) {
			required[kind] = append(required[kind], condition)
			for _, text := range condition {
				count[text]++
			}
		}
	}
	out := conditions{}
	for kind, list := range required {
		for _, condition := range list {
			rarest := slices.MinFunc(condition, func(a, b string) int { return count[a] - count[b] })
			key := alternative{kind, rarest}
			out[key] = append(out[key], condition)
		}
	}
	return out
}

// imply reports whether a rule holds because other rules do, which are evaluated whenever it is:
// one of them requires one of the same alternatives, or of some of them.
func (c conditions) imply(rule structural.Rule) bool {
	kinds := []ruleKind{{optional: ptr.Deref(rule.OptionalOldSelf, false)}}
	if isAboutChanges(rule) {
		kinds = append(kinds, kindOfRule(rule))
	}
	required := apiserver.Conditions(rule.Rule)
	for _, condition := range required {
		isAmong := func(text string) bool { return slices.Contains(condition, text) }
		isKnown := slices.ContainsFunc(condition, func(text string) bool {
			return slices.ContainsFunc(kinds, func(kind ruleKind) bool {
				return slices.ContainsFunc(c[alternative{kind, text}], func(known apiserver.Alternatives) bool {
					return !slices.ContainsFunc(known, func(text string) bool { return !isAmong(text) })
				})
			})
		})
		if !isKnown {
			return false
		}
	}
	return len(required) > 0
}

// indexOf returns the index of the first rule with the text of a rule in the list.
func indexOf(list []structural.Rule, rule structural.Rule) int {
	return slices.IndexFunc(list, func(r structural.Rule) bool { return r.Rule == rule.Rule })
}

// ruleAdded adds the change of a new rule. example shows an object that it refuses, in words.
func (c *comparer) ruleAdded(pair nodePair, rule structural.Rule, oldRules beforeRules, example string) {
	change := Change{Kind: changekind.RuleAdded, New: rule.Rule, Index: indexOf(pair.newRules, rule), Reason: "values that violate the rule are rejected" + example}
	seen := oldRules.accepted
	switch {
	case slices.Contains(oldRules.implied, rule.Rule) || oldRules.required.imply(rule):
		change.Reason = "the old rules require it already"
		c.loosen(pair, "x-kubernetes-validations", change)
	case seen != nil && c.target.AlwaysHolds(rule, seen):
		change.Reason = "it is true for everything that the old schema accepts"
		c.loosen(pair, "x-kubernetes-validations", change)
	case !apiserver.UsesOldSelf(rule.Rule) && !pair.composite() && (pair.new.XIntOrString || !cannotFail(rule.Rule)):
		change.Category = BreaksStored
		change.Reason += "; values for which it fails to evaluate are not ratcheted"
		c.add(pair, "x-kubernetes-validations", change)
	case !apiserver.UsesOldSelf(rule.Rule):
		c.tighten(pair, "x-kubernetes-validations", change)
	case pair.correlated && (!pair.composite() || apiserver.ComparesOnly(rule)) && seen != nil && c.target.HoldsUnchanged(rule, seen):
		change.Category = BreaksClients
		change.Reason = "changes that the rule forbids are rejected; an unchanged value satisfies it"
		c.add(pair, "x-kubernetes-validations", change)
	default:
		change.Category = BreaksStored
		change.Reason = "a transition rule also applies to unchanged values and is not ratcheted"
		c.add(pair, "x-kubernetes-validations", change)
	}
}

// tokenRegexp matches a part of a rule that can be evaluated for every value of its type,
// or a bracket, which cannotFail checks itself.
var tokenRegexp = lazyregexp.New(`^(?:\s+|'[^'\\]*'|"[^"\\]*"|-?\d+(?:\.\d+)?|==|!=|<=|>=|&&|\|\||[<>!(),.\[\]]|\b(?:self|in|true|false|size|startsWith|endsWith|contains|matches)\b)`)

// cannotFail reports whether a rule about a scalar evaluates without an error for every
// value: it only compares and searches strings, without conversions, arithmetic or
// indexing.
func cannotFail(rule string) bool {
	last := ""
	old := ""
	for rule != "" {
		token := tokenRegexp().FindString(rule)
		switch {
		case token == "", token == "[" && last != "in":
			return false
		case strings.HasPrefix(token, "-") && last != "" && !strings.Contains("== != <= >= && || < > ( , [", last):
			return false // a subtraction
		case old == "matches" && last == "(" && strings.Trim(token, " \t\n\r") != "" && !strings.ContainsAny(token[:1], `'"`):
			return false // only a literal is known to be a valid regular expression
		}
		rule = rule[len(token):]
		if strings.TrimSpace(token) != "" {
			last, old = token, last
		}
	}
	return true
}

// acceptedSchema returns a schema of the values that the old schema accepts, as the new one sees them,
// or nil if they may have any other fields.
func (c *comparer) acceptedSchema(p nodePair) *structural.Schema {
	if c.old != nil && c.old.CRD.Spec.PreserveUnknownFields {
		return nil
	}
	seen := seenAfter(p.old, p.new)
	if p.field != "" {
		return seen
	}
	// The server itself sets or keeps these.
	fields := *seen
	own := []string{"apiVersion", "kind", "metadata"}
	fields.Properties = slices.DeleteFunc(slices.Clone(seen.Properties),
		func(f structural.Property) bool { return slices.Contains(own, f.Name) })
	for _, name := range own {
		fields.Properties = append(fields.Properties, structural.Property{Name: name, Schema: unspecified()})
	}
	return &fields
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
		out.Properties = append(out.Properties,
			structural.Property{Name: f.Name, Schema: seenAfter(f.Schema, new.Property(f.Name))})
	}
	for _, f := range new.Properties {
		if f.Schema.Default != nil && old.Property(f.Name) == nil {
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
