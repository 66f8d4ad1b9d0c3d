package rules

import (
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// Stored returns the schema of objects that were stored with the schema that s replaces: they need not have
// what only s requires. The server adds new defaults when it reads them.
func Stored(s, replaced *structural.Schema) *structural.Schema {
	if s == nil || replaced == nil {
		return s
	}
	out := *s
	if s.ValueValidation != nil {
		v := *s.ValueValidation
		v.Required = slices.DeleteFunc(slices.Clone(v.Required), func(name string) bool { return !replaced.Requires(name) })
		out.ValueValidation = &v
	}
	out.Properties = slices.Clone(s.Properties)
	for i, p := range out.Properties {
		out.Properties[i].Schema = Stored(p.Schema, replaced.Property(p.Name))
	}
	out.Items = Stored(s.Items, replaced.Items)
	if a := s.AdditionalProperties; a != nil && replaced.AdditionalProperties != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Bool: a.Bool, Schema: Stored(a.Schema, replaced.AdditionalProperties.Schema)}
	}
	return &out
}

// StoredReads analyzes what a rule of a schema reads of oldSelf, whose schema is stored.
func StoredReads(rule structural.Rule, s, stored *structural.Schema, place Place) *Analysis {
	a := reads(parse(rule.Rule), rule, variable("self", s, place), variable("oldSelf", stored, place))
	if a == nil {
		return nil
	}
	a.stored = stored
	a.Failing = slices.DeleteFunc(a.Failing, func(r Read) bool { return r.Steps == nil || r.Steps[0] != "oldSelf" })
	return a
}

// UnchangedReads analyzes what a rule reads of a value of the schema stored which an update leaves as it
// is. The server then ignores that the value lacks what is required, but not that a rule fails.
func UnchangedReads(rule structural.Rule, stored *structural.Schema, place Place) *Analysis {
	self := variable("self", stored, place)
	old := self
	old.text = "oldSelf"
	a := reads(parse(rule.Rule), rule, self, old)
	if a != nil {
		a.stored = stored
		a.isUnchanged = true
	}
	return a
}
