package gounions

import (
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// enforcedByHand reports whether existing rules in the schema reject exactly what the union
// rejects. It warns about rules that differ.
func (op writeUnion) enforcedByHand(editor *edits.Editor, union *unions.Union, s *structural.Schema) bool {
	judged := op.all.Server.JudgeUnion(union, s)
	if judged == nil {
		return false
	}
	name := "the union of " + union.GoName
	if union.Discriminator == "" {
		name = "the union"
	}
	warn := func(rule int, hint, format string, args ...any) {
		found := locate.Positions(s, fmt.Sprintf(".x-kubernetes-validations[%d]", rule))
		pos := found[len(found)-1]
		if !pos.IsValid() {
			pos = union.Pos
		}
		op.all.Reporter.Report(report.HandWrittenUnionRules, editor.Pkg.At(pos), hint, format, args...)
	}
	const remove = "remove the rule: the union has rules of its own"
	switch {
	case judged.Fails != nil:
		warn(judged.FailsRule, remove, "the rule fails on %s instead of reporting its message: %s", plainjson.Text(judged.Fails), judged.Failure)
	case judged.Slips != nil:
		warn(judged.Rules[0], remove, "the hand-written rules for %s accept %s", name, plainjson.Text(judged.Slips))
	}
	for _, rule := range judged.OneMessage {
		warn(rule, remove, "the rule rejects both a missing member and one that is not selected, with the same message")
	}
	if judged.Same && len(judged.NoFieldPath) > 0 {
		warn(judged.NoFieldPath[0], "remove the hand-written rules, or give them a fieldPath", "the hand-written rules for %s are equivalent to its markers, but do not report the field", name)
	}
	return judged.Same
}

// ofSelf matches the fields of the object that a rule reads.
var ofSelf = lazyregexp.New(`\bself\.(\w+)`)

// mentionsMember reports whether handwritten validation restricts members of the union:
// a rule of the object that reads one, or a junctor that requires one.
func mentionsMember(u *unions.Union, schema *structural.Schema) bool {
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
