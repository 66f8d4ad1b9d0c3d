package gatedsource

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/markers"
)

// FuzzWith checks that no file makes the package panic, that the result is Go, and that nothing
// in it depends on the gate.
func FuzzWith(f *testing.F) {
	table, err := markers.NewTable()
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"types", "package", "shared", "both", "openshift"} {
		text, err := os.ReadFile("testdata/" + name + ".txtar")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(text).Files[0].Data)
	}
	for _, line := range []string{
		"// +schemagen:when(", "// +schemagen:when(X)=", "// +schemagen:when(X)=+", "//+schemagen:when(X)=+schemagen:when(X)=+optional", "// +schemagen:when(X)=+schemagen:when(X)",
		"// +schemagen:at(.a)=+schemagen:when(X)=", "// +schemagen:when(A)=+schemagen:at(.a)=+schemagen:when(X)", "/* +schemagen:when(X) */",
		"// +schemagen:doc(X)", "// +schemagen:doc(X)\n// +schemagen:doc(X)\n// +schemagen:doc:end\n// +schemagen:doc:end", "// +schemagen:type(a)=+schemagen:when(X)",
		"// +schemagen:when(X)=+kubebuilder:validation:XValidation:rule=`a\n//b", "// +schemagen:when(X && \"X\" || X)", "// +schemagen:when(X)\n// +schemagen:when(!X)", "// +openshift:enable:FeatureGate=X;A",
		"// +openshift:validation:FeatureGateAwareEnum:featureGate=\"\";X,enum=a;1\n// +openshift:validation:FeatureGateAwareEnum:enum=b,requiredFeatureGate=X;A",
		"// +openshift:validation:FeatureGateAwareXValidation:featureGate=X,rule=`a\n//b`\n// +openshift:validation:FeatureGateAwareXValidation:featureGate=,rule=b",
	} {
		f.Add([]byte("package a\n\n" + line + "\ntype T struct {\n\t" + line + "\n\tA, B int `json:\"a\"` " + line + "\n}\n\n" + line + "\nconst C = 1\n" + line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(table, "a.go", text, []string{markers.FeatureK8s, markers.FeatureOpenShift})
		if err != nil || file == nil {
			return
		}
		for _, on := range []bool{true, false} {
			result, err := file.With("X", on)
			var reason *Error
			if errors.As(err, &reason) {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), "", result.Text, parser.ParseComments); err != nil {
				t.Fatalf("%q with X %v is %q: %v", text, on, result.Text, err)
			}
			again, err := Parse(table, "a.go", result.Text, []string{markers.FeatureK8s, markers.FeatureOpenShift})
			if err != nil {
				t.Fatal(err)
			}
			if again != nil && slices.ContainsFunc(again.Uses, func(u Use) bool { return slices.Contains(u.Condition.Names(), "X") }) {
				t.Fatalf("%q with X %v is %q", text, on, result.Text)
			}
		}
	})
}
