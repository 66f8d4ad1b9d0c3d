package definitions

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestFindDefinitions checks that a directory with Go files is a package unless one of its
// files mentions CRDs.
func TestFindDefinitions(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"crds/a.yaml": "kind: CustomResourceDefinition\n", "crds/b.yaml": "kind: Other\n", "crds/.hidden/c.yaml": "", "crds/vendor/d.yaml": "",
		"api/types.go": "package api\n", "api/a.testsuite.yaml": "crdName: a\n",
		"both/types.go": "package both\n", "both/crd.yaml": "kind: CustomResourceDefinition\n",
		"plain/types.go": "package plain\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"crds":             "[{crds/a.yaml true} {crds/b.yaml true}] []",
		"crds/a.yaml":      "[{crds/a.yaml false}] []",
		"-":                "[{- false}] []",
		"api":              "[] [./api]",
		"both":             "[{both/crd.yaml true}] []",
		"plain":            "[] [./plain]",
		"./...":            "[] [./...]",
		"example.com/path": "[] [example.com/path]",
	} {
		sources, packages, err := findDefinitions([]string{name}, nil)
		for i := range sources {
			sources[i].Name = filepath.ToSlash(sources[i].Name)
		}
		if got := fmt.Sprint(sources, " ", packages); err != nil || got != want {
			t.Errorf("%s: got %s, want %s; %v", name, got, want, err)
		}
	}
}
