package unions

import (
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// WithoutRules returns the rules of an object without those of the cel form from which
// [Of] recovers unions, and without the one that explains an unchanged discriminator,
// which rejects nothing that the others accept.
func WithoutRules(s *structural.Schema) []structural.Rule {
	found := fromRules(s)
	if len(found) == 0 {
		return s.XValidations
	}
	plain := plainNames(s)
	return slices.DeleteFunc(slices.Clone(s.XValidations), func(rule structural.Rule) bool {
		if counted := countRegexp().FindStringSubmatch(rule.Rule); counted != nil && rule.FieldPath == "" {
			_, ok := countedUnion(s, plain, counted)
			return ok
		}
		if slices.ContainsFunc(found, func(u Union) bool { return isTransition(&u, rule) }) {
			return true
		}
		read, ok := readSide(s, plain, rule.Rule)
		return ok && slices.ContainsFunc(found, func(u Union) bool {
			return u.Discriminator == read.discriminator && slices.ContainsFunc(u.Members, func(m Member) bool {
				return m.Name == read.member && m.Value == read.value
			})
		})
	})
}
