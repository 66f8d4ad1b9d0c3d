package output

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// edited returns edits of files that commitTree has made.
func edited(names ...string) (edits []File) {
	for _, name := range names {
		edits = append(edits, File{Path: name, Before: []byte("old\n"), Data: []byte("new\n")})
	}
	return edits
}

// TestSavedMeanwhile has an editor save one of three files at every moment of a change: the edit
// stays, and no file changes. Afterwards, a file that was not edited keeps what the editor saved
// on top of the new content.
func TestSavedMeanwhile(t *testing.T) {
	names := []string{"a.go", "b.go", "c.go"}
	cells := 0
	for saved, name := range names {
		for _, moment := range []string{"prepare", "write1", "write2", "write3", "rename1", "rename2", "rename3"} {
			t.Run(name+" "+moment, func(t *testing.T) {
				cells++
				commitTree(t, map[string]string{"a.go": "old\n", "b.go": "old\n", "c.go": "old\n"})
				save := func() {
					if err := os.WriteFile(name, []byte("saved\n"), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				if moment == "prepare" {
					save()
					_, err := here().Commit(t.Context(), edited(names...), Write, nil)
					if got := Changed(err); len(got) != 1 || got[0] != name {
						t.Errorf("got %q, %v", got, err)
					}
				} else {
					targets := targetsOf(t, edited(names...))
					replaced := 0
					err := faultyDisk(func(op string, n int) error {
						if fmt.Sprint(op, n) == moment {
							save()
							replaced = map[string]int{"write": 0, "rename": n}[op]
						}
						return nil
					}).replace(t.Context(), targets, nil)
					// The file of a rename was compared before the hook: this moment is the one between
					// the comparison and the rename, which is lost. After it, the edit is of the new file.
					lost := replaced == saved+1
					if late := replaced > saved; late != (err == nil) || !late && len(Changed(err)) != 1 {
						t.Errorf("got error %v", err)
					}
					if lost {
						return
					}
				}
				for _, other := range names {
					want := "old\n"
					data, err := os.ReadFile(other)
					switch {
					case other == name:
						want = "saved\n"
					case strings.HasPrefix(moment, "rename") && int(moment[6]-'0') > saved:
						want = "new\n"
					}
					if err != nil || string(data) != want {
						t.Errorf("%s is %q, want %q, %v", other, data, want, err)
					}
				}
			})
		}
	}
	if cells != 21 {
		t.Errorf("%d cells, want 21", cells)
	}
}

// TestDirectoryReplacedMeanwhile replaces a directory by a symlink out of the repository while files are
// written to it: they are written to the directory that was checked.
func TestDirectoryReplacedMeanwhile(t *testing.T) {
	for _, moment := range []string{"write1", "write2", "rename1", "rename2"} {
		t.Run(moment, func(t *testing.T) {
			away := t.TempDir()
			commitTree(t, map[string]string{"config/a.yaml": "old\n", "config/b.yaml": "old\n", "go.mod": ""})
			targets := targetsOf(t, outputsOf("config/a.yaml", "new\n", "config/b.yaml", "new\n"))
			err := faultyDisk(func(op string, n int) error {
				if fmt.Sprint(op, n) != moment {
					return nil
				}
				symlink(t, away, "link")
				return errors.Join(os.Rename("config", "moved"), os.Rename("link", "config"))
			}).replace(t.Context(), targets, nil)
			if err != nil {
				t.Fatal(err)
			}
			if entries, err := os.ReadDir(away); err != nil || len(entries) > 0 {
				t.Errorf("written outside: %v, %v", entries, err)
			}
			for _, name := range []string{"moved/a.yaml", "moved/b.yaml"} {
				if data, err := os.ReadFile(name); err != nil || string(data) != "new\n" {
					t.Errorf("%s is %q, %v", name, data, err)
				}
			}
		})
	}
	for _, to := range []string{"", ".git"} {
		t.Run("before it is opened, to "+to, func(t *testing.T) {
			away := t.TempDir()
			commitTree(t, map[string]string{"config/a.yaml": "old\n", ".git/a.yaml": "mine\n"})
			targets := targetsOf(t, outputsOf("config/a.yaml", "new\n"))
			symlink(t, cmp.Or(to, away), "link")
			if err := errors.Join(os.Rename("config", "moved"), os.Rename("link", "config")); err != nil {
				t.Fatal(err)
			}
			if err := (disk{write: createTemp, rename: rename}).replace(t.Context(), targets, nil); err == nil {
				t.Error("got no error")
			}
			wantTree(t, map[string]string{".git/a.yaml": "mine\n", "moved/a.yaml": "old\n"})
		})
	}
}

// TestRemoveFailsLate undoes a change whose last file cannot be removed.
func TestRemoveFailsLate(t *testing.T) {
	for n := 1; n <= 3; n++ {
		commitTree(t, map[string]string{"a.yaml": "old\n", "stale1.yaml": "stale\n", "stale2.yaml": "stale\n"})
		c, err := here().Prepare(t.Context(), outputsOf("a.yaml", "new\n"), []string{"stale1.yaml", "stale2.yaml"}, Write)
		if err != nil || len(c.Refused) > 0 {
			t.Fatal(err, c.Refused)
		}
		broken := errors.New("disk broken")
		err = faultyDisk(func(op string, i int) error {
			if op == "rename" && i == n {
				return broken
			}
			return nil
		}).replace(t.Context(), c.targets, c.removed)
		if !errors.Is(err, broken) {
			t.Errorf("got error %v", err)
		}
		wantTree(t, map[string]string{"a.yaml": "old\n", "stale1.yaml": "stale\n", "stale2.yaml": "stale\n"})
		if _, err := c.Apply(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		wantTree(t, map[string]string{"a.yaml": "new\n"})
	}
}

// TestGenerated finds comments above everything else. A file with the objects of the output is one that
// the output replaces.
func TestGenerated(t *testing.T) {
	const auto = "# This is an auto-generated file. DO NOT EDIT\n"
	const widgets = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\n"
	gadgets := strings.ReplaceAll(widgets, "widgets", "gadgets")
	for _, c := range []struct {
		old, data string
		foreign   bool
	}{
		{"// Code generated by mapper. DO NOT EDIT.\n\npackage a\n", "package a\n", true},
		{"/*\nCopyright\n*/\n\n// Code generated by mapper. DO NOT EDIT.\n", "", true},
		{"//go:build x\n\n// Code generated by controller-gen. DO NOT EDIT.\n\npackage a\n", "", false},
		{"// Code generated by schemagen unions. DO NOT EDIT.\n", "", false},
		{"// Code generated by deepcopy-gen. DO NOT EDIT.\n\npackage a\n", "package a\n", false},
		{"// Code generated by applyconfiguration-gen. DO NOT EDIT.\n\npackage a\n", "package a\n", false},
		{"// Code generated by my-deepcopy-gen. DO NOT EDIT.\n\npackage a\n", "package a\n", true},
		{"package a\n\n// DO NOT EDIT\n", "", false},
		{"\ufeff# DO NOT EDIT\n", "", true},
		{"---\n# DO NOT EDIT\n", "", true},
		{"# DO NOT EDIT\na: b\n", "# DO NOT EDIT\na: c\n", false},
		{"# DO NOT EDIT\nmetadata:\n  annotations:\n    controller-gen.kubebuilder.io/version: v0.23.0\n", "", false},
		{"description: DO NOT EDIT\n", "", false},
		{"<!-- by hand -->\n<!-- made by a program,\nDO NOT EDIT -->\n", "", true},
		{"{{- /* DO NOT EDIT */ -}}\n", "", true},
		{"", "", false},
		// Scripts put such a comment above definitions that they have generated.
		{auto + widgets + "spec:\n  group: old\n", widgets + "spec:\n  group: new\n", false},
		{auto + "---\n" + widgets, "---\n" + widgets, false},
		{auto + `{"kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"}, "apiVersion": "apiextensions.k8s.io/v1"}`, widgets, false},
		{auto + gadgets, widgets, true},
		{auto + widgets + "---\n" + gadgets, widgets, true},
		{auto + widgets, widgets + "---\n" + gadgets, false},
		{auto + strings.Replace(widgets, "/v1", "/v1beta1", 1), widgets, false},
		{auto + strings.Replace(widgets, "CustomResourceDefinition", "Widget", 1), widgets, true},
		{auto + "{{- if .Values.crds }}\n" + widgets + "{{- end }}\n", widgets, true},
		{auto + "kind: CustomResourceDefinition\n", "kind: CustomResourceDefinition\n", true},
		{auto, widgets, true},
	} {
		if got := generatedByOther([]byte(c.old), []byte(c.data)); (got != "") != c.foreign {
			t.Errorf("%q: got %q", c.old, got)
		}
	}
}
