package structural

import "strings"

// ratchets separates the condition of a rule from the one on the old object under which the
// rule holds anyway.
const ratchets = " || oldSelf.hasValue() && "

// Ratcheting returns a rule that also holds if a condition on the old object, a conjunction, is
// true. The server itself accepts a violation of a rule only if no part of the object changed.
func Ratcheting(rule Rule, unchanged string) Rule {
	rule.Rule += ratchets + unchanged
	rule.OptionalOldSelf = new(true)
	return rule
}

// WithoutRatcheting returns the rule from which [Ratcheting] made a rule, for objects whose old
// version the server cannot find. ok is false for other rules.
func WithoutRatcheting(rule Rule) (plain Rule, ok bool) {
	condition, _, ok := strings.Cut(rule.Rule, ratchets)
	if !ok || rule.OptionalOldSelf == nil || !*rule.OptionalOldSelf {
		return rule, false
	}
	rule.Rule = condition
	rule.OptionalOldSelf = nil
	return rule, true
}
