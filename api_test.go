package schemagen_test

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// apiDir has what each package exports, as declarations without comments and bodies.
const apiDir = "testdata/stable/api"

// TestAPI compares what the packages for others export with the files in apiDir, so that no
// change goes unseen. make api-diff says which changes break users.
func TestAPI(t *testing.T) {
	packages := map[string][]string{}
	for _, f := range product(t) {
		if f.test || f.dir == "." || strings.HasPrefix(f.dir, "cmd/") || slices.Contains(strings.Split(f.dir, "/"), "internal") {
			continue
		}
		packages[f.dir] = append(packages[f.dir], f.name)
	}
	want := map[string]bool{}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		name := filepath.Join(apiDir, strings.ReplaceAll(dir, "/", "_")+".txt")
		want[name] = true
		text := exported(t, dir, packages[dir])
		old, err := os.ReadFile(name)
		if err == nil && bytes.Equal(old, text) {
			continue
		}
		if !*update {
			t.Errorf("package %s exports something else than %s: run go test . -run TestAPI -update, and read the difference: docs/support.md says what may change", dir, name)
			continue
		}
		if err := os.MkdirAll(apiDir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(apiDir + "/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		switch {
		case want[name]:
		case *update:
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is of a package that does not exist: run go test . -run TestAPI -update", name)
		}
	}
}

// exported prints the exported declarations of a package, each type with its functions and
// methods.
func exported(t *testing.T, dir string, names []string) []byte {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution) // without comments
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, module+"/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBufferString("package " + p.Name + " // import \"" + module + "/" + dir + "\"\n\n")
	print := func(decl ast.Node) {
		// An empty file set drops the positions, and with them blank lines and alignment
		// that depend on what is not exported.
		if err := format.Node(out, token.NewFileSet(), decl); err != nil {
			t.Fatal(err)
		}
		out.WriteString("\n")
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			print(v.Decl)
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			f.Decl.Body = nil
			print(f.Decl)
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, typ := range p.Types {
		print(typ.Decl)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
	return out.Bytes()
}
