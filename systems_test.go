package schemagen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestSystems type-checks the module and its tests as for the systems on which CI runs no
// tests. Functions of dependencies are not checked.
func TestSystems(t *testing.T) {
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"windows/amd64", "darwin/arm64"} {
		t.Run(system, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			parse := func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
				file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
				if file != nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
					for _, decl := range file.Decls {
						if decl, ok := decl.(*ast.FuncDecl); ok {
							decl.Body = nil
						}
					}
				}
				return file, err
			}
			loaded, err := packages.Load(&packages.Config{
				Mode:      packages.LoadAllSyntax,
				Env:       append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
				ParseFile: parse,
				Tests:     true,
			}, "./...")
			if err != nil {
				t.Fatal(err)
			}
			checked := 0
			for _, p := range loaded {
				if strings.HasSuffix(p.ID, ".test") {
					continue // a generated program
				}
				for _, e := range p.Errors {
					t.Error(e)
				}
				checked += len(p.Syntax)
			}
			if checked < 500 {
				t.Errorf("%d files", checked)
			}
		})
	}
}
