package generator

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// worldOf returns the world of a listing, with its packages as roots.
func worldOf(t testing.TB, dir string, patterns ...string) (*world, []*pkg) {
	t.Helper()
	options := &Options{Dir: dir, Patterns: patterns}
	r := &reporter{fset: token.NewFileSet()}
	w := &world{fset: r.fset, table: newTable(t), reporter: r, options: options, roots: map[string]*pkg{}, packages: map[*Package]*pkg{}}
	roots, err := load(t.Context(), options, w)
	if err != nil {
		t.Fatal(err)
	}
	return w, roots
}

// TestConstantsAgreeWithGo compares the constants of every string type of real
// packages with what the compiler's front end says.
func TestConstantsAgreeWithGo(t *testing.T) {
	patterns := []string{
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "k8s.io/apimachinery/pkg/apis/meta/v1",
		"k8s.io/apimachinery/pkg/util/validation/field", "k8s.io/gengo/v2/codetags", "golang.org/x/tools/go/packages",
		"net/http", "encoding/json", "text/template/parse", "crypto/tls", "log/slog",
	}
	loaded, err := packages.Load(&packages.Config{Dir: "..", Mode: packages.NeedName | packages.NeedTypes | packages.NeedDeps | packages.NeedImports}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	_, roots := worldOf(t, "..", patterns...)
	compared := 0
	for _, want := range loaded {
		i := slices.IndexFunc(roots, func(p *pkg) bool { return p.Path == want.PkgPath })
		if i < 0 {
			t.Fatalf("%s is not listed", want.PkgPath)
		}
		scope := want.Types.Scope()
		byType := map[string][]string{}
		for _, name := range scope.Names() {
			c, ok := scope.Lookup(name).(*types.Const)
			if !ok || c.Val().Kind() != constant.String {
				continue
			}
			if named, ok := types.Unalias(c.Type()).(*types.Named); ok && named.Obj().Pkg() == want.Types {
				byType[named.Obj().Name()] = append(byType[named.Obj().Name()], fmt.Sprintf("%s=%q", name, constant.StringVal(c.Val())))
			}
		}
		for name, constants := range byType {
			decl := roots[i].lookup(name)
			if decl == nil {
				t.Errorf("%s.%s is not found", want.PkgPath, name)
				continue
			}
			found, failed := decl.constants()
			var got []string
			for _, c := range found {
				got = append(got, fmt.Sprintf("%s=%q", c.name, c.value))
			}
			slices.Sort(got)
			slices.Sort(constants)
			if !slices.Equal(got, constants) || len(failed) > 0 {
				t.Errorf("%s.%s:\n got %s\nwant %s\n%v", want.PkgPath, name, strings.Join(got, " "), strings.Join(constants, " "), failed)
			}
			compared += len(constants)
		}
	}
	if compared < 80 {
		t.Errorf("only %d constants were compared", compared)
	}
	for _, p := range roots {
		parsed := 0
		for _, f := range p.files {
			if f.parsed {
				parsed++
			}
			if f.parsed && strings.Contains(f.name, "zz_generated.deepcopy") {
				t.Errorf("%s was parsed", f.name)
			}
		}
		t.Logf("%s: %d of %d files parsed", p.Path, parsed, len(p.files))
	}
}
