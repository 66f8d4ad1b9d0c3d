package passes_test

import (
	"bytes"
	"context"
	"maps"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// shuffledLister returns the root packages in random order.
type shuffledLister struct {
	gentest.Lister
	seed int64
}

func (l shuffledLister) List(ctx context.Context, dir string, patterns []string) ([]*define.Package, error) {
	out, err := l.Lister.List(ctx, dir, patterns)
	rand.New(rand.NewSource(l.seed)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out, err
}

// TestSameBytes generates all cases with files again, with another order of the root
// packages, another working directory and another GOMAXPROCS, and requires the same bytes.
func TestSameBytes(t *testing.T) {
	cases := readCases(t)
	_, listed := gentest.List(t, cases)
	t.Chdir(t.TempDir())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	compared := 0
	for _, c := range cases {
		options, _ := parseOptions(t, c.Options)
		options.Gates = c.Gates
		for seed := range int64(4) {
			runtime.GOMAXPROCS(int(seed%3) + 1)
			options.Lister = shuffledLister{gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}, seed}
			files, _, err := generateFiles(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				i := slices.IndexFunc(c.Archive.Files, func(want txtar.File) bool { return want.Name == "want/"+f.Name })
				if i < 0 || !bytes.Equal(c.Archive.Files[i].Data, f.Data) {
					t.Errorf("%s: %s differs with seed %d", c.Name, f.Name, seed)
				}
				compared++
			}
		}
	}
	if compared == 0 {
		t.Error("no files compared")
	}
}

// TestMetaAsRoot checks that files which are parsed ahead for every kind are not parsed
// again if their package is itself a root.
func TestMetaAsRoot(t *testing.T) {
	for range 20 {
		files, findings, err := generateFiles(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Patterns: []string{source.MetaV1Path}}, Server: gentest.Server(t, "")})
		if err != nil || len(files) > 0 || findings.HasErrors() {
			t.Fatal(len(files), findings, err)
		}
	}
}

// TestHostileSources checks that Go source which no compiler accepts leads to diagnostics,
// without a panic or an endless loop.
func TestHostileSources(t *testing.T) {
	const head = "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
		"type W struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tT T `json:\"t\"`\n}\n\n"
	sources := map[string]string{
		"self":           "type T T",
		"alias of self":  "type T = T",
		"mutual":         "type T U\ntype U T",
		"mutual aliases": "type T = U\ntype U = T",
		"pointer":        "type T *T",
		"slice":          "type T []T",
		"map":            "type T map[string]T",
		"embedded":       "type T struct { T `json:\",inline\"` }",
		"embedded both":  "type T struct { U `json:\",inline\"` }\ntype U struct { T `json:\",inline\"` }",
		"key":            "type T map[T]string",
		"marshals":       "type T struct { *T `json:\",inline\"` }\nfunc (t T) MarshalText( {}",
		"no type":        "type T",
		"redeclared":     "type T int\ntype T string",
		"call":           "type T f(1)",
		"dots":           "type T a.b.c",
		"import only":    "type T metav1",
		"unexported":     "type T metav1.unexported",
		"deep":           "type T " + repeat("[]", 2000) + "int",
		"deep pointers":  "type T " + repeat("*", 2000) + "int",
		"deep map":       "type T " + repeat("map[string]", 1000) + "int",
		"NUL byte":       "type T struct { A string `json:\"a\x00\"` }",
		"not UTF-8":      "type T struct { A string `json:\"\\xff\\xfe\"` }",
		"odd names":      "type T struct { A string `json:\"ключ\\u2028\"` }",
		"empty tag":      "type T struct { A string `json` }",
		"open tag":       "type T struct { A string `json:\"a }",
		"huge marker":    "// +kubebuilder:validation:Enum=" + repeat("a;", 100000) + "b\ntype T string",
		"nested marker":  "// +kubebuilder:validation:Enum=" + repeat("{", 5000) + "\ntype T string",
	}
	var cases []*gentest.Case
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		cases = append(cases, &gentest.Case{Name: strings.ReplaceAll(name, " ", "_"), Archive: &txtar.Archive{
			Files: []txtar.File{{Name: "v1/types.go", Data: []byte(head + sources[name] + "\n")}},
		}})
	}
	dir, listed := gentest.List(t, cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			options := define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}}, Server: gentest.Server(t, "")}
			files, findings, err := generateFiles(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			if !findings.HasErrors() && len(files) != 1 {
				t.Errorf("got %d files without errors, want 1", len(files))
			}
			for _, d := range findings {
				if d.Pos.Line == 0 {
					t.Errorf("no position: %v", d)
				}
				t.Log(d)
			}
		})
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }
