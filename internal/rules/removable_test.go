package rules

import (
	"fmt"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// TestRemoval finds values that escape from rules which are to keep them.
func TestRemoval(t *testing.T) {
	keep := structural.Rule{Rule: "self == oldSelf", Message: "label is immutable"}
	for _, c := range []struct {
		name    string
		rule    structural.Rule
		parents []structural.Rule
		field   string
		want    string
	}{
		{"an optional field", keep, nil, "label", "example, then "},
		{"another message", structural.Rule{Rule: "self == oldSelf", Message: "Once set, the size stays"}, nil, "size", "1, then 0"},
		{"a message about something else", structural.Rule{Rule: "self == oldSelf", Message: "label is wrong"}, nil, "label", ""},
		{"a required field", keep, nil, "name", ""},
		{"a field with a default", keep, nil, "unit", ""},
		{"a rule that is also about removal", structural.Rule{Rule: "!oldSelf.hasValue() || self == oldSelf.value()", Message: "immutable", OptionalOldSelf: new(true)}, nil, "label", ""},
		{"a rule of the parent", keep, []structural.Rule{{Rule: "has(self.label) == has(oldSelf.label)"}}, "label", ""},
		{"a rule without oldSelf", structural.Rule{Rule: "self == 'x'", Message: "label is immutable"}, nil, "label", ""},
	} {
		s := schemaOf(t, valveSchema)
		s.XValidations = c.parents
		node := property(s, c.field).Schema
		node.XValidations = []structural.Rule{c.rule}
		edges := []structural.Edge{{Keyword: "properties", Property: "spec"}, {Keyword: "properties", Property: c.field}}
		r, err := searchOf(s).Removal(t.Context(), edges, node, c.rule)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r != nil {
			got = fmt.Sprintf("%v, then %v", r.Old, r.New)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
