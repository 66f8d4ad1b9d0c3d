package crdtest

import (
	"os"
	"strings"
	"testing"
)

// TestRun uses the package like a project does.
func TestRun(t *testing.T) {
	Run(t, "./testdata/api/...", "testdata/widget.testsuite.yaml")
}

// TestFailures checks that failed cases are reported with their line in the suite.
func TestFailures(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cases, findings, err := Options{}.cases(t.Context(), dir, "./testdata/api", []string{"testdata/wrong.*"})
	if err != nil || len(findings) > 0 || len(cases) != 2 {
		t.Fatalf("%d cases, %v, %v", len(cases), findings, err)
	}
	for i, want := range []string{
		`
testdata/wrong.testsuite.yaml:17:9: error[SG707]: Wrong/onCreate/Another size: the stored object differs from the expected one at spec.size
--- expected
+++ stored
@@ -2,4 +2,4 @@
 kind: Widget
 spec:
   color: red
-  size: 4
+  size: 3`,
		`
testdata/wrong.testsuite.yaml:28:20: error[SG707]: Wrong/onUpdate/Another error: expected an error containing "color is immutable", but the server reports: `,
	} {
		failure, err := cases[i].Run(t.Context())
		if err != nil || failure == nil {
			t.Fatal(failure, err)
		}
		if got := describe(failure, dir); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got:%s\nwant:%s", cases[i].Name, got, want)
		}
	}
}

// TestErrors checks the errors for packages and suites that cannot be used.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ packages, suites, want string }{
		{"./testdata/api", "testdata/none.*", "no test suite matches testdata/none.*"},
		{"./testdata/api", "[", "[: syntax error in pattern"},
		{"./testdata/none", "testdata/widget.*", "testdata/none"},
		{"./testdata", "testdata/widget.*", "no Go files"},
		{"./testdata/api", "testdata/api/types.go", "testdata/api/types.go:"},
	} {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		_, findings, err := Options{}.cases(t.Context(), dir, test.packages, []string{test.suites})
		text := textOf(findings, dir)
		if err != nil {
			text = err.Error()
		} else if !findings.HasErrors() {
			t.Errorf("%s %s: no error", test.packages, test.suites)
		}
		if !strings.Contains(text, test.want) {
			t.Errorf("%s %s: got %s, want %s", test.packages, test.suites, text, test.want)
		}
	}
}
