package compare

import (
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestRulesOfNewFields checks that a rule is safe if and only if it is true for objects without
// a field that no object could have had. TestAlwaysHolds of apiserver has more rules.
func TestRulesOfNewFields(t *testing.T) {
	yes := true
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	filled := &structural.Schema{Generic: structural.Generic{Type: "string", Default: &structural.JSON{Raw: []byte(`"a"`)}}}
	with := func(fields ...structural.Property) *structural.Schema {
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: fields}
	}
	a, b, c := structural.Property{Name: "a", Schema: text}, structural.Property{Name: "b", Schema: text}, structural.Property{Name: "b", Schema: filled}
	of := func(fields ...structural.Property) *structural.Schema {
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "sub", Schema: with(fields...)}},
			ValueValidation: &structural.ValueValidation{Required: []string{"sub"}}}
	}
	defaulted := func(s *structural.Schema) *structural.Schema {
		s.Properties[0].Schema.Default = &structural.JSON{Raw: []byte("{}")}
		return s
	}
	open := with(a)
	open.XPreserveUnknownFields = &yes
	for _, row := range []struct {
		old, new *structural.Schema
		rule     string
		want     Category
	}{
		{with(a), with(a, b), "!has(self.b) || self.a == 'x'", Safe},
		{with(a), with(a, b), "!has(self.b) || self.a == 'x' ? true : false", Safe},
		{with(a), with(a, b), "!has(self.b) || self.a == 'x' ? false : true", BreaksStored},
		{with(a), with(a, b), "!has(self.b) && (oldSelf.a == 'x' || !has(oldSelf.b))", Safe},
		{with(a), with(a, b), "!has(self.a) || self.b == 'x'", BreaksStored},
		{with(a), with(a, b), "has(self.b) || self.a == 'x'", BreaksStored},
		{with(a), with(a, c), "!has(self.b) || self.a == 'x'", BreaksStored},
		{open, with(a, b), "!has(self.b) || self.a == 'x'", BreaksStored},
		{with(a, b), with(a, b), "!has(self.b) || self.a == 'x'", BreaksStored},
		{of(a), of(a, b), "!has(self.sub.b)", Safe},
		{of(a), of(a, c), "!has(self.sub.b)", BreaksStored},
		{of(a), defaulted(of(a, b)), "!has(self.sub.b)", BreaksStored},
		{of(a), of(a, b), "!has(self.b.sub)", BreaksStored},
	} {
		row.new.XValidations = []structural.Rule{{Rule: row.rule}}
		d := &definition{target: newest(t), equal: equalNodes{}, ratchets: true}
		c := &comparer{definition: d, table: keywords()}
		c.rules(nodePair{old: normalized(row.old), new: normalized(row.new), field: ".spec", correlated: true})
		if len(d.changes) != 1 || d.changes[0].Category != row.want {
			t.Errorf("%s: %+v", row.rule, d.changes)
		}
	}
}

func TestCannotFail(t *testing.T) {
	for rule, want := range map[string]bool{
		"self != 'abc'":                          true,
		"self in ['a', 'b'] && self.size() > -1": true,
		`self.matches("^a+$") || !(self >= 5)`:   true,
		"self.split('-')[1] == 'a'":              false,
		"int(self) > 5":                          false,
		"self - 1 > 5":                           false,
		"self -1 > 5":                            false,
		"(self) -1 > 5":                          false,
		"self / 2 > 5":                           false,
		"self[0] == 'a'":                         false,
		"['a'] [1] == self":                      false,
		"url(self).getHost() == 'a'":             false,
		"'a'.matches(self)":                      false,
		"'a'.matches( self )":                    false,
		"self.matches( 'a' )":                    true,
		"self.sizes() > 1":                       false,
		`self == 'a\'b'`:                         false,
	} {
		if got := cannotFail(rule); got != want {
			t.Errorf("%s: %t", rule, got)
		}
	}
}
