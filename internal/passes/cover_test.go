package passes_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

// usedMarkers returns the markers used in the cases of CRDs and of conversions, as "name target".
func usedMarkers(t testing.TB) map[string]bool {
	t.Helper()
	table := gentest.Table(t)
	used := map[string]bool{}
	note := func(comments []markers.Comment, target markers.Target) {
		for _, c := range comments {
			if def := table.Lookup(c.Text, target); def != nil {
				used[def.Name+" "+target.String()] = true
			}
		}
	}
	for _, c := range append(readCases(t), gentest.Read(t, "../../testdata/conversions/*.txtar")...) {
		for _, f := range c.Archive.Files {
			if !strings.HasSuffix(f.Name, ".go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.ParseComments)
			if err != nil {
				continue // the case tests syntax errors
			}
			collected := table.Collect(file)
			note(collected.Package, markers.Package)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					note(collected.Type(n), markers.Type)
				case *ast.StructType:
					for _, comments := range collected.Fields(n) {
						note(comments, markers.Field)
					}
				}
				return true
			})
		}
	}
	return used
}

// TestMarkersAreCovered fails for a marker that no case uses. Markers that only need a
// table row are covered by their example in the reference.
func TestMarkersAreCovered(t *testing.T) {
	used := usedMarkers(t)
	table := gentest.Table(t)
	for _, def := range table.Definitions() {
		if !used[def.Name+" "+def.Target.String()] && def.Stage() == markers.NoStage {
			t.Errorf("no case uses +%s on a %s", def.Name, def.Target)
		}
	}
}
