package compare

import (
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// keepsRegexp is a rule that an unchanged value fulfils.
var keepsRegexp = regexp.MustCompile(`^\s*(?:self\s*(?:==|>=|<=)\s*oldSelf|oldSelf\s*(?:==|>=|<=)\s*self)\s*$`)

// rules compares the CEL rules of a place as sets. What a rule says is its text and
// whether it holds for values without an old one.
func (c *schemas) rules(p place) bool {
	gone, more := apart(p.old.XValidations, p.new.XValidations), apart(p.new.XValidations, p.old.XValidations)
	for _, rule := range more {
		c.ruleAdded(p, rule)
	}
	for _, rule := range gone {
		c.loosen(p, "x-kubernetes-validations", Change{Kind: RuleRemoved, Old: rule.Rule, Reason: "what the rule refused is accepted"})
	}
	if len(gone) == 0 && len(more) == 0 && !same(p.old.XValidations, p.new.XValidations) {
		c.loosen(p, "x-kubernetes-validations", Change{Kind: RuleMessageChanged, Reason: "only what a refusal says was changed, or how often or in which order the rules stand"})
	}
	return true
}

// apart are the rules of a list that another one does not have.
func apart(list, other []structural.Rule) []structural.Rule {
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

var oldSelfRegexp = regexp.MustCompile(`\boldSelf\b`)

func (c *schemas) ruleAdded(p place, rule structural.Rule) {
	change := Change{Kind: RuleAdded, New: rule.Rule, Reason: "values that do not fulfil the rule are refused"}
	optional := rule.OptionalOldSelf != nil && *rule.OptionalOldSelf
	switch {
	case c.speaksOfNew(p, rule.Rule):
		change.Reason = "it holds for every object without the new field that it begins with"
		c.loosen(p, "x-kubernetes-validations", change)
	case !oldSelfRegexp.MatchString(rule.Rule) && !p.composite() && (p.new.XIntOrString || !cannotFail(rule.Rule)):
		change.Category = BreaksStored
		change.Reason += "; for values for which it cannot be evaluated, that is not ratcheted"
		c.add(p, "x-kubernetes-validations", change)
	case !oldSelfRegexp.MatchString(rule.Rule):
		c.tighten(p, "x-kubernetes-validations", change)
	case keepsRegexp.MatchString(rule.Rule) && !optional:
		change.Category, change.Reason = BreaksClients, "changes that the rule forbids are refused; an unchanged value fulfils it"
		c.add(p, "x-kubernetes-validations", change)
	default:
		change.Category = BreaksStored
		change.Reason = "a rule about changes is asked about unchanged values, too, and is not ratcheted"
		c.add(p, "x-kubernetes-validations", change)
	}
}

// tokenRegexp is a part of a rule that can be evaluated for every value of its type, or a
// bracket, which is looked at by itself.
var tokenRegexp = regexp.MustCompile(`^(?:\s+|'[^'\\]*'|"[^"\\]*"|-?\d+(?:\.\d+)?|==|!=|<=|>=|&&|\|\||[<>!(),.\[\]]|\b(?:self|in|true|false|size|startsWith|endsWith|contains|matches)\b)`)

// cannotFail reports whether a rule about a single value has a result for each: it compares,
// and looks for texts, and neither converts nor calculates nor takes elements.
func cannotFail(rule string) bool {
	last, before := "", ""
	for rule != "" {
		token := tokenRegexp.FindString(rule)
		switch {
		case token == "", token == "[" && last != "in":
			return false
		case strings.HasPrefix(token, "-") && last != "" && !strings.Contains("== != <= >= && || < > ( , [", last):
			return false // a subtraction
		case before == "matches" && last == "(" && strings.Trim(token, " \t\n\r") != "" && !strings.ContainsAny(token[:1], `'"`):
			return false // what is no literal may be no regular expression
		}
		if rule = rule[len(token):]; strings.TrimSpace(token) != "" {
			last, before = token, last
		}
	}
	return true
}

// unlessRegexp begins a rule that holds for every object without a field.
var unlessRegexp = regexp.MustCompile(`^\s*!\s*has\(\s*self\.(\w+)\s*\)\s*\|\|`)

// speaksOfNew reports whether a rule is a disjunction that begins with the absence of a
// field that no object could have before.
func (c *schemas) speaksOfNew(p place, rule string) bool {
	found := unlessRegexp.FindStringSubmatch(rule)
	if found == nil || keepsUnknown(p.old) || hasConditional(rule) {
		return false
	}
	for _, f := range p.new.Properties {
		if name, ok := structural.CELName(f.Name); ok && name == found[1] {
			return f.Schema.Default == nil && propertyOf(p.old, f.Name) == nil && p.old.AdditionalProperties == nil
		}
	}
	return false
}

// hasConditional reports whether a rule may have the operator ?: outside of brackets,
// which binds less than a disjunction.
func hasConditional(rule string) bool {
	if strings.Contains(rule, `'''`) || strings.Contains(rule, `"""`) {
		return true
	}
	depth, quote := 0, rune(0)
	for _, r := range rule {
		switch {
		case r == '\\' || r == '/':
			return true // an escape or a comment: not looked into
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case r == '?' && depth == 0:
			return true
		}
	}
	return false
}
