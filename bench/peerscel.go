package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed testdata/celrecorder/recorder.go
var celRecorder []byte

//go:embed testdata/celrecorder/server_test.go
var celServer []byte

const (
	celPackage  = "pkg/apiserver/schema/cel"
	celStrategy = "pkg/registry/customresource"
	// celTests selects all tests of rules, except the one that cancels evaluations.
	celTests = "-run=^Test(ValidationExpressions|CELMax|CELValidationLimit|MessageExpression|ReasonAndFldPath|" +
		"ValidateFieldPath|Ratcheting|OptionalOldSelf)"
)

// typeNumber matches the names of types, which the server derives from the time.
var typeNumber = regexp.MustCompile(`selfType\d+`)

// celCall is a call of the server's evaluation of rules by one of its tests.
type celCall struct {
	test, number string
	// table are the errors of the call; server are those for requests with a CRD and an object of
	// its schema.
	table  []string
	server celAnswer
}

type celAnswer struct {
	CRD, Object []string
	Served      bool
}

// celCases records the schemas, rules and objects of the server's own tests of CEL rules, and asks
// schemagen verify about a CRD with each schema, and schemagen try about the objects.
func celCases(ctx context.Context, r peerRun) ([]peerTable, error) {
	dir := filepath.Join(r.temp, "cel")
	calls, unwritten, err := r.celCalls(ctx, dir)
	if err != nil {
		return nil, err
	}
	crds, err := r.findingsByFile(ctx, "verify", filepath.Join(dir, "crds"), "--kube-version=1.37")
	if err != nil {
		return nil, err
	}
	objects, err := r.findingsByFile(ctx,
		"try", filepath.Join(dir, "crds"), "-o", "none", "--validate", "warn", "-f", filepath.Join(dir, "create"))
	if err != nil {
		return nil, err
	}
	updates, err := r.findingsByFile(ctx, "try", filepath.Join(dir, "crds"), "-o", "none", "--validate", "warn",
		"-f", filepath.Join(dir, "update"), "--old", filepath.Join(dir, "old"))
	if err != nil {
		return nil, err
	}
	var order []string
	tables := map[string]*celTables{}
	for _, c := range calls {
		name, _, _ := strings.Cut(c.test, "/")
		t := tables[name]
		if t == nil {
			t = &celTables{crds: peerTable{name: name + ", CRDs"}, objects: peerTable{name: name}}
			tables[name] = t
			order = append(order, name)
			if unwritten[name] > 0 {
				t.objects.omitted = []peerOmission{{"JSON cannot express the object", unwritten[name]}}
			}
		}
		file := c.number + ".json"
		t.crds.compare(c.test, c.server.CRD, celErrors(crds[filepath.Join("crds", file)]))
		if c.server.Served {
			found := append(objects[filepath.Join("create", file)], updates[filepath.Join("update", file)]...)
			t.objects.compare(c.test, c.server.Object, celErrors(found))
			errs := slices.DeleteFunc(slices.Clone(c.server.Object), func(text string) bool {
				return strings.HasPrefix(text, "warning: ")
			})
			if !slices.Equal(c.table, errs) {
				t.objects.changed++
			}
		}
	}
	var out []peerTable
	for _, name := range order {
		out = append(out, tables[name].crds)
		if tables[name].objects.count > 0 {
			out = append(out, tables[name].objects)
		}
	}
	return out, nil
}

// celTables are the tables for a test: answers to CRDs, and to objects.
type celTables struct{ crds, objects peerTable }

// compare adds a case.
func (t *peerTable) compare(name string, server, found []string) {
	t.count++
	theirs, ours := differentErrors(singleSpaced(server), singleSpaced(found))
	if len(theirs)+len(ours) > 0 {
		t.differs = append(t.differs, peerCase{
			name: name, theirs: answerText(theirs), ours: answerText(ours), reason: celReason(theirs, ours),
		})
	}
}

// celReason returns the reason of a difference, or "".
func celReason(theirs, ours []string) string {
	contributes := func(text string) bool {
		return strings.HasSuffix(text,
			"contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema")
	}
	switch {
	case len(ours) == 0 && !slices.ContainsFunc(theirs, func(text string) bool { return !contributes(text) }):
		return "verify names the rules that contribute to a cost over the limit in the error about the total"
	case len(theirs) == 0 && said(ours, "x-kubernetes-validations[0].rule: Invalid value"):
		return verifyReportsMore
	}
	return ""
}

func singleSpaced(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, strings.Join(strings.Fields(text), " "))
	}
	return out
}

// celErrors returns the errors and the server's warnings among findings.
func celErrors(findings []peerFinding) []string {
	var out []string
	for _, f := range findings {
		switch {
		case f.Severity == "error":
			out = append(out, f.Message)
		case f.Code == "SG705":
			out = append(out, "warning: "+f.Message)
		}
	}
	return out
}

// findingsByFile runs schemagen and returns its findings by the last two elements of their file.
func (r peerRun) findingsByFile(ctx context.Context, args ...string) (map[string][]peerFinding, error) {
	found, err := r.findings(ctx, args...)
	if err != nil {
		return nil, err
	}
	out := map[string][]peerFinding{}
	for _, f := range found {
		dir, name := filepath.Split(f.File)
		key := filepath.Join(filepath.Base(dir), name)
		out[key] = append(out[key], f)
	}
	return out, nil
}

// celCalls runs the tests with recording functions, writes the CRDs and objects below a directory,
// and returns the calls, and the numbers of others by test.
func (r peerRun) celCalls(ctx context.Context, dir string) ([]celCall, map[string]int, error) {
	const file = celPackage + "/validation.go"
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(file)))
	if err != nil {
		return nil, nil, err
	}
	const method = "func (s *Validator) Validate("
	if bytes.Count(text, []byte(method)) != 1 {
		return nil, nil, fmt.Errorf("%s has no method Validate", file)
	}
	text = bytes.Replace(text, []byte(method), []byte("func (s *Validator) recordedValidate("), 1)
	text, err = renamedFunctions(text, "recorded", "ValidFieldPath")
	if err != nil {
		return nil, nil, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, nil, err
	}
	env := []string{"PEERS_DIR=" + dir}
	const testFile = celPackage + "/validation_test.go"
	tests, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(testFile)))
	if err != nil {
		return nil, nil, err
	}
	// One test at a time, so that each call is printed by the test that runs.
	tests = bytes.ReplaceAll(tests, []byte("t.Parallel()"), nil)
	files := map[string][]byte{file: text, celPackage + "/recorder.go": celRecorder, testFile: tests}
	results, err := r.goTest(ctx, celPackage, files, env, celTests)
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{celStrategy + "/peers_test.go": celServer}
	answered, err := r.goTest(ctx, celStrategy, files, env, "-run=^TestPeersServer$")
	if err != nil {
		return nil, nil, err
	}
	if answered[0].failed {
		return nil, nil, errors.New(answered[0].output)
	}
	server := map[string]celAnswer{}
	if err := readJSON(filepath.Join(dir, "server.json"), &server); err != nil {
		return nil, nil, err
	}
	var calls []celCall
	unwritten := map[string]int{}
	for _, result := range results {
		for _, m := range recordedCall.FindAllStringSubmatch(result.output, -1) {
			answer, written := server[m[1]]
			if !written {
				name, _, _ := strings.Cut(result.name, "/")
				unwritten[name]++
				continue
			}
			var call struct{ Errors []string }
			if err := readJSON(filepath.Join(dir, m[1]+".call.json"), &call); err != nil {
				return nil, nil, err
			}
			for i, text := range call.Errors {
				call.Errors[i] = typeNumber.ReplaceAllString(text, "selfType")
			}
			slices.Sort(call.Errors)
			calls = append(calls, celCall{test: result.name, number: m[1], table: call.Errors, server: answer})
		}
	}
	if len(calls) != len(server) {
		return nil, nil, fmt.Errorf("%d calls are recorded, %d belong to a test", len(server), len(calls))
	}
	// Tests range over maps of rules.
	slices.SortStableFunc(calls, func(a, b celCall) int { return strings.Compare(a.test, b.test) })
	return calls, unwritten, nil
}
