package golist

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// layout is a layout of modules with the patterns to list in it.
type layout struct {
	name     string
	files    string // a txtar archive
	patterns []string
}

// oneModule is a module with one package, in directory a.
const oneModule = `
-- go.mod --
module example.com/root

go 1.22
-- a/a.go --
package a
`

// nestedModuleLayouts are nested modules: the files that each has in addition to its go.mod.
var nestedModuleLayouts = []struct{ name, files string }{
	{"nothing", ""},
	{"docs only", "-- NAME/README.md --\n# Hello\n"},
	{"tests only", "-- NAME/x_test.go --\npackage x\n"},
	{"external tests only", "-- NAME/x_test.go --\npackage x_test\n"},
	{"tagged only", "-- NAME/tools.go --\n//go:build tools\n\npackage tools\n"},
	{"tagged below", "-- NAME/hack/tools.go --\n//go:build tools\n\npackage tools\n"},
	{"ignored only", "-- NAME/gen.go --\n//go:build ignore\n\npackage main\n"},
	{"other platform only", "-- NAME/x_plan9.go --\npackage x\n"},
	{"testdata only", "-- NAME/testdata/x.go --\npackage x\n"},
	{"hidden only", "-- NAME/_x/x.go --\npackage x\n-- NAME/.y/y.go --\npackage y\n"},
	{"vendor directory only", "-- NAME/vendor/example.org/x/x.go --\npackage x\n-- NAME/vendor/modules.txt --\n"},
	{"main", "-- NAME/main.go --\npackage main\n\nfunc main() {}\n"},
	{"package", "-- NAME/x/x.go --\npackage x\n"},
	{"tests and a package below", "-- NAME/x_test.go --\npackage x\n-- NAME/x/x.go --\npackage x\n"},
	{"module in a module", "-- NAME/deep/go.mod --\nmodule example.com/root/NAME/deep\n\ngo 1.22\n-- NAME/deep/x.go --\npackage x\n"},
}

func layouts() []layout {
	hidden := oneModule + "-- .api/v1/v1.go --\npackage v1\n"
	out := []layout{
		{"a name that begins with a dot", hidden, []string{".api/..."}},
		{"a name that begins with a dot, without wildcard", hidden, []string{"./a", ".api/v1"}},
		{"a directory that wildcards skip", oneModule + "-- testdata/v1/v1.go --\npackage v1\n", []string{"./testdata/..."}},
		{"only dots", hidden, []string{"..."}},
	}
	for _, n := range nestedModuleLayouts {
		files := strings.ReplaceAll("-- NAME/go.mod --\nmodule example.com/root/NAME\n\ngo 1.22\n"+n.files, "NAME", "nested")
		work := "-- go.work --\ngo 1.22\n\nuse (\n\t.\n\t./nested\n)\n"
		out = append(out,
			layout{n.name, oneModule + files, []string{"./..."}},
			layout{n.name + ", without a package", "-- go.mod --\nmodule example.com/root\n\ngo 1.22\n" + files, []string{"./..."}},
			layout{n.name + ", without a root", files, []string{"./nested/..."}},
			layout{n.name + ", two patterns", oneModule + files, []string{"./a", "./nested/..."}},
			layout{n.name + ", without wildcard", oneModule + files, []string{"./a", "./nested"}},
			layout{n.name + ", in a workspace", oneModule + files + work, []string{"./..."}},
			layout{n.name + ", by path", oneModule + files + work, []string{"example.com/root/a", "example.com/root/nested/..."}},
			// The same directory, but not a module of its own.
			layout{n.name + ", a directory", oneModule + strings.ReplaceAll(n.files, "NAME", "nested"), []string{"./..."}},
			layout{n.name + ", one of two directories", oneModule + "-- nested/README --\n" + strings.ReplaceAll(n.files, "NAME", "nested"), []string{"./nested/...", "./a/..."}},
			layout{n.name + ", vendored", strings.ReplaceAll("-- go.mod --\nmodule example.com/root\n\ngo 1.22\n-- vendor/modules.txt --\n-- a/a.go --\npackage a\n-- NAME/go.mod --\nmodule x\n\ngo 1.22\n"+n.files, "NAME", "vendor/nested"), []string{"./..."}},
		)
	}
	return out
}

// peerRoots lists the packages that patterns match with controller-gen's own code: their
// import paths, and whether they have errors.
func peerRoots(dir string, patterns []string) (paths []string, failure string) {
	listed, err := loader.LoadRootsWithConfig(&packages.Config{Dir: dir}, slices.Clone(patterns)...)
	if err != nil {
		return nil, err.Error()
	}
	for _, p := range listed {
		for _, e := range p.Errors {
			failure += e.Error() + "\n"
		}
		if len(p.GoFiles) > 0 || len(p.Errors) > 0 { // otherwise there are only tests
			paths = append(paths, p.PkgPath)
		}
	}
	slices.Sort(paths)
	return paths, failure
}

// TestRootsOfEmptyModules lists modules without anything to build, with controller-gen's
// code and with ours. It requires the same packages, and that each pattern without packages
// is reported as unmatched.
func TestRootsOfEmptyModules(t *testing.T) {
	for _, shape := range layouts() {
		t.Run(shape.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range txtar.Parse([]byte(shape.files)).Files {
				path := filepath.Join(dir, f.Name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			peer, failure := peerRoots(dir, shape.patterns)
			var want []string
			for _, pattern := range shape.patterns {
				single, failure := peer, failure
				if len(shape.patterns) > 1 {
					single, failure = peerRoots(dir, []string{pattern})
				}
				if len(single) == 0 && failure == "" {
					want = append(want, pattern)
				}
			}
			fallback := GoCommand{Tags: []string{"ignore_autogenerated"}}
			for _, lister := range []Lister{&Modules{Tags: fallback.Tags, Fallback: fallback}, fallback} {
				roots, unmatched, err := Roots(t.Context(), nil, lister, dir, shape.patterns)
				if err != nil {
					t.Fatal(err)
				}
				var ours, found []string
				failed := false
				for _, p := range roots {
					ours = append(ours, p.Path)
					failed = failed || len(p.Errors) > 0
				}
				slices.Sort(ours)
				for _, u := range unmatched {
					if u.NoDirectory {
						t.Errorf("%T: got NoDirectory for %s", lister, u.Pattern)
					}
					found = append(found, u.Pattern)
				}
				if !slices.Equal(ours, peer) || failed != (failure != "") {
					t.Errorf("%T: got %v, failed %v\nwant %v %s, as from controller-gen", lister, ours, failed, peer, failure)
				}
				if !slices.Equal(found, want) {
					t.Errorf("%T: got unmatched %q, want %q", lister, found, want)
				}
			}
		})
	}
}

// TestRootsThroughSymlinks lists modules whose root, or a directory that a pattern names, is reached by a symlink.
// The packages have to be those of controller-gen. A symlink below such a directory is not followed.
func TestRootsThroughSymlinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs symlinks")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(`
-- real/go.mod --
module example.com/m

go 1.26.0
-- real/root.go --
package m
-- real/api/v1/v1.go --
package v1
-- real/nested/go.mod --
module example.com/m/nested

go 1.26.0
-- real/nested/nested.go --
package nested
-- elsewhere/v2/v2.go --
package v2
`)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link": "real", "real/apis": "../elsewhere"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ dir, pattern string }{
		{"link", "./..."}, {"link", "./api/..."}, {"link", "./apis/..."}, {"link", "./apis/v2"}, {"link", "."},
		{"link", "example.com/m/..."}, {"link", "example.com/m/apis/..."}, {"real", "./..."}, {"real", "./apis/..."},
		{"real", "example.com/m/apis/..."}, {"link/api", "./..."}, {"link", "../link/..."}, {"real", "../link/..."},
	} {
		wd := filepath.Join(dir, c.dir)
		want, failure := peerRoots(wd, []string{c.pattern})
		roots, _, err := Roots(t.Context(), nil, &Modules{Fallback: GoCommand{}}, wd, []string{c.pattern})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range roots {
			got = append(got, p.Path)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s in %s: got %v, want %v %s, as from controller-gen", c.pattern, c.dir, got, want, failure)
		}
	}
}
