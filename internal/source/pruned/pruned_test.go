package pruned_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/internal/source/pruned"
)

const whole = `package api

import "unsafe"

const Size T = T(unsafe.Sizeof(0))

func f() int { return "" }

type T int

type U dep.V
`

// TestCheck wants the added declarations, and no others, to be checked with the imports in use, and
// errors to be at positions of the whole file.
func TestCheck(t *testing.T) {
	unsafe := pruned.Import{Name: "unsafe", Path: "unsafe"}
	dep := pruned.Import{Name: "dep", Path: "m/dep"}
	for name, test := range map[string]struct {
		imports []pruned.Import
		decls   []int // in the order in which they are added; 0 is the import
		bodies  bool
		names   []string
		errors  []string
	}{
		"one":             {decls: []int{3}, names: []string{"T"}},
		"order":           {imports: []pruned.Import{unsafe, unsafe}, decls: []int{3, 1}, names: []string{"Size", "T"}},
		"without import":  {decls: []int{1, 3}, names: []string{"Size", "T"}, errors: []string{"5:18 undefined: unsafe"}},
		"no declaration":  {decls: []int{1}, imports: []pruned.Import{unsafe}, names: []string{"Size"}, errors: []string{"5:12 undefined: T"}},
		"without bodies":  {decls: []int{2}, names: []string{"f"}},
		"bodies":          {decls: []int{2}, bodies: true, names: []string{"f"}, errors: []string{`7:23 cannot use "" (untyped string constant) as int value in return statement`}},
		"failed import":   {decls: []int{4}, imports: []pruned.Import{dep}, names: []string{"U"}, errors: []string{"1:1 could not import m/dep (not here)"}},
		"nothing to find": {imports: []pruned.Import{unsafe}},
	} {
		t.Run(name, func(t *testing.T) {
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, "api.go", whole, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			var file pruned.File
			for _, used := range test.imports {
				file.Use(used)
			}
			for _, i := range test.decls {
				file.Add(tree.Decls[i])
			}
			syntax := file.Syntax(tree)
			if !slices.IsSortedFunc(syntax.Decls[1:], func(a, b ast.Decl) int { return int(a.Pos() - b.Pos()) }) {
				t.Error("declarations are not in the order of the file")
			}
			var got []string
			p := types.NewPackage("m/api", "api")
			pruned.Config{
				Fset: fset, Bodies: test.bodies,
				Import: func(string) (*types.Package, error) { return nil, errors.New("not here") },
				Error: func(e types.Error) {
					got = append(got, e.Fset.Position(e.Pos).String()[len("api.go:"):]+" "+e.Msg)
				},
			}.Check(p, []*ast.File{syntax})
			if !slices.Equal(got, test.errors) || !slices.Equal(p.Scope().Names(), test.names) {
				t.Errorf("got %q with errors %q, want %q with %q", p.Scope().Names(), got, test.names, test.errors)
			}
		})
	}
}
