package rules

import (
	"reflect"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
)

// Condition is a rule of an object, or one of the logical junctors of its schema.
type Condition struct {
	Rule structural.Rule
	// Junctor has a single allOf, anyOf, oneOf or not, and nothing else; nil for a rule.
	Junctor *structural.ValueValidation
	// Keyword is the JSON name of the junctor.
	Keyword string
}

// ConditionsOf returns the conditions of a schema: its rules in order, then its junctors.
func ConditionsOf(s *structural.Schema) []Condition {
	out := RuleConditions(s.XValidations)
	if s.ValueValidation == nil {
		return out
	}
	for i := range s.AllOf {
		out = append(out, Condition{Keyword: "allOf", Junctor: &structural.ValueValidation{AllOf: s.AllOf[i : i+1]}})
	}
	if len(s.AnyOf) > 0 {
		out = append(out, Condition{Keyword: "anyOf", Junctor: &structural.ValueValidation{AnyOf: s.AnyOf}})
	}
	if len(s.OneOf) > 0 {
		out = append(out, Condition{Keyword: "oneOf", Junctor: &structural.ValueValidation{OneOf: s.OneOf}})
	}
	if s.Not != nil {
		out = append(out, Condition{Keyword: "not", Junctor: &structural.ValueValidation{Not: s.Not}})
	}
	return out
}

// RuleConditions returns rules as conditions.
func RuleConditions(list []structural.Rule) []Condition {
	var out []Condition
	for _, rule := range list {
		out = append(out, Condition{Rule: rule})
	}
	return out
}

// schema returns a schema with the junctor of a condition, and nothing else.
func (c Condition) schema() *structural.Schema {
	return &structural.Schema{ValueValidation: c.Junctor}
}

// isEqual reports whether conditions are written alike.
func (c Condition) isEqual(other Condition) bool {
	if c.Junctor == nil {
		isOptional := ptr.Deref(c.Rule.OptionalOldSelf, false)
		return c.Rule.Rule == other.Rule.Rule && isOptional == ptr.Deref(other.Rule.OptionalOldSelf, false)
	}
	return other.Junctor != nil && plainjson.Text(c.schema().Props()) == plainjson.Text(other.schema().Props())
}

// reads reports whether a condition may read a field.
func (c Condition) reads(field string) bool {
	if c.Junctor == nil {
		return strings.Contains(c.Rule.Rule, "."+field)
	}
	return strings.Contains(plainjson.Text(c.schema().Props()), plainjson.Text(field))
}

// validation adds the columns of a value validation in a junctor, for the value to which steps lead. It returns
// false if a table cannot tell for which values it holds, such as those that match a pattern.
func (r *reader) validation(v *structural.ValueValidation, steps []string) bool {
	for _, name := range v.Required {
		if r.useOf(append(slices.Clip(steps), name)) == nil {
			return false
		}
	}
	if v.Pattern != "" || v.Format != "" || v.MultipleOf != nil || v.UniqueItems {
		return false
	}
	u := r.useOf(steps)
	for _, size := range []*int64{v.MinLength, v.MaxLength, v.MinItems, v.MaxItems, v.MinProperties, v.MaxProperties} {
		switch {
		case size == nil:
		case u == nil:
			return false
		default:
			u.sizes = append(u.sizes, *size)
		}
	}
	for _, limit := range []*float64{v.Minimum, v.Maximum} {
		if limit != nil && (u == nil || float64(int64(*limit)) != *limit || !u.value(int64(*limit))) {
			return false
		}
	}
	for _, allowed := range v.Enum {
		var value any
		if u == nil || utiljson.Unmarshal(allowed.Raw, &value) != nil || !u.value(value) {
			return false
		}
	}
	for _, branch := range slices.Concat(v.AllOf, v.AnyOf, v.OneOf) {
		if !r.nested(&branch, steps) {
			return false
		}
	}
	return v.Not == nil || r.nested(v.Not, steps)
}

// nested adds the columns of a schema in a junctor, as [reader.validation].
func (r *reader) nested(n *structural.NestedValueValidation, steps []string) bool {
	for _, p := range n.Properties {
		below := append(slices.Clip(steps), p.Name)
		if r.useOf(below) == nil || !r.nested(p.Schema, below) {
			return false
		}
	}
	other := *n
	other.ValueValidation = structural.ValueValidation{}
	other.Properties = nil
	other.Origin = structural.Origin{}
	return reflect.ValueOf(other).IsZero() && r.validation(&n.ValueValidation, steps)
}
