package edits

import (
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/structural"
)

// The messages of rules about dependent fields begin with one of these.
const (
	mustBeSet   = "must be set when "
	mayNotBeSet = "may not be set when "
)

// Ratcheting returns a rule that also holds if a condition on the old object, a conjunction, is
// true. The server itself accepts a violation of a rule only if no part of the object changed.
func Ratcheting(rule structural.Rule, unchanged string) structural.Rule {
	rule.Rule += celtext.Ratchet + unchanged
	rule.OptionalOldSelf = new(true)
	return rule
}

// WithoutRatcheting returns the rule from which [Ratcheting] made a rule about dependent fields,
// for objects whose old version the server cannot find. ok is false for other rules, such as
// those in markers.
func WithoutRatcheting(rule structural.Rule) (plain structural.Rule, ok bool) {
	condition, _, ok := strings.Cut(rule.Rule, celtext.Ratchet)
	isDependent := strings.HasPrefix(rule.Message, mustBeSet) || strings.HasPrefix(rule.Message, mayNotBeSet)
	if !ok || !isDependent || rule.Reason == nil || !ptr.Deref(rule.OptionalOldSelf, false) {
		return rule, false
	}
	rule.Rule = condition
	rule.OptionalOldSelf = nil
	return rule, true
}
