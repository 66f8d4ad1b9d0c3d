package compare

import (
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestRulesOfNewFields checks that a rule is safe if and only if it starts with the absence
// of a field that no object could have had.
func TestRulesOfNewFields(t *testing.T) {
	yes := true
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	filled := &structural.Schema{Generic: structural.Generic{Type: "string", Default: &structural.JSON{Raw: []byte(`"a"`)}}}
	with := func(fields ...structural.Property) *structural.Schema {
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: fields}
	}
	a, b, c := structural.Property{Name: "a", Schema: text}, structural.Property{Name: "b", Schema: text}, structural.Property{Name: "b", Schema: filled}
	open := with(a)
	open.XPreserveUnknownFields = &yes
	for _, row := range []struct {
		old, new *structural.Schema
		rule     string
		want     Category
	}{
		{with(a), with(a, b), "!has(self.b) || self.a == 'x'", Safe},
		{with(a), with(a, b), "!has(self.b) || self.a == 'x' ? true : false", BreaksStored},
		{with(a), with(a, b), "!has(self.a) || self.b == 'x'", BreaksStored},
		{with(a), with(a, b), "has(self.b) || self.a == 'x'", BreaksStored},
		{with(a), with(a, c), "!has(self.b) || self.a == 'x'", BreaksStored},
		{open, with(a, b), "!has(self.b) || self.a == 'x'", BreaksStored},
		{with(a, b), with(a, b), "!has(self.b) || self.a == 'x'", BreaksStored},
	} {
		row.new.XValidations = []structural.Rule{{Rule: row.rule}}
		d := &definition{ratchets: true}
		c := &comparer{definition: d, table: keywords()}
		c.rules(nodePair{old: normalized(row.old), new: normalized(row.new), correlated: true})
		if len(d.changes) != 1 || d.changes[0].Category != row.want {
			t.Errorf("%s: %+v", row.rule, d.changes)
		}
	}
}

func TestHasConditional(t *testing.T) {
	for rule, want := range map[string]bool{
		"!has(self.a) || self.b":                false,
		"!has(self.a) || self.b ? c : d":        true,
		"!has(self.a) || (self.b ? c : d)":      false,
		"!has(self.a) || self.b == '?'":         false,
		`!has(self.a) || self.b == '\'?'`:       true,
		"!has(self.a) || b // ?\n ? c : d":      true,
		"!has(self.a) || [b ? c : d][0]":        false,
		"!has(self.a) || self.b == ')' ? c : d": true,
		`!has(self.a) || '''a'b''' ? c : d`:     true,
	} {
		if got := hasConditional(rule); got != want {
			t.Errorf("%s: %t", rule, got)
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
