// Package schemagen_test holds the rules of the whole tree: which package may
// import which, and what no package does. It reads the files itself; the result
// of the go command would come from the test cache.
package schemagen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/schemagen/schemagen"

// layers are the packages, lowest first: each may import only those above it in
// this list.
func layers() []string {
	return []string{"internal/typedmodule", "internal/gogc", "internal/changetable", "diag", "inputs", "structural", "markers", "templates", "unions", "apiserver", "verify", "publish", "compare", "generator", "controllertools", "cmd/schemagen"}
}

// owners are import paths, with everything below them, that only the named
// packages may import. Tests are free.
func owners() map[string][]string {
	return map[string][]string{
		"golang.org/x/tools/go/packages":                            {"generator", "controllertools"},
		"k8s.io/apiserver":                                          {"apiserver"},
		"k8s.io/apiextensions-apiserver/pkg/apiserver":              {"apiserver"},
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/val": {"apiserver"},
		"sigs.k8s.io/controller-tools/pkg/crd/markers":              {"markers", "generator", "controllertools"},
		// The peer itself is the oracle of tests.
		"sigs.k8s.io/controller-tools/pkg/crd": {},
		"sigs.k8s.io/yaml":                     {"unions", "generator", "internal/changetable"},
		"go.yaml.in/yaml":                      {"structural", "generator", "cmd/schemagen"},
		"k8s.io/gengo":                         {"markers", "generator", "controllertools"},
		"k8s.io/code-generator":                {"controllertools"},
		"k8s.io/component-base":                {"apiserver"},
		// What a run reads is noted, so that the next one can tell whether it
		// changed.
		"os": {"inputs", "cmd/schemagen", "internal/typedmodule"},
	}
}

// goFile is one parsed file of the product.
type goFile struct {
	dir  string // slash-separated, relative to the root
	name string
	test bool
	ast  *ast.File
	fset *token.FileSet
}

// product returns the Go files of this module: nested modules and testdata are
// not part of it.
func product(t *testing.T) []goFile {
	t.Helper()
	var out []goFile
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if name != "." && (err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, goFile{
			dir: filepath.ToSlash(filepath.Dir(name)), name: filepath.ToSlash(name),
			test: strings.HasSuffix(name, "_test.go"), ast: parsed, fset: fset,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestImportsGoDownTheLayers(t *testing.T) {
	order := layers()
	for _, f := range product(t) {
		if f.dir == "." {
			continue
		}
		place := slices.Index(order, f.dir)
		if place < 0 {
			t.Errorf("%s: package %s is not in the list of layers", f.name, f.dir)
			continue
		}
		if f.test {
			continue
		}
		for _, spec := range f.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				if at := slices.Index(order, own); at < 0 || at >= place {
					t.Errorf("%s imports %s, which is not above it", f.name, own)
				}
			}
			checkOwner(t, f, imported)
		}
	}
}

// checkOwner finds the longest rule for an import.
func checkOwner(t *testing.T, f goFile, imported string) {
	t.Helper()
	longest := ""
	for prefix := range owners() {
		if strings.HasPrefix(imported, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	if longest != "" && !slices.Contains(owners()[longest], f.dir) {
		t.Errorf("%s imports %s, which only %v may", f.name, imported, owners()[longest])
	}
}

// TestNoHiddenState refuses what makes the flow of values invisible: init
// functions, package variables that are not constants in spirit, and, outside of
// cmd/, printing, exiting, and panics.
func TestNoHiddenState(t *testing.T) {
	constant := regexp.MustCompile(`^(err[A-Z]|regexp\.MustCompile|lazily|sync\.OnceValue|errors\.New)`)
	for _, f := range product(t) {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Name.Name == "init" {
					t.Errorf("%s: init function", f.fset.Position(decl.Pos()))
				}
			case *ast.GenDecl:
				if decl.Tok != token.VAR {
					continue
				}
				for _, spec := range decl.Specs {
					value := spec.(*ast.ValueSpec)
					for i, name := range value.Names {
						if name.Name == "_" || isEmbedded(decl) {
							continue
						}
						var text string
						if i < len(value.Values) {
							text = calledName(value.Values[i])
						}
						if !constant.MatchString(name.Name) && !constant.MatchString(text) && !isArray(value) {
							t.Errorf("%s: package variable %s: make it a function or a constant", f.fset.Position(name.Pos()), name.Name)
						}
					}
				}
			}
		}
		if strings.HasPrefix(f.dir, "cmd/") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch name := calledName(call); {
			case name == "panic", name == "print", name == "println",
				strings.HasPrefix(name, "fmt.Print"), strings.HasPrefix(name, "log."),
				name == "os.Exit", name == "runtime.Goexit":
				t.Errorf("%s: %s outside of cmd/", f.fset.Position(call.Pos()), name)
			}
			return true
		})
	}
}

// isArray reports whether the variable is an array literal of a fixed size that
// nothing in its package assigns to: a table.
func isArray(value *ast.ValueSpec) bool {
	for _, v := range value.Values {
		literal, ok := v.(*ast.CompositeLit)
		if !ok {
			return false
		}
		if _, ok := literal.Type.(*ast.ArrayType); !ok || literal.Type.(*ast.ArrayType).Len == nil {
			return false
		}
	}
	return len(value.Values) > 0
}

func isEmbedded(decl *ast.GenDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// calledName is the name of a called function as it is written.
func calledName(expr ast.Expr) string {
	call, ok := expr.(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		if x, ok := fn.X.(*ast.Ident); ok {
			return x.Name + "." + fn.Sel.Name
		}
	}
	return ""
}

// TestLayersHaveDocs wants a package comment for every package.
func TestLayersHaveDocs(t *testing.T) {
	documented := map[string]bool{}
	dirs := map[string]bool{}
	for _, f := range product(t) {
		if f.test || f.dir == "." {
			continue
		}
		dirs[f.dir] = true
		documented[f.dir] = documented[f.dir] || f.ast.Doc != nil
	}
	for dir := range dirs {
		if !documented[dir] {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}
