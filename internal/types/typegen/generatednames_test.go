package typegen_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/internal/types/typegen"
)

// oddNames returns names that are special somewhere on the way to Go source.
func oddNames() []string {
	out := []string{
		"", " ", "-", "_", "__", ".", "..", "a/b", "../a", "/", "9lives", "0", "1.5", "con", "nul.txt", "internal", "vendor", "testdata", "main", "init", "v1_test",
		"a`b", `a"b`, "a'b", `a\b`, "a,b", "a,omitempty", "-,", "a*/b", "a//b", "a\nb", "a\r\nb", "a\n//go:generate rm x\n", "a\x00b", "a\u2028b", "\ufeffa",
		"ß", "ǅ", "é", "e\u0301", "世界", "İ", "\u212a", "١", "Ⅷ", "ⁿ", "a\u200db", "😀", "A", "aB", "a_b", "a-b", "a.b", "AB", "ab",
		"deepCopy", "deepCopyInto", "deepCopyObject", "getObjectKind", "getName", "setLabels", "getObjectMeta", "typeMeta", "objectMeta", "apiVersion", "kind", "metadata",
		"items", "groupVersion", "schemeBuilder", "addToScheme", "addKnownTypes", "scheme", "runtime", "metav1", "schema", "json", "error", "context",
		"+kubebuilder:validation:Optional", "=", ";", "{}", "[*]", "$ref", "a]b", "a[0]", "spec.x", "%d", "%!s", "<script>",
	}
	for i := token.BREAK; i <= token.VAR; i++ {
		out = append(out, i.String())
	}
	return append(out, types.Universe.Names()...)
}

// A nameCase is a set of definitions with generated names.
type nameCase struct {
	*rand.Rand
	odd []string
	// isPlain is set as long as every name is one that Go can have.
	isPlain bool
}

// name returns one of the plain names, or sometimes an odd one.
func (c *nameCase) name(plain ...string) string {
	if c.IntN(60) > 0 {
		return plain[c.IntN(len(plain))]
	}
	c.isPlain = false
	name := c.odd[c.IntN(len(c.odd))]
	if token.IsIdentifier(name) && c.IntN(2) == 0 {
		first, size := utf8.DecodeRuneInString(name)
		name = string(unicode.ToUpper(first)) + name[size:]
	}
	return name
}

// properties returns an object with properties some of which are objects, lists and enums.
func (c *nameCase) properties(depth int) map[string]any {
	properties := map[string]any{}
	for range 1 + c.IntN(4) {
		name := c.name("claim", "claims", "clusterRef", "jobList", "jobs", "target", "status", "spec", "type", "func", "string", "a_b", "aB", "hostAliases", "tls", "indices")
		var node map[string]any
		switch kind := c.IntN(6); {
		case kind == 0:
			node = map[string]any{"type": "string", "enum": []string{"a", c.name("b", "a-b", "a_b"), c.name("c", "C", "")}}
		case kind == 1:
			node = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		case kind < 4 && depth > 0:
			node = c.properties(depth - 1)
			if c.IntN(2) == 0 {
				node = map[string]any{"type": "array", "items": node}
			}
		default:
			node = map[string]any{"type": "string"}
		}
		if c.IntN(4) == 0 {
			node["description"] = c.name("A text.", "Two\nlines.")
		}
		properties[name] = node
	}
	out := map[string]any{"type": "object", "properties": properties}
	for name := range properties {
		if len(properties) == 1 {
			out["required"] = []string{name}
		}
	}
	return out
}

// definition returns the JSON of a definition.
func (c *nameCase) definition(t *testing.T) []byte {
	t.Helper()
	plural := fmt.Sprintf("plurals%d", c.IntN(20))
	group := c.name("one.io", "sched.one.io", "sched.two.io", "func.io")
	kind := c.name("Claim", "Cluster", "Job", "JobList", "GroupVersion", "Func", "String", "Target", "Scheme")
	var versions []any
	for _, name := range slices.Compact(slices.Sorted(slices.Values([]string{c.name("v1", "v1beta1"), c.name("v1", "v2", "v1alpha1")}))) {
		root := c.properties(0)
		properties, _ := root["properties"].(map[string]any)
		properties["apiVersion"], properties["kind"] = map[string]any{"type": "string"}, map[string]any{"type": "string"}
		properties["metadata"] = map[string]any{"type": "object"}
		properties["spec"] = c.properties(3)
		properties[c.name("getObjectKind", "objectMeta", "typeMeta", "items")] = map[string]any{"type": "string"}
		versions = append(versions, map[string]any{"name": name, "served": true, "storage": len(versions) == 0, "schema": map[string]any{"openAPIV3Schema": root}})
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced", "versions": versions,
			"names": map[string]any{"kind": kind, "plural": plural, "listKind": kind + "List", "singular": strings.ToLower(kind)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// nameCases is the number of cases of TestGeneratedNames.
const nameCases = 120

// TestGeneratedNames generates types for definitions with random names. Every outcome is
// either Go that compiles, and from which the same schemas are generated, or a refusal with
// positions. Definitions that are accepted alone are accepted together, unless kinds clash.
func TestGeneratedNames(t *testing.T) {
	dir, module := openModule(t)
	compile := newCompiler(t, dir)
	count := map[string]int{}
	for seed := range uint64(nameCases) {
		c := &nameCase{Rand: rand.New(rand.NewPCG(seed, 1)), odd: oddNames(), isPlain: true}
		var texts []string
		for range 1 + c.IntN(4) {
			texts = append(texts, string(c.definition(t)))
		}
		text := strings.Join(texts, "\n---\n")
		options := typegen.Options{Dir: dir, Output: fmt.Sprintf("c%d", seed)}
		definitions := read(t, "crds.yaml", []byte(text))
		result := outcome(t, module, definitions, options, text)
		if result.late {
			t.Errorf("seed %d: found only in Go source:\n%s", seed, text)
		}
		alone := true
		for i := 0; i < len(definitions) && result.made == nil; i++ {
			alone = alone && outcome(t, module, definitions[i:i+1], options, text).made != nil
		}
		switch {
		case result.made != nil:
			count["accepted"]++
			writeFiles(t, dir, result.made)
			compile.check(t, result.made, text)
			compareGenerated(t, dir, definitions, options.Output, text)
		case slices.ContainsFunc(result.codes, func(code string) bool { return code != "SG413" }) && (alone || c.isPlain):
			t.Errorf("seed %d: %v for definitions that are accepted alone:\n%s", seed, result.codes, text)
		case alone:
			count["clash"]++
		default:
			count["refused"]++
		}
		if t.Failed() {
			return
		}
	}
	for _, want := range []string{"accepted", "clash", "refused"} {
		if count[want] < nameCases/30 {
			t.Errorf("%v: hardly any %s", count, want)
		}
	}
	t.Log(count)
}

type nameOutcome struct {
	made  *typegen.Result
	codes []string
	// late is set if a name was found to be wrong only in Go source.
	late bool
}

// outcome generates types and checks that a refusal has positions.
func outcome(t *testing.T, module *typegen.Module, definitions []*crd.Definition, options typegen.Options, text string) nameOutcome {
	t.Helper()
	made, found, err := module.Generate(context.Background(), definitions, options)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := nameOutcome{made: made}
	if made == nil && !found.HasErrors() {
		t.Errorf("neither a result nor an error:\n%s", text)
	}
	for _, d := range found {
		out.codes = append(out.codes, string(d.Code))
		if d.Pos.File != "crds.yaml" || d.Pos.Line == 0 || d.Code == "SG413" && len(d.Related) != 1 {
			t.Errorf("%v has no position:\n%s", d, text)
		}
		out.late = out.late || strings.Contains(d.Message, "the Go types for it are wrong")
	}
	return out
}

// compareGenerated compares the definitions of the packages in a directory with the ones that
// they were made from.
func compareGenerated(t *testing.T, dir string, definitions []*crd.Definition, output, text string) {
	t.Helper()
	result, found, err := generator.Run(context.Background(), generator.Options{
		Source: generator.Source{Dir: dir, Patterns: []string{"./" + output + "/..."}}, Language: generator.Language{AllowDangerousTypes: true},
	})
	if err != nil || found.HasErrors() {
		t.Fatalf("%v %v\n%s", found, err, text)
	}
	for _, d := range definitions {
		for i, v := range d.CRD.Spec.Versions {
			at := slices.IndexFunc(result.CRDs(), func(c *generator.CRD) bool {
				return c.Object().Spec.Group == d.CRD.Spec.Group && c.Object().Spec.Names.Kind == d.CRD.Spec.Names.Kind
			})
			if at < 0 || result.CRDs()[at].Schema(v.Name) == nil {
				t.Errorf("%s %s does not come back:\n%s", d.CRD.Spec.Names.Kind, v.Name, text)
				continue
			}
			if got, want := normal(t, result.CRDs()[at].Schema(v.Name).Props()), normal(t, d.Schemas[i].Props()); got != want {
				t.Errorf("%s %s: got %s, want %s", d.CRD.Spec.Names.Kind, v.Name, got, want)
			}
		}
	}
}

// normal returns a schema as JSON, in which values are escaped in one way.
func normal(t *testing.T, props *apiextensionsv1.JSONSchemaProps) string {
	t.Helper()
	text, err := json.Marshal(props)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(value); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A compiler checks the types of packages that import only what the generated ones do.
type compiler struct {
	fset     *token.FileSet
	importer types.Importer
}

// openModule opens a new module with the requirements of this one.
func openModule(t *testing.T) (dir string, module *typegen.Module) {
	t.Helper()
	dir = t.TempDir()
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	module, found, err := typegen.Open(context.Background(), dir)
	if err != nil || found.HasErrors() {
		t.Fatal(found, err)
	}
	return dir, module
}

func newCompiler(t *testing.T, dir string) *compiler {
	t.Helper()
	out, err := typedmodule.Go(dir, "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"k8s.io/apimachinery/pkg/util/intstr", "k8s.io/apimachinery/pkg/api/resource", "k8s.io/api/core/v1", "k8s.io/api/rbac/v1",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1")
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	c := &compiler{fset: token.NewFileSet()}
	c.importer = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return c
}

// check compiles each package, with the methods without which kinds are no objects.
func (c *compiler) check(t *testing.T, made *typegen.Result, text string) {
	t.Helper()
	packages := map[string][]*ast.File{}
	for _, f := range made.Files {
		dir := path.Dir(f.Path)
		if path.Base(f.Path) == "groupversion_info.go" {
			packages[dir] = append(packages[dir], c.parse(t, "stubs.go", stubs(path.Base(dir), f.Data)))
		}
		packages[dir] = append(packages[dir], c.parse(t, f.Path, f.Data))
	}
	for dir, files := range packages {
		config := types.Config{Importer: c.importer, Error: func(err error) { t.Errorf("%s: %v\n%s", dir, err, text) }}
		_, _ = config.Check(dir, c.fset, files, nil) // Error reports it
	}
}

func (c *compiler) parse(t *testing.T, name string, data []byte) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(c.fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// stubs returns the methods for the types that a file adds to a scheme.
func stubs(name string, file []byte) []byte {
	out := "package " + name + "\n\nimport \"k8s.io/apimachinery/pkg/runtime\"\n"
	for line := range strings.Lines(string(file)) {
		names, isList := strings.CutPrefix(strings.TrimSpace(line), "&")
		for _, name := range strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune("&{}, ", r) }) {
			if isList {
				out += fmt.Sprintf("\nfunc (in *%s) DeepCopyObject() runtime.Object { return in }\n", name)
			}
		}
	}
	return []byte(out)
}
