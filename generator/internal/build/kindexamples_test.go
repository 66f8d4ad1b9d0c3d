package build

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/gentest"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/internal/typedmodule"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/verify"
)

// TestKindExamples generates the examples of the kinds of diagnostics, which are Go source
// or a txtar archive of Go files. The bad example must result in diagnostics of its kind
// only, the good one in none.
func TestKindExamples(t *testing.T) {
	kinds := slices.DeleteFunc(slices.Concat(report.Codes(), verify.Codes()), func(k *diag.Kind) bool { return k.Bad == "" })
	var cases []*gentest.Case
	for i, k := range kinds {
		for j, example := range []string{k.Bad, k.Good} {
			name := fmt.Sprintf("example%d.%d", i, j)
			if archive := txtar.Parse([]byte(example + "\n")); len(archive.Files) > 0 {
				cases = append(cases, &gentest.Case{Name: name, Archive: archive})
				continue
			}
			cases = append(cases, exampleCase(name, &markers.Described{Go: example + "\n"}))
		}
	}
	dir, listed := gentest.List(t, cases)
	for i, k := range kinds {
		found := func(c *gentest.Case) (codes []diag.Code) {
			_, findings, err := generateFiles(t.Context(), Options{Source: Source{Dir: filepath.Join(dir, c.Name), Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}}, Output: Output{ToolVersion: "schemagen"}, Server: gentest.Server(t, "")})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range findings {
				if !d.Off || d.Code == k.Code {
					codes = append(codes, d.Code)
				}
			}
			return slices.Compact(codes)
		}
		if got := found(cases[2*i]); !slices.Equal(got, []diag.Code{k.Code}) {
			t.Errorf("%s: of the bad example %v are reported:\n%s", k.Code, got, k.Bad)
		}
		if got := found(cases[2*i+1]); len(got) > 0 {
			t.Errorf("%s: of the good example %v are reported:\n%s", k.Code, got, k.Good)
		}
	}
}
