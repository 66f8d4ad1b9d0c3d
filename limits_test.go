package schemagen_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"
)

// TestLimitsPage compares the limits in docs/limits.md with the constants in the code.
func TestLimitsPage(t *testing.T) {
	page, err := os.ReadFile("docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []struct {
		file, constant string
		value          int64
		row            string // start of the row, with the value as readers see it
	}{
		{"internal/define/flatten.go", "maxNodes", 200_000, "| nodes in a schema, counted at each use | 200,000 |"},
		{"internal/define/flatten.go", "maxParts", 50_000, "| structs embedded in one struct, including nested ones | 50,000 |"},
		{"internal/define/recursion.go", "maxRecursion", 10, "| depth of `+schemagen:recursion` | 10 |"},
		{"internal/source/instances.go", "maxInstances", 20, "| generic types nested in one another | 20 |"},
		{"internal/source/constantscope.go", "maxConstant", 1 << 20, "| string constant | 1 MiB |"},
		{"internal/markers/table.go", "MaxLength", 32 << 10, "| marker | 32 KiB |"},
		{"internal/ground/gates/gates.go", "maxLength", 1 << 10, "| condition of `+schemagen:when` | 1 KiB,"},
		{"internal/ground/gates/gates.go", "MaxNames", 12, "| condition of `+schemagen:when` | 1 KiB, 12 gates |"},
		{"internal/project/project.go", "maxBytes", 1 << 20, "| `schemagen.yaml` | 1 MiB |"},
		{"structural/manifest/build.go", "maxManifestBytes", 64 << 20, "| manifest | 64 MiB,"},
		{"structural/manifest/manifest.go", "maxDocuments", 10_000, "10,000 documents,"},
		{"structural/manifest/build.go", "maxNodes", 2_000_000, "2,000,000 keys and values,"},
		{"structural/manifest/decode.go", "maxStructs", 300_000, "300,000 schemas |"},
		{"structural/manifest/build.go", "maxDepth", 10_000, "| nesting of a manifest | 10,000 |"},
		{"structural/manifest/library.go", "maxLibraryBytes", 8 << 20, "| document with flow style, anchors or tags | 8 MiB,"},
		{"structural/manifest/library.go", "maxLibraryIndicators", 200_000, "200,000 indicators |"},
		{"internal/apiserver/ruletree.go", "maxTypeNesting", 100, "| nesting of a schema that has CEL rules | 100 |"},
		{"unions/sample.go", "maxSampleNodes", 200_000, "| values in a sample (`try --sample`, `docs`) | 200,000 |"},
		{"internal/pages/prose/prose.go", "maxParsed", 8 << 10, "| description that `docs` formats | 8 KiB |"},
		{"internal/migrate/kubebuilder/protocol.go", "maxRequest", 1 << 30, "| request of Kubebuilder to the plugin | 1 GiB |"},
		{"cmd/schemagen/internal/httpserver/httpserver.go", "MaxConnections", 64, "| connections to `openapi --serve` | 64 |"},
	} {
		if got := constantOf(t, limit.file, limit.constant); got != limit.value {
			t.Errorf("%s: %s is %d, and docs/limits.md has %d", limit.file, limit.constant, got, limit.value)
		}
		if !strings.Contains(string(page), limit.row) {
			t.Errorf("docs/limits.md does not have %q", limit.row)
		}
	}
}

// constantOf returns the value of a constant that is an expression of literals.
func constantOf(t *testing.T, file, name string) int64 {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var value int64
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == name {
			tv, err := types.Eval(fset, nil, token.NoPos, types.ExprString(spec.Values[0]))
			if err != nil {
				t.Fatal(err)
			}
			value, _ = constant.Int64Val(tv.Value)
		}
		return true
	})
	return value
}
