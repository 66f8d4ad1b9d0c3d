package main

import (
	"errors"
	"strings"
	"testing"
)

// TestTestResults reads what becomes of tests without subtests.
func TestTestResults(t *testing.T) {
	const text = `{"Action":"run","Test":"TestA"}
{"Action":"run","Test":"TestA/one"}
{"Action":"output","Test":"TestA/one","Output":"    a_test.go:1: wrong\n"}
{"Action":"fail","Test":"TestA/one"}
{"Action":"run","Test":"TestA/two"}
{"Action":"pass","Test":"TestA/two"}
{"Action":"fail","Test":"TestA"}
{"Action":"run","Test":"TestB"}
{"Action":"pass","Test":"TestB"}
{"Action":"fail"}
`
	results, err := testResults([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []testResult{
		{name: "TestA/one", failed: true, output: "    a_test.go:1: wrong\n"}, {name: "TestA/two"}, {name: "TestB"},
	}
	if len(results) != len(want) {
		t.Fatalf("got %+v", results)
	}
	for i := range want {
		if results[i] != want[i] {
			t.Errorf("got %+v, want %+v", results[i], want[i])
		}
	}
}

// TestWithoutDeclarations removes what a client of schemagen replaces, and what only that used.
func TestWithoutDeclarations(t *testing.T) {
	const text = `package main

import (
	"os"
	"strings"
	"testing"

	api "example.test/v1"
)

var client api.Client

func TestMain(m *testing.M) { os.Exit(m.Run()) }

func matches(a string) bool { return strings.Contains(a, "b") }
`
	const want = `package main

import (
	"strings"
)

func matches(a string) bool { return strings.Contains(a, "b") }
`
	got, err := withoutDeclarations([]byte(text), "TestMain", "client")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(got)) != strings.TrimSpace(want) {
		t.Errorf("got\n%s", got)
	}
}

// TestGatewayDifference reads failures of Gateway API's tests, and explains only what is known.
func TestGatewayDifference(t *testing.T) {
	for _, c := range []struct{ output, theirs, ours, reason string }{
		{
			"a_test.go:1: Unexpected response; got err=\nspec: Invalid value: too long\n;missing strings within error=[\"Invalid value: \\\"object\\\": too long\"]\n--- FAIL: TestA (0.00s)",
			`["Invalid value: \"object\": too long"]`, "spec: Invalid value: too long",
			"since Kubernetes 1.35, errors of CEL rules omit the type in place of objects and lists",
		},
		{
			"a_test.go:1: Unexpected response; got err=\nspec: Invalid value: too short\n;missing strings within error=[\"Invalid value: \\\"object\\\": too long\"]\n--- FAIL: TestA (0.00s)",
			`["Invalid value: \"object\": too long"]`, "spec: Invalid value: too short", "",
		},
		{
			"a_test.go:1: Unexpected response; got err=\n<nil>\n;want error=true\n--- FAIL: TestA (0.00s)", "true", "<nil>", "",
		},
	} {
		got := gatewayDifference(testResult{name: "TestA", failed: true, output: c.output})
		if got.theirs != c.theirs || got.ours != c.ours || got.reason != c.reason {
			t.Errorf("%s: got %+v", c.output, got)
		}
	}
}

// TestDifferentErrors compares errors, of which schemagen shortens the values and the white space.
func TestDifferentErrors(t *testing.T) {
	for _, c := range []struct {
		theirs, ours string
		same         bool
	}{
		{"a: Invalid value: 1: x", "a: Invalid value: 1: x", true},
		{"a: Invalid value: 1: x,  y", "a: Invalid value: 1: x, y", true},
		{"a: Invalid value: 12345: x", "a: Invalid value: 1 … 5: x", true},
		{"a: Invalid value: 12345: x", "a: Invalid value: 1 … 3 … 5: x", true},
		{"a: Invalid value: 12345: x", "a: Invalid value: 1 … 9 … 5: x", false},
		{"a: Invalid value: 12345: x", "a: Invalid value: 1 … 5: y", false},
		{"a: Invalid value: 12345: x", "b: Invalid value: 1 … 5: x", false},
	} {
		theirs, ours := differentErrors([]string{c.theirs}, []string{c.ours})
		if same := len(theirs)+len(ours) == 0; same != c.same {
			t.Errorf("%q and %q: got %v", c.theirs, c.ours, same)
		}
	}
	theirs, ours := differentErrors([]string{"a", "a", "b"}, []string{"a", "c"})
	if strings.Join(theirs, " ") != "a b" || strings.Join(ours, " ") != "c" {
		t.Errorf("got %q and %q", theirs, ours)
	}
}

// TestRenamedFunctions renames functions but not methods, so that a wrapper can take their names.
func TestRenamedFunctions(t *testing.T) {
	got, err := renamedFunctions([]byte("package a\n\nfunc A() { B() }\n\nfunc B() {}\n\nfunc (t T) A() {}\n"), "recorded", "A")
	if err != nil {
		t.Fatal(err)
	}
	if want := "package a\n\nfunc recordedA() { B() }\n\nfunc B() {}\n\nfunc (t T) A() {}\n"; string(got) != want {
		t.Errorf("got\n%s", got)
	}
}

// TestLinterSource reads expectations, and completes source without moving lines.
func TestLinterSource(t *testing.T) {
	const text = "package a\n\ntype A struct {\n\tName string // want \"field A.Name has \\\\+marker\" `other`\n\tB\n\tC int `json:\"c\"` // want\n}\n\ntype B []string\n"
	wants, err := linterWants("a.go", text)
	if err != nil {
		t.Fatal(err)
	}
	if len(wants) != 2 || wants[0].Line != 4 || wants[0].Message != "field A.Name has +marker" || wants[1].Message != "other" {
		t.Errorf("got %+v", wants)
	}
	kinds := map[string]bool{}
	got, err := taggedSource([]byte(text), true, kinds)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("string //", "string `json:\"name\"` //", "\tB\n", "\tB `json:\",inline\"`\n").Replace(text)
	if string(got) != want || len(kinds) != 1 || !kinds["A"] {
		t.Errorf("got %v\n%s", kinds, got)
	}
	untouched, err := taggedSource([]byte(text), false, kinds)
	if err != nil || string(untouched) != text {
		t.Errorf("got %v\n%s", err, untouched)
	}
}

// TestPeerTable prints a table with the cases by reason.
func TestPeerTable(t *testing.T) {
	table := peerTable{
		name: "TestA", count: 5, changed: 1, omitted: []peerOmission{{"v1 cannot express the CRD", 2}},
		differs: []peerCase{{"a", "x", "y", "second"}, {"b", "x", "y", "first"}, {"c", "x", "z", "second"}},
	}
	const want = `TestA: 5 cases, 2 agree; to 1, the server answers a request otherwise than the test's call; 2 not run: v1 cannot express the CRD
	first
		b: theirs: x | here: y
	second
		a: theirs: x | here: y
		c: theirs: x | here: z
`
	if got := table.text(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestDownloadAnswer reads why the module proxy does not serve a module.
func TestDownloadAnswer(t *testing.T) {
	const text = "go mod download -json a@v1 in /tmp/x: exit status 1\n{\n\t\"Path\": \"a\",\n\t\"Error\": \"a@v1: reading \\\"b\\\": 404\"\n}\n"
	if got := downloadAnswer(errors.New(text)); got != `a@v1: reading "b": 404` {
		t.Errorf("got %q", got)
	}
	if got := downloadAnswer(errors.New("no\nnetwork")); got != "no network" {
		t.Errorf("got %q", got)
	}
}

// TestCELReason explains only the known differences.
func TestCELReason(t *testing.T) {
	const contributed = "a.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
	const uncompiled = "a.x-kubernetes-validations[0].rule: Invalid value: x"
	for _, c := range []struct {
		theirs, ours []string
		explained    bool
	}{
		{theirs: []string{contributed}, explained: true},
		{theirs: []string{contributed, contributed}, explained: true},
		{theirs: []string{contributed, uncompiled}},
		{theirs: []string{contributed}, ours: []string{uncompiled}},
		{theirs: []string{uncompiled}},
		{ours: []string{uncompiled}, explained: true},
		{ours: []string{"a: Invalid value: x"}},
	} {
		if got := celReason(c.theirs, c.ours); (got != "") != c.explained {
			t.Errorf("%q and %q: got %q", c.theirs, c.ours, got)
		}
	}
}
