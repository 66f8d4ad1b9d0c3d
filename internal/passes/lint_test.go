package passes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// TestFindingsOfSelectedKinds plants mistakes in a kind, in a type that only this kind
// uses, and in a field. A run for another kind in the same file must not report them.
func TestFindingsOfSelectedKinds(t *testing.T) {
	for _, c := range []struct{ name, kind, field, typ string }{
		{"none", "", "", ""},
		{"enum", "", "", "// +enum"},
		{"tag", "", "// +k8s:maxLength=3", ""},
		{"unknown", "", "// +kubebuilder:validation:MaxLenght=3", ""},
		{"unknown at the kind", "// +kubebuilder:subresourse:status", "", ""},
		{"unknown at the type", "", "", "// +kubebuilder:validation:Patern=a"},
		{"target", "", "// +kubebuilder:subresource:status", ""},
		{"overridden", "", "// +kubebuilder:validation:MaxLength=3\n\t// +kubebuilder:validation:MaxLength=4", ""},
		{"malformed", "", "// + kubebuilder:validation:MaxLength=3", ""},
		{"union", "", "// +unionMember\n\tM *string `json:\"m,omitempty\"`\n\t// +unionDiscriminator\n\t// +kubebuilder:validation:Enum=M;B", ""},
		{"metadata", "", "Meta metav1.ObjectMeta `json:\"meta\"`", ""},
	} {
		dir := t.TempDir()
		if err := typedmodule.Requirements(dir); err != nil {
			t.Fatal(err)
		}
		head := "\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n"
		src := "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
			c.kind + "\ntype Wrong struct {\n" + head + "\t" + c.field + "\n\tA string `json:\"a\"`\n\tB Text `json:\"b\"`\n}\n\n" +
			"type Right struct {\n" + head + "}\n\n" + c.typ + "\ntype Text string\n"
		if err := os.WriteFile(filepath.Join(dir, "types.go"), []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, kinds := range [][]string{nil, {"Wrong"}, {"Right"}} {
			_, findings, err := generateFiles(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"."}}, Output: define.Output{Kinds: kinds}, Server: gentest.Server(t, "")})
			if err != nil {
				t.Fatal(err)
			}
			want := c.name != "none" && (len(kinds) == 0 || kinds[0] == "Wrong")
			if (len(findings) > 0) != want {
				t.Errorf("%s, kinds %v: unexpected findings %v", c.name, kinds, findings)
			}
		}
	}
}

// TestMarkersWithEquivalents combines tags without effect with the equivalent
// Kubebuilder markers. The tags must be reported only if there is no equivalent.
func TestMarkersWithEquivalents(t *testing.T) {
	for _, c := range []struct {
		name, field, goType, typ string
		want                     bool
	}{
		{"enum", "", "Text", "// +enum", true},
		{"enum with Enum", "", "Text", "// +enum\n// +kubebuilder:validation:Enum=A;B", false},
		{"enum above another marker", "", "Text", "// +enum\n// +kubebuilder:validation:MinLength=1", true},
		{"enum of a field with Enum", "// +kubebuilder:validation:Enum=A;B", "Text", "// +enum", false},
		{"enum of a pointer with Enum", "// +kubebuilder:validation:Enum=A;B", "*Text", "// +enum", false},
		{"enum of a list with Enum", "// +kubebuilder:validation:items:Enum=A;B", "[]Text", "// +enum", false},
		{"enum of a list", "// +kubebuilder:validation:MaxItems=2", "[]Text", "// +enum", true},
		{"enum of a map", "", "map[string]Text", "// +enum", true},
		{"a length", "// +k8s:maxLength=3", "string", "", true},
		{"a length with MaxLength", "// +k8s:maxLength=3\n\t// +kubebuilder:validation:MaxLength=3", "string", "", false},
		{"a length with MinLength", "// +k8s:maxLength=3\n\t// +kubebuilder:validation:MinLength=3", "string", "", true},
		{"a type's length", "", "Text", "// +kubebuilder:validation:MaxLength=3\n// +k8s:maxLength=3", false},
	} {
		dir := t.TempDir()
		if err := typedmodule.Requirements(dir); err != nil {
			t.Fatal(err)
		}
		src := "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
			"type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t" + c.field + "\n\tA " + c.goType + " `json:\"a\"`\n}\n\n" +
			c.typ + "\ntype Text string\n"
		if err := os.WriteFile(filepath.Join(dir, "types.go"), []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		_, findings, err := generateFiles(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"."}}, Server: gentest.Server(t, "")})
		if err != nil {
			t.Fatal(err)
		}
		codes := codesOf(findings)
		if got := strings.Contains(codes, string(report.FeatureDisabled.Code)); got != c.want || !got && codes != "" {
			t.Errorf("%s: unexpected findings %v", c.name, findings)
		}
	}
}

func codesOf(findings diag.List) string {
	var out []string
	for _, d := range findings {
		out = append(out, string(d.Code))
	}
	return strings.Join(out, " ")
}
