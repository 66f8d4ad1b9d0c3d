package e2e

import (
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// workers is the number of concurrent requests.
const workers = 4

// TestCaseCRDs creates every expected definition in testdata/crd.
func TestCaseCRDs(t *testing.T) {
	part(t, "definitions of testdata/crd")
	s := cluster(t)
	wanted, _, err := CaseCRDs(root)
	if err != nil {
		t.Fatal(err)
	}
	wanted = sampled(wanted)
	taken := createAndDelete(t, s, wanted)
	t.Logf("%d of %d definitions accepted", taken, len(wanted))
	if taken < least(200) {
		t.Errorf("got only %d definitions", taken)
	}
	suite.report.Count("definitions of testdata/crd, created strictly, established and applied by server-side apply", taken)
}

// TestBenchCRDs creates every definition that schemagen generates for the API modules in
// bench/. It starts a separate server, because each change takes longer the more definitions
// a server has.
func TestBenchCRDs(t *testing.T) {
	if testing.Short() {
		t.Skip("the modules of bench/ take several GB")
	}
	part(t, "definitions of the modules in bench/")
	crds, builtIn := benchCRDs(t)
	s, _, err := ownServer(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	// Some modules are in two cases, with the same or different output.
	seen, names := map[string]bool{}, map[string]bool{}
	var first, rest []CRD
	for _, c := range crds {
		switch {
		case seen[string(c.Data)]:
		case names[c.Name]:
			rest = append(rest, c)
		default:
			first = append(first, c)
		}
		seen[string(c.Data)], names[c.Name] = true, true
	}
	ctx := within(t)
	created := each(t, first, func(c CRD) error { _, err := s.CreateCRD(ctx, c); return err })
	applied := each(t, created, func(c CRD) error { return s.ApplyCRD(ctx, c, true) })
	replaced := each(t, rest, func(c CRD) error { return s.ReplaceCRD(ctx, c) })
	t.Logf("%d definitions, %d created and applied, %d replaced by another of the same name", len(crds), len(applied), len(replaced))
	if len(crds) < 240 || len(applied)+len(replaced) < len(first)+len(rest) {
		t.Error("not all definitions were accepted")
	}
	suite.report.Count("definitions of the API modules in bench/, created strictly, established and applied by server-side apply", len(applied))
	suite.report.Count("others of the same names, which replaced those", len(replaced))

	// Definitions of built-in types cannot be created, but a dry run can be requested.
	for i := range builtIn {
		builtIn[i].Data = builtIn[i].Approved()
	}
	rejected, accepted := compareAll(t, s, builtIn)
	t.Logf("%d definitions of built-in types rejected, %d accepted", rejected, accepted)
	if rejected+accepted < 150 {
		t.Errorf("got only %d definitions", rejected+accepted)
	}
	suite.report.Count("definitions of Kubernetes' own types in bench/, rejected as verify predicts", rejected)
	suite.report.Count("definitions of Kubernetes' own types in bench/, accepted as verify predicts", accepted)
}

// benchResult has the definitions of all cases in bench/. Those of Kubernetes' own types were
// never meant to be CRDs.
type benchResult struct{ crds, builtIn []CRD }

// benchCRDs generates the definitions of bench/, once for all tests. They must not be
// modified.
func benchCRDs(t *testing.T) (crds, builtIn []CRD) {
	t.Helper()
	all := suite.bench.get(t, func() benchResult {
		crds, builtIn := generateBench(t)
		return benchResult{crds, builtIn}
	})
	return slices.Clone(all.crds), slices.Clone(all.builtIn)
}

func generateBench(t *testing.T) (crds, builtIn []CRD) {
	t.Helper()
	bench := filepath.Join(root, "bench")
	tool := filepath.Join(t.TempDir(), "bench")
	if _, err := goCommand(t.Context(), bench, nil, "build", "-o", tool, "."); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), tool, args...)
		cmd.Dir = bench
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		isolate(cmd)
		if err := cmd.Run(); err != nil {
			t.Fatalf("bench %s: %v\n%s", strings.Join(args, " "), err, lastLines([]byte(stderr.String()), 20))
		}
		progress(t.Context())
		return stdout.String()
	}
	for line := range strings.Lines(run("list")) {
		cells := strings.Split(line, "|")
		files, err := strconv.Atoi(strings.TrimSpace(cells[2]))
		if err != nil {
			continue // the head of the table
		}
		name, dir := strings.TrimSpace(cells[1]), t.TempDir()
		run("generate", "-case", name, "-o", dir)
		found := readCRDs(t, dir, name)
		if len(found) != files {
			t.Errorf("%s: got %d files and %d definitions", name, files, len(found))
		}
		if strings.HasPrefix(name, "k8s-api-") {
			builtIn = append(builtIn, found...)
		} else {
			crds = append(crds, found...)
		}
	}
	return crds, builtIn
}

// readCRDs reads the definitions in a directory, one in each file.
func readCRDs(t *testing.T, dir, from string) []CRD {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var out []CRD
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd, err := NewCRD(from+": "+filepath.Base(file), data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, crd)
	}
	return out
}

// createAndDelete creates, applies and deletes definitions. Definitions of the same name are processed
// in sequence, and those in built-in groups are left out. It returns the number of
// definitions for which all steps succeeded.
func createAndDelete(t *testing.T, s *Server, crds []CRD) int {
	t.Helper()
	ctx := within(t)
	groups, err := s.BuiltInGroups(ctx)
	if err != nil {
		t.Fatal(err)
	}
	crds = slices.DeleteFunc(slices.Clone(crds), func(c CRD) bool { return slices.Contains(groups, c.Group) })
	succeeded := 0
	for len(crds) > 0 {
		var now, later []CRD
		names := map[string]bool{}
		for _, c := range crds {
			if names[c.Name] {
				later = append(later, c)
			} else {
				names[c.Name] = true
				now = append(now, c)
			}
		}
		created := each(t, now, func(c CRD) error { _, err := s.CreateCRD(ctx, c); return err })
		succeeded += len(each(t, created, func(c CRD) error {
			err := s.ApplyCRD(ctx, c, false)
			switch {
			case !c.Repeats:
				return err
			case err == nil:
				return fmt.Errorf("%s: it was applied, although it has a rule twice", c.From)
			case strings.Contains(err.Error(), "duplicate entries for key"):
				return nil
			}
			return err
		}))
		each(t, now, func(c CRD) error { return s.DeleteCRD(ctx, c.Name) })
		each(t, now, func(c CRD) error { return s.WaitGone(ctx, c.Name) })
		if ctx.Err() != nil {
			t.Fatal("the server is too slow: ", ctx.Err())
		}
		crds = later
	}
	return succeeded
}

// each calls do for each definition, several at a time, and returns the definitions for which
// it succeeded.
func each(t *testing.T, crds []CRD, do func(CRD) error) []CRD {
	t.Helper()
	errs := make([]error, len(crds))
	slots := make(chan struct{}, workers)
	var wait sync.WaitGroup
	for i, c := range crds {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs[i] = do(c)
		})
	}
	wait.Wait()
	var succeeded []CRD
	for i, c := range crds {
		if errs[i] == nil {
			succeeded = append(succeeded, c)
		} else {
			t.Error(errs[i])
		}
	}
	return succeeded
}

// sampled returns one of three definitions if the tests are to be short: by a hash of where they are from, so that
// a new one changes no choice.
func sampled(crds []CRD) []CRD {
	if !testing.Short() {
		return crds
	}
	return slices.DeleteFunc(crds, func(c CRD) bool {
		hash := fnv.New32a()
		hash.Write([]byte(c.From))
		return hash.Sum32()%3 != 0
	})
}

// least returns the least count that a test of sampled definitions expects, of all of them.
func least(all int) int {
	if testing.Short() {
		return all / 6
	}
	return all
}

// TestRepeatedRules wants SG622: a definition with the same rule twice is created, and
// cannot be applied by the server.
func TestRepeatedRules(t *testing.T) {
	s := cluster(t)
	const rules = `{rule: "self.size() < 9"}, {rule: "self.size() < 9", message: too long}`
	for _, at := range []string{
		"properties: {spec: {type: object, properties: {name: {type: string, maxLength: 9, x-kubernetes-validations: [" + rules + "]}}}}",
		"x-kubernetes-validations: [{rule: 'true'}, {rule: 'true'}]",
	} {
		text := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: repeated.rules.example.com}
spec:
  group: rules.example.com
  names: {kind: Repeated, listKind: RepeatedList, plural: repeated, singular: repeated}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, ` + at + `}}}]
`
		crd, err := NewCRD("two equal rules", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		ctx := within(t)
		if _, err := s.CreateCRD(ctx, crd); err != nil {
			t.Fatal(err)
		}
		err = s.ApplyCRD(ctx, crd, false)
		if err == nil || !strings.Contains(err.Error(), "duplicate entries") {
			t.Errorf("applied with the answer %v", err)
		}
		if err := s.DeleteCRD(ctx, crd.Name); err != nil {
			t.Fatal(err)
		}
		if err := s.WaitGone(ctx, crd.Name); err != nil {
			t.Fatal(err)
		}
	}
}
