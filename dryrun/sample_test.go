package dryrun

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/verify"
)

// TestSamples checks that the server accepts both samples for every version of the expected
// definitions in testdata/crd. testdata/samples.txt lists the exceptions, with reasons.
func TestSamples(t *testing.T) {
	data, err := os.ReadFile("../testdata/samples.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, reason, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			reasons[name] = reason
		}
	}
	archives, err := filepath.Glob("../testdata/crd/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no cases", err)
	}
	versions, taken := 0, 0
	for _, path := range archives {
		for _, kind := range kindsOfCase(t, path) {
			versions++
			name := fmt.Sprintf("%s %s.%s/%s", strings.TrimSuffix(filepath.Base(path), ".txtar"), kind.Kind, kind.Group, kind.Version)
			rejected, n := sampleErrors(t, kind)
			taken += n
			if _, known := reasons[name]; known != (len(rejected) > 0) {
				t.Errorf("%s: rejected: %t, but listed: %t: %v", name, len(rejected) > 0, known, rejected)
			}
			delete(reasons, name)
		}
	}
	if len(reasons) > 0 {
		t.Errorf("listed, but not there: %v", reasons)
	}
	if versions < 200 {
		t.Errorf("only %d versions", versions)
	}
	t.Logf("%d of the %d samples of %d versions are taken", taken, 2*versions, versions)
}

// TestSamplesAreTheSame makes samples that the server rejects again and again: the server reports errors about
// fields in random order, which must not show in a sample or its findings.
func TestSamplesAreTheSame(t *testing.T) {
	for _, name := range []string{"marker-xvalidation", "merge-bounds", "gates-needless"} {
		for _, kind := range kindsOfCase(t, filepath.Join("../testdata/crd", name+".txtar")) {
			first, err := kind.Sample(t.Context(), true)
			if err != nil || len(first.Findings) == 0 {
				t.Fatalf("%s: the server takes the sample, error %v", name, err)
			}
			for range 6 {
				again, err := kind.Sample(t.Context(), true)
				if err != nil {
					t.Fatal(err)
				}
				if string(again.YAML) != string(first.YAML) || fmt.Sprint(again.Findings) != fmt.Sprint(first.Findings) {
					t.Fatalf("%s: got\n%s%v\nand\n%s%v", name, again.YAML, again.Findings, first.YAML, first.Findings)
				}
			}
		}
	}
}

// kindsOfCase returns the versions of the definitions that a case expects, sorted.
func kindsOfCase(t *testing.T, path string) []*Kind {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var definitions []*crd.Definition
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			read, _ := verify.Read(crd.File{Name: f.Name, Data: f.Data})
			definitions = append(definitions, read...)
		}
	}
	tr := New(definitions...)
	var out []*Kind
	for _, key := range slices.Sorted(maps.Keys(tr.kinds)) {
		out = append(out, tr.kinds[key])
	}
	return out
}

// sampleErrors returns the server's errors for the samples of a kind, and the number of
// accepted samples.
func sampleErrors(t *testing.T, kind *Kind) (errs diag.List, taken int) {
	t.Helper()
	for _, full := range []bool{false, true} {
		sample, err := kind.Sample(t.Context(), full)
		if err != nil {
			t.Fatal(err)
		}
		if len(sample.Findings) == 0 {
			taken++
		}
		errs = append(errs, sample.Findings...)
	}
	return errs, taken
}
