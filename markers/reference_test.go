package markers

import (
	"strings"
	"testing"

	ours "github.com/schemagen/schemagen/internal/markers"
)

// TestReferenceHasEveryMarker checks that the reference has exactly one complete entry for
// each marker of the table, and no others. TestRows of internal/markers
// does so for the tags that a CRD cannot express.
func TestReferenceHasEveryMarker(t *testing.T) {
	table, err := ours.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	chapters, err := New()
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, chapter := range chapters {
		for _, m := range chapter.Markers {
			if described[m.Name] {
				t.Errorf("duplicate entry for +%s", m.Name)
			}
			described[m.Name] = true
			if len(m.Targets) == 0 {
				t.Errorf("+%s is in the reference, but not in the table", m.Name)
			}
			if m.Effect == "" || m.Go == "" || m.YAML+m.Diagnostics == "" && !m.Silent || !strings.HasPrefix(m.Syntax, "+"+m.Name) {
				t.Errorf("the entry for +%s is incomplete: %+v", m.Name, *m)
			}
		}
	}
	for _, def := range table.Definitions() {
		if !described[def.Name] {
			t.Errorf("+%s is not in the reference: add it to reference.txtar", def.Name)
		}
	}
}

// TestReferenceSyntax checks how the reference shows the arguments of definitions.
func TestReferenceSyntax(t *testing.T) {
	chapters, err := New()
	if err != nil {
		t.Fatal(err)
	}
	syntax := map[string]string{}
	for _, chapter := range chapters {
		for _, m := range chapter.Markers {
			syntax[m.Name] = m.Syntax + " on " + strings.Join(m.Targets, ", ") + " needs " + strings.Join(m.Package, ", ")
		}
	}
	for name, want := range map[string]string{
		"nullable":                            "+nullable on field needs ",
		"kubebuilder:validation:MaxLength":    "+kubebuilder:validation:MaxLength=<int> on type, field needs ",
		"kubebuilder:validation:Enum":         "+kubebuilder:validation:Enum=<any>;… on type, field needs ",
		"kubebuilder:validation:ExactlyOneOf": "+kubebuilder:validation:ExactlyOneOf=<string>;… on type needs ",
		"kubebuilder:deprecatedversion":       "+kubebuilder:deprecatedversion[:warning=<string>] on type needs ",
		"kubebuilder:subresource:scale":       "+kubebuilder:subresource:scale:specpath=<string>,statuspath=<string>[,selectorpath=<string>] on type needs ",
		"k8s:maxItems":                        "+k8s:maxItems=<int> on type, field needs ",
		"k8s:maxLength":                       "+k8s:maxLength=<int> on type, field needs +schemagen:enable=k8s",
		"kubebuilder:pattern":                 "+kubebuilder:pattern=<pattern> on type, field needs +schemagen:enable=kep",
		"k8s:enumExclude":                     "+k8s:enumExclude on constant needs +schemagen:enable=enum",
		"unionMember":                         "+unionMember[=<value>][,optional] on field needs +schemagen:unions=cel",
	} {
		if syntax[name] != want {
			t.Errorf("%s: got syntax %q, want %q", name, syntax[name], want)
		}
	}
}
