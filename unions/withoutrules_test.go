package unions

import (
	"slices"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestWithoutRules checks that rules are kept that express something other than the unions,
// including a rule for only one side of a member.
func TestWithoutRules(t *testing.T) {
	enum := structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(`"A"`)}, {Raw: []byte(`"B"`)}}}
	text := structural.Generic{Type: "string"}
	s := &structural.Schema{Properties: []structural.Property{
		{Name: "type", Schema: &structural.Schema{Generic: text, ValueValidation: &enum}},
		{Name: "a", Schema: &structural.Schema{Generic: text}}, {Name: "b", Schema: &structural.Schema{Generic: text}}, {Name: "c", Schema: &structural.Schema{Generic: text}},
	}}
	rules := []string{
		"!(has(self.type) && self.type == 'A') || has(self.a)", "!has(self.a) || (self.type == 'A')", // a union
		"!(self.type == 'B') || has(self.b)",                       // one side only
		"!has(self.c) || (self.type == 'C')",                       // no value
		"self.a != 'x'",                                            // none
		"(has(self.b) ? 1 : 0) + (has(self.c) ? 1 : 0) <= 1",       // a union
		"(has(self.b) ? 1 : 0) + (has(self.nothing) ? 1 : 0) <= 1", // no field
	}
	for _, rule := range rules {
		s.XValidations = append(s.XValidations, structural.Rule{Rule: rule})
	}
	var got []string
	for _, rule := range WithoutRules(s) {
		got = append(got, rule.Rule)
	}
	if want := []string{rules[2], rules[3], rules[4], rules[6]}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if len(s.XValidations) != len(rules) {
		t.Error("the schema was modified")
	}
}
