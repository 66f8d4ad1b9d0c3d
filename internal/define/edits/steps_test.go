package edits

import (
	"slices"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

func TestSteps(t *testing.T) {
	s := &structural.Schema{
		Properties:           []structural.Property{{Name: "a", Schema: &structural.Schema{}}},
		Items:                &structural.Schema{},
		AdditionalProperties: &structural.SchemaOrBool{Schema: &structural.Schema{}},
	}
	for _, test := range []struct {
		listType, mapType string
		want              []string
	}{
		{"", "", []string{".a", "{*}"}},
		{"map", "", []string{".a", "[*]", "{*}"}},
		{"map", "atomic", nil},
	} {
		s.XListType = test.listType
		s.XMapType = test.mapType
		var all, correlated []string
		for step := range Children(s) {
			all = append(all, step.String())
			if step.Correlates(s) {
				correlated = append(correlated, step.String())
			}
		}
		if want := []string{".a", "[*]", "{*}"}; !slices.Equal(all, want) {
			t.Errorf("the steps are %q", all)
		}
		if !slices.Equal(correlated, test.want) {
			t.Errorf("list type %q, map type %q: got %q, want %q", test.listType, test.mapType, correlated, test.want)
		}
	}
	if got := (Step{Kind: StepEach}).String() + (Step{}).String(); got != "{*}" {
		t.Error(got)
	}
}
