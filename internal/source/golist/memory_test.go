package golist

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// TestToolchain lists packages of files in memory, with their imports from a module cache and a standard
// library that are in memory as well.
func TestToolchain(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	lister := &Modules{
		Inputs: inputs.From(fstest.MapFS{
			"m/go.mod":                          file("module example.com/m\n\ngo 1.26\n\nrequire example.com/x v1.0.0\n"),
			"m/a/a.go":                          file("package a\n"),
			"m/a/a_linux.go":                    file("package a\n"),
			"m/a/a_js.go":                       file("package a\n"),
			"m/b/c.go":                          file("package b\n\nimport \"C\"\n"),
			"m/b/b.go":                          file("//go:build go1.26\n\npackage b\n"),
			"cache/example.com/x@v1.0.0/y/y.go": file("package y\n"),
			"root/src/time/time.go":             file("package time\n"),
		}),
		Fallback:   noFallback{t},
		OnFallback: func(dir, reason string) { t.Errorf("%s: %s", dir, reason) },
		Toolchain:  &Toolchain{Root: "/root", ModCache: "/cache", Version: "1.26.0"},
	}
	found, err := lister.List(t.Context(), "/m", []string{"./..."})
	if err != nil || len(found) != 2 {
		t.Fatalf("got %v, %v; want two packages", found, err)
	}
	if want := []string{"/m/a/a.go", "/m/a/a_linux.go"}; !slices.Equal(found[0].Files, want) || !found[0].Local {
		t.Errorf("got %+v, want the files %q", found[0], want)
	}
	if want := []string{"/m/b/b.go"}; !slices.Equal(found[1].Files, want) {
		t.Errorf("got %+v, want the files %q", found[1], want)
	}
	if p := found[0].Import("example.com/x/y"); p == nil || p.Local || p.Name != "y" {
		t.Errorf("got %+v from the module cache", p)
	}
	if p := found[0].Import("time"); p == nil || !p.Standard {
		t.Errorf("got %+v from the standard library", p)
	}
}
