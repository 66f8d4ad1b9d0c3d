package typecheck_test

import (
	"errors"
	"go/ast"
	"go/scanner"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/source/typecheck"
)

const api = `
-- go.mod --
module example.com/m

go 1.24
-- dep/dep.go --
package dep

import "unsafe"

type (
	Plain  struct{ A, B int }
	Sealed struct {
		Missing NotThere
		M map[string]int
	}
)

type Copied struct{ p unsafe.Pointer; s []string }
func (in Copied) DeepCopy() Copied { return in }
func (in Copied) Other(x NotThere) {}
type List[T any] []T
type Unused NotThere
-- dep/alias.go --
package dep
type Same = Copied
func (in *Same) DeepCopyInto(out *Copied) {}
-- api.go --
package api

import renamed "example.com/m/dep"

type Root struct {
	P renamed.Plain ` + "`json:\"p\"`" + `
	S *renamed.Sealed
	F func(n NotThere) [3]NotThere
	C chan NotThere
	I interface { DeepCopy() Root; Other(NotThere) }
	C2 renamed.Copied
	L renamed.List[Local]
	A [4]int
}
type Local struct { p *Root }
type Shared Local
`

// problems fails the test for errors that the program reports.
type problems struct{ t testing.TB }

func (p problems) Unreadable(_ *source.Package, file string, err error) {
	p.t.Errorf("%s: %v", file, err)
}
func (p problems) Syntax(_ *source.Package, err *scanner.Error) { p.t.Error(err) }
func (p problems) Redeclared(*source.Type, *ast.TypeSpec)       { p.t.Error("declared twice") }

// noMarkers parses no markers.
type noMarkers struct{}

func (noMarkers) ParseMarkers(*source.Package, []markers.Comment, markers.Target) (source.Markers, source.Malformed) {
	return nil, nil
}
func (noMarkers) Corrects(string) bool { return false }

// load returns the program and the package at the root of the module in an archive.
func load(t *testing.T, archive string) (*source.Program, *source.Package) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lister := &golist.Modules{Fallback: golist.GoCommand{}}
	roots, _, err := golist.Roots(t.Context(), nil, lister, dir, []string{"."})
	if err != nil || len(roots) != 1 {
		t.Fatal(roots, err)
	}
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	p := source.New(source.Config{Files: source.NewFiles(nil, table), Problems: problems{t}, Markers: noMarkers{}})
	return p, p.AddRoot(roots[0])
}

func check(t *testing.T, archive string, names ...string) (*typecheck.Checker, *source.Package, error) {
	t.Helper()
	p, root := load(t, archive)
	c := typecheck.New(p)
	for _, name := range names {
		c.Need(root, name)
	}
	return c, root, c.Check()
}

func TestPruned(t *testing.T) {
	c, root, err := check(t, api, "Root", "Shared")
	if err != nil {
		t.Fatal(err)
	}
	dep := root.Imported("example.com/m/dep")
	for _, want := range []struct {
		pkg        *source.Package
		name, text string
		methods    int
	}{
		{root, "Root", "struct{P example.com/m/dep.Plain; S *example.com/m/dep.Sealed; F func(); C chan struct{}; " +
			"I interface{DeepCopy() example.com/m.Root}; C2 example.com/m/dep.Copied; L example.com/m/dep.List[example.com/m.Local]; A [0]int}", 0},
		{root, "Local", "struct{p *example.com/m.Root}", 0}, // open: Shared has its fields
		{root, "Shared", "struct{p *example.com/m.Root}", 0},
		{dep, "Plain", "struct{A int; B int}", 0},
		{dep, "Sealed", "struct{_ *struct{}}", 0},
		{dep, "Copied", "struct{_ *struct{}}", 2},
		{dep, "List", "[]T", 0},
	} {
		obj := c.Lookup(want.pkg, want.name)
		if obj == nil {
			t.Errorf("%s was not checked", want.name)
			continue
		}
		named := obj.Type().(*types.Named)
		if got := named.Underlying().String(); got != want.text || named.NumMethods() != want.methods {
			t.Errorf("%s is %s with %d methods, want %s with %d", want.name, got, named.NumMethods(), want.text, want.methods)
		}
		if c.Package(obj) != want.pkg || c.Declaration(obj).Spec.Name.Name != want.name {
			t.Errorf("%s: wrong package or declaration", want.name)
		}
	}
	if c.Lookup(dep, "Unused") != nil {
		t.Error("Unused was checked, but nothing needs it")
	}
}

// TestSignatures wants the signature of a method that copies values to be kept as it is written.
func TestSignatures(t *testing.T) {
	const signature = `
-- go.mod --
module example.com/m

go 1.24
-- api.go --
package api

const n = 2

type Root struct { F func(Local) }
func (in *Root) DeepCopyInto(f func(chan Local) [2*n]interface { Other(Local) error }) {}
type Local struct { p *Root }
`
	c, root, err := check(t, signature, "Root")
	if err != nil {
		t.Fatal(err)
	}
	named := c.Lookup(root, "Root").Type().(*types.Named)
	const want = "func(f func(chan example.com/m.Local) [4]interface{Other(example.com/m.Local) error})"
	if got := named.Method(0).Signature().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := named.Underlying().String(); got != "struct{F func()}" {
		t.Errorf("Root is %s", got)
	}
}

func TestUnsure(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1") // one of the packages uses cgo
	for _, test := range []struct{ source, reason string }{
		{"type Root struct { A NotThere }", "type NotThere of package example.com/m was not found"},
		{"import \"C\"\ntype Root struct { A C.int }", "package example.com/m refers to the cgo type C.int"},
		{"import \"fmt\"\ntype Root struct { A fmt.NotThere }", "no file of package fmt declares a type NotThere"},
		{"type Root struct { A Twice[int, int] }\ntype Twice[T any] struct { A T }",
			"go/types reports an error: $DIR/api.go:1:35: too many type arguments for type Twice: have 2, want 1"},
	} {
		p, root := load(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- api.go --\npackage api; "+test.source+"\n")
		c := typecheck.New(p)
		c.Need(root, "Root")
		err := c.Check()
		var unsure *source.Unsure
		if !errors.As(err, &unsure) {
			t.Errorf("%s: %v", test.source, err)
			continue
		}
		if got := strings.ReplaceAll(unsure.Reason, filepath.Dir(root.Files[0]), "$DIR"); got != test.reason {
			t.Errorf("%s: %s", test.source, got)
		}
	}
}
