package markers

import (
	"slices"
	"testing"
)

// TestSlots checks that every marker of the table either has a slot or adds up.
func TestSlots(t *testing.T) {
	names := map[string]bool{}
	for _, def := range table(t).Definitions() {
		names[def.Name] = true
	}
	for _, r := range rows() {
		names[r.name] = true
	}
	for name := range names {
		if _, ok := slot(name); !ok {
			t.Errorf("+%s: slots.go does not say whether a conditional one replaces others or is added to them", name)
		}
	}
	if _, ok := slot("kubebuilder:validation:Unheard"); ok {
		t.Error("a name that is not listed has a slot")
	}
}

func TestSlotsOf(t *testing.T) {
	table := table(t)
	for text, want := range map[string][]string{
		"+kubebuilder:validation:MaxItems=5":                                          {"maxItems"},
		"+k8s:maxItems=5":                                                             {"maxItems"},
		"+kubebuilder:validation:Required":                                            {"presence"},
		"+kubebuilder:validation:XValidation:rule=\"true\"":                           nil,
		"+kubebuilder:printcolumn:name=Age,type=date,JSONPath=.a":                     {"printcolumn:Age"},
		"+kubebuilder:metadata:annotations=a=b;c=d,labels=e=f":                        {"metadata:annotation:a", "metadata:annotation:c", "metadata:label:e"},
		"+schemagen:at(.a.b)=+kubebuilder:validation:MaxItems=5":                      {"schemagen:at(.a.b)maxItems"},
		"+schemagen:at( .a.b )=+kubebuilder:validation:XValidation:rule=\"self > 1\"": nil,
	} {
		target := Field
		if table.Lookup(text, Field) == nil {
			target = Type
		}
		if got := table.Slots(Comment{Text: text, Pos: 1}, target); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
