package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestUpdating checks which tests of a repository are found, and in which packages.
func TestUpdating(t *testing.T) {
	const flagged = "\nvar update = flag.Bool(\"update\", false, \"\")\n"
	root := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go": "package a" + flagged + "func TestRoot(t *testing.T) { _ = *update }\n",
		"b/page_test.go": "package b" + flagged + `
func TestDirect(t *testing.T) { if *update { write() } }
func TestNothing(t *testing.T) { update := 1; _ = update }
// TestSlow does much.
//
// Left out of make generate: it takes minutes.
func TestSlow(t *testing.T) { _ = *update }
`,
		"b/other_test.go":         "package b\nfunc TestIndirect(t *testing.T) { page{}.check(t) }\nfunc (page) check(t *testing.T) { compare(t) }\nfunc compare(t *testing.T) { _ = *update }\n",
		"c/grouped_test.go":       "package c\nvar (\n\tother, rewrite = 1, flag.Bool(\"update\", false, \"\")\n)\nfunc TestGrouped(t *testing.T) { _ = *rewrite }\n",
		"d/without_test.go":       "package d\nfunc TestWithout(t *testing.T) {}\n",
		"nested/go.mod":           "module nested\n",
		"nested/n/nested_test.go": "package n" + flagged + "func TestNested(t *testing.T) { _ = *update }\n",
		"testdata/data_test.go":   "package data" + flagged + "func TestData(t *testing.T) { _ = *update }\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := updating(root); err == nil {
		t.Error("got no error outside of a repository")
	}
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := updating(root)
	want := []string{"./", "./b", "./c", "-run", "^(TestDirect|TestGrouped|TestIndirect|TestRoot)$"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
