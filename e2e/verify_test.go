package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	baseversion "k8s.io/component-base/version"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/verify"
)

// TestVerifyPredicts compares the findings of verify with the responses of the server: both
// must have the same errors with the same field paths, or none.
func TestVerifyPredicts(t *testing.T) {
	part(t, "predictions of verify")
	s := cluster(t)
	rejected, taken := compareAll(t, s, doubtfulCRDs(t))
	t.Logf("%d rejected, %d accepted", rejected, taken)
	if rejected < 180 || taken < 40 {
		t.Errorf("got only %d rejected and %d accepted", rejected, taken)
	}
	suite.report.Count("definitions rejected as verify predicts, with the same messages and field paths", rejected)
	suite.report.Count("definitions of the same sources accepted as verify predicts", taken)
}

// compareAll compares verify and the server for each definition. Nothing is stored.
func compareAll(t *testing.T, s *Server, crds []CRD) (rejected, taken int) {
	t.Helper()
	ctx := within(t)
	target, err := apiserver.NewTarget(s.Version)
	if err != nil {
		t.Fatal(err)
	}
	verifier := verify.New(target, verify.Options{})
	exact := exactWords(s)
	for _, crd := range crds {
		t.Run(crd.From, func(t *testing.T) {
			predicted := predict(t, verifier, crd)
			a, err := s.Do(ctx, http.MethodPost, crdsPath+"?dryRun=All&"+Strict, YAML, crd.Data)
			if err != nil {
				t.Fatal(err)
			}
			if a.OK() {
				taken++
			} else {
				rejected++
			}
			predicted.compare(t, a, exact)
		})
	}
	return rejected, taken
}

// doubtfulCRDs returns definitions for which verify has findings.
func doubtfulCRDs(t *testing.T) []CRD {
	t.Helper()
	_, crds, err := CaseCRDs(root)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(crds, schemaCases(t), badCases(t))
}

// schemaCases returns definitions with the schemas of the cases in package structural.
func schemaCases(t *testing.T) []CRD {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "structural", "testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var out []CRD
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".yaml") {
				out = append(out, definition(t, filepath.Base(file)+": "+f.Name, "widgets", "v1", string(f.Data)))
			}
		}
	}
	return out
}

// definition returns a CRD with one version that has the given schema.
func definition(t *testing.T, from, plural, version, schema string) CRD {
	t.Helper()
	kind := strings.ToUpper(plural[:1]) + strings.TrimSuffix(plural[1:], "s")
	text := strings.NewReplacer("PLURAL", plural, "KIND", kind, "VERSION", version).Replace(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: PLURAL.example.com
spec:
  group: example.com
  names: {kind: KIND, plural: PLURAL}
  scope: Namespaced
  versions:
  - name: VERSION
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        `) + strings.ReplaceAll(strings.TrimSpace(schema), "\n", "\n        ") + "\n"
	crd, err := NewCRD(from, []byte(text))
	if err != nil {
		// A manifest that cannot be parsed has no name, which is the subject of the case.
		return CRD{From: from, Data: []byte(text)}
	}
	return crd
}

// badCases returns the definitions from the tests of package apiserver.
func badCases(t *testing.T) []CRD {
	t.Helper()
	dir := t.TempDir()
	if _, err := goCommand(t.Context(), root, []string{"SCHEMAGEN_BAD_CASES=" + dir}, "test", "-vet=off", "./internal/apiserver", "-run", "^TestWriteBadCases$", "-count=1"); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 50 {
		t.Fatalf("%d cases: %v", len(files), err)
	}
	var out []CRD
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, CRD{From: f.Name(), Data: data})
	}
	return out
}

// A prediction is the result of verify for a definition.
type prediction struct {
	// malformed are decoding errors, errors are validation errors.
	malformed, errors, warnings []string
	// unknown is set if verify reports that it cannot decide.
	unknown bool
}

// predict verifies a definition.
func predict(t *testing.T, v *verify.Verifier, example CRD) prediction {
	t.Helper()
	definitions, found := verify.Read(crd.File{Name: "crd.yaml", Data: example.Data})
	if len(definitions) == 1 {
		more, err := v.One(t.Context(), definitions[0])
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, more...)
	}
	var out prediction
	for _, d := range found {
		switch {
		case d.Code == "SG604":
			out.unknown = true
		case d.Code == "SG602":
			out.warnings = append(out.warnings, d.Message)
		case d.Severity != diag.Error:
		case d.Code != "SG601":
			out.malformed = append(out.malformed, d.Message)
		case !strings.Contains(d.Hint, "will report this once the other errors are fixed"):
			out.errors = append(out.errors, d.Message)
		}
		if d.Severity == diag.Error && d.Pos.Line == 0 {
			t.Errorf("no position in the file: %s", d.Message)
		}
	}
	return out
}

// exactWords reports whether the server has the minor version of the library that verify and
// try link. Other versions differ in the wording or number of messages, but report the same
// fields.
func exactWords(s *Server) bool {
	return strings.HasPrefix(s.Version, "v"+baseversion.DefaultKubeBinaryVersion+".")
}

// compare compares a prediction with the response: messages with their fields, or only the
// fields.
func (p prediction) compare(t *testing.T, a Answer, exact bool) {
	t.Helper()
	switch {
	case a.Code == http.StatusBadRequest:
		for _, m := range p.malformed {
			if !strings.Contains(a.Status().Message, m) {
				t.Errorf("want %q, got %s", m, a)
			}
		}
		if len(p.malformed) == 0 {
			t.Errorf("unexpected response: %s", a)
		}
	case a.Code == http.StatusUnprocessableEntity || a.OK():
		if len(p.malformed) > 0 {
			t.Errorf("predicted %q, got %s", p.malformed, a)
		}
		got, want := tidied(p.errors), tidied(withoutEchoes(p.errors, a.Causes()))
		if !exact && !slices.Equal(got, want) {
			t.Logf("worded differently: predicted\n\t%s\ngot\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
			got, want = fields(got), fields(want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("predicted\n\t%s\ngot\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
		for _, w := range a.Warnings {
			if !slices.Contains(p.warnings, w) {
				t.Errorf("got warning %q, predicted %q", w, p.warnings)
			}
		}
	case !p.unknown:
		t.Errorf("unexpected response: %s", a)
	}
}

// withoutEchoes removes the server's consequential errors, for which verify reports only the
// cause: the rules that contribute to a total cost, that total if one of them costs too much by
// itself and the total is not predicted, and the copy of the first version's name.
func withoutEchoes(predicted, causes []string) []string {
	const total = " cost total for entire "
	contributing := pathsOf(causes, "contributed to estimated rule cost total")
	costly := pathsOf(causes, " cost exceeds budget by ")
	isRepeated := len(pathsOf(predicted, total)) == 0 &&
		slices.ContainsFunc(contributing, func(path string) bool { return slices.Contains(costly, path) })
	return slices.DeleteFunc(slices.Clone(causes), func(cause string) bool {
		copied, isCopy := strings.CutPrefix(cause, "spec.version: ")
		return strings.Contains(cause, "contributed to estimated rule cost total") ||
			isRepeated && strings.Contains(cause, total) ||
			isCopy && slices.Contains(causes, "spec.versions[0].name: "+copied)
	})
}

// pathsOf returns the paths of the errors with a text.
func pathsOf(causes []string, text string) []string {
	var out []string
	for _, cause := range causes {
		if path, message, _ := strings.Cut(cause, ": "); strings.Contains(message, text) {
			out = append(out, path)
		}
	}
	return out
}

// fields returns the distinct field paths of messages, sorted.
func fields(messages []string) []string {
	var out []string
	for _, m := range messages {
		path, _, _ := strings.Cut(m, ": ")
		out = append(out, path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// typeNumber matches a part of type names that the server changes with every request.
var typeNumber = regexp.MustCompile(`\bselfType\d+`)

// tidied returns the distinct messages, sorted, with white space, length and type names
// normalized as in the output of verify.
func tidied(messages []string) []string {
	var out []string
	for _, m := range messages {
		m = typeNumber.ReplaceAllString(strings.Join(strings.Fields(m), " "), "selfType")
		if len(m) > 1200 && !strings.Contains(m, " … ") {
			m = strings.ToValidUTF8(m[:600], "") + " … " + strings.ToValidUTF8(m[len(m)-600:], "")
		}
		out = append(out, m)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
