package source

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/unseen"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

const withFunctions = `package p

// T is a type.
type T int

// f is a function with a comment.
func f(n int) {
	// The type is local.
	type LOCAL
}

func (T) MarshalText() ([]byte, error) { return nil, nil }

func (T) String() string { return "" }
`

// openFunctions returns the file above, scanned, in a user's package or in a dependency.
func openFunctions(t *testing.T, local bool) (f *File, in *inputs.Reader) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(strings.Replace(withFunctions, "LOCAL", "U int", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	in = inputs.New()
	prog := New(Config{Files: NewFiles(in, table), Problems: &syntaxErrors{}, Markers: withoutMarkers{}})
	p := prog.packageFor(&golist.Package{Path: "example.com/p", Name: "p", Files: []string{name}, Local: local})
	prog.Scan([]*Package{p})
	return p.Sources[0], in
}

// TestUnseenFunctions wants functions that generators do not see to be left out of the text and
// the tree of a user's file, but not of those of a dependency.
func TestUnseenFunctions(t *testing.T) {
	for _, local := range []bool{true, false} {
		f, _ := openFunctions(t, local)
		text, err := f.Text()
		if err != nil {
			t.Fatal(err)
		}
		if seen := strings.Contains(string(text), "func f"); seen == local || !strings.Contains(string(text), "MarshalText") {
			t.Errorf("local %v: the text is\n%s", local, text)
		}
		if _, hinted := f.Pkg.hints["U"]; hinted == local {
			t.Errorf("local %v: the scan found types %v", local, f.hints)
		}
		tree, err := f.Tree()
		if err != nil {
			t.Fatal(err)
		}
		var functions []string
		for _, decl := range tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				functions = append(functions, fn.Name.Name)
			}
		}
		wantFunctions, wantComments := []string{"MarshalText"}, 1
		if !local {
			wantFunctions, wantComments = []string{"f", "MarshalText", "String"}, 3
		}
		if !slices.Equal(functions, wantFunctions) || len(tree.Comments) != wantComments {
			t.Errorf("local %v: the tree has functions %v and %d comments", local, functions, len(tree.Comments))
		}
	}
}

// TestUseOfUnseenFunctions wants a run that uses a function which generators usually do not see to
// depend on the whole file.
func TestUseOfUnseenFunctions(t *testing.T) {
	for _, test := range []struct {
		name string
		use  func(f *File) []string
		want []string
		hold bool
	}{
		{"the type", func(f *File) []string { return []string{f.Pkg.Lookup("T").String()} }, []string{"T"}, true},
		{"a marshaler", func(f *File) []string {
			f.Pkg.Lookup("T").Marshals("MarshalText")
			return nil
		}, nil, true},
		{"names", func(f *File) []string {
			f.Pkg.Lookup("T")
			return slices.Sorted(maps.Keys(f.Pkg.Names()))
		}, []string{"T", "f"}, false},
		{"selectors", func(f *File) []string { return f.Pkg.Lookup("T").Selectors() }, []string{"String", "MarshalText"}, false},
		{"a function", func(f *File) []string {
			f.Pkg.Index()
			return []string{f.Pkg.constantScope().find("f").name.Name}
		}, []string{"f"}, false},
		{"no function", func(f *File) []string {
			f.Pkg.Index()
			if f.Pkg.constantScope().find("none") != nil {
				return []string{"none"}
			}
			return nil
		}, nil, false},
	} {
		f, in := openFunctions(t, true)
		if got := test.use(f); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
		record, err := in.Record()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, []byte(strings.Replace(withFunctions, "LOCAL", "V string", 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if holds, _ := record.Holds(unseen.SoundRest); holds != test.hold {
			t.Errorf("%s: after a change of a function, the record holds: %v", test.name, holds)
		}
	}
}
