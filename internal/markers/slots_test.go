package markers

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSlots compares the slots of controller-tools' markers with testdata/slots.txt, where a new
// marker needs a decision: those of one line are alternatives, and those of the last take effect
// together. A row states what the name of a marker does not imply. -update rewrites the file.
func TestSlots(t *testing.T) {
	names := map[string][]string{}
	for _, def := range table(t).Definitions() {
		if def.row.value == nil && !slices.Contains(names[def.slot()], def.Name) {
			names[def.slot()] = append(names[def.slot()], def.Name)
		}
	}
	together := strings.Join(names[""], " ")
	delete(names, "")
	var lines []string
	for _, alternatives := range names {
		lines = append(lines, strings.Join(alternatives, " "))
	}
	slices.Sort(lines)
	got := strings.Join(append(lines, together), "\n") + "\n"
	if *update {
		if err := os.WriteFile(slotsFile, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(slotsFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got slots\n%s\nwant those of %s:\n%s", got, slotsFile, want)
	}
}

const slotsFile = "testdata/slots.txt"

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
