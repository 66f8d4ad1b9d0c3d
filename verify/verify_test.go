package verify

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// manifestOf returns a CRD with the schema.
func manifestOf(schema string) string {
	const head = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
`
	return head + "        " + strings.ReplaceAll(strings.TrimSpace(schema), "\n", "\n        ") + "\n"
}

// verifyText verifies a manifest.
func verifyText(t *testing.T, text string) (diag.List, *crd.Definition) {
	t.Helper()
	return verifyFor(t, "", text)
}

// verifyFor verifies a manifest for a version of Kubernetes.
func verifyFor(t *testing.T, version, text string) (diag.List, *crd.Definition) {
	t.Helper()
	definitions, problems := Read(crd.File{Name: "crd.yaml", Data: []byte(text)})
	if len(definitions) != 1 {
		return problems, nil
	}
	target, err := apiserver.NewTarget(version)
	if err != nil {
		t.Fatal(err)
	}
	v := New(target, Options{})
	s := definitions[0]
	found, err := v.One(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return append(problems, found...), s
}

// typeNumber matches the number that the server's compiler adds to a name, a different one each time.
var typeNumber = regexp.MustCompile(`selfType\d+`)

// serverSays returns the errors of upstream's validation for a CRD that is created.
func serverSays(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) (out []string) {
	t.Helper()
	defer func() {
		if recover() != nil {
			out = []string{panics}
		}
	}()
	object := crd.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinition(object)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&object.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(object, &internal, nil); err != nil {
		t.Fatal(err)
	}
	internal.Generation = 1
	internal.Status.StoredVersions = []string{"v1"}
	for _, e := range validation.ValidateCustomResourceDefinition(t.Context(), &internal) {
		out = append(out, shorten(typeNumber.ReplaceAllString(e.Error(), "selfType")))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestErrorsMatchServer compares the errors for every schema of the structural cases with
// upstream's: the same messages with the same paths, except for errors marked with
// laterHint.
func TestErrorsMatchServer(t *testing.T) {
	files, err := filepath.Glob("../structural/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	rejected, distinct := 0, map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".yaml") {
				continue
			}
			found, subject := verifyText(t, manifestOf(string(f.Data)))
			if subject == nil {
				continue // not decoded, so the server does not validate it
			}
			var got []string
			for _, d := range found {
				if d.Code == rejectedByServer.Code && !strings.Contains(d.Hint, laterHint) {
					got = append(got, d.Message)
					if d.Pos.Line < 4 {
						t.Errorf("%s, %s: %s is at %s", file, f.Name, d.Message, d.Pos)
					}
				}
			}
			slices.Sort(got)
			want := serverSays(t, subject.CRD)
			if !slices.Equal(slices.Compact(got), want) {
				t.Errorf("%s, %s:\n got %s\nwant %s", file, f.Name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
			if len(want) > 0 {
				rejected++
			}
			for _, message := range want {
				_, detail, _ := strings.Cut(message, ": ")
				distinct[detail] = true
			}
		}
	}
	t.Logf("%d schemas rejected, %d distinct errors", rejected, len(distinct))
	if rejected < 20 || len(distinct) < 40 {
		t.Errorf("only %d schemas were rejected, with %d distinct errors", rejected, len(distinct))
	}
}

// TestLaterErrors checks errors that the server reports only once others are fixed.
func TestLaterErrors(t *testing.T) {
	found, _ := verifyText(t, manifestOf(`
type: object
properties:
  a: {type: string, pattern: "("}
  b: {type: string, default: 5}
  c:
    type: string
    x-kubernetes-validations:
    - rule: self > 3
  d: {type: array, items: {type: object}, x-kubernetes-list-type: set}
  e: {minimum: 3}
  f: {type: array}
`))
	var got []string
	for _, d := range found {
		got = append(got, fmt.Sprintf("%d %s", d.Pos.Line, strings.SplitN(d.Message, ": ", 3)[1]))
	}
	for _, want := range []string{"16 Invalid value", "17 Invalid value", "21 Invalid value", "22 Invalid value", "23 Required value", "24 Required value"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
}

// TestPaths checks which paths of columns exist in a schema.
func TestPaths(t *testing.T) {
	schema := manifestOf(`
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {type: integer}
      name: {type: string}
      list: {type: array, items: {type: object, properties: {type: {type: string}}}}
      map: {type: object, additionalProperties: {type: string}}
      open: {type: object, x-kubernetes-preserve-unknown-fields: true}
      a.b: {type: string}
`)
	for path, missing := range map[string]string{
		".spec.name": "", ".spec.list[0].type": "", ".spec.list[?(@.type=='x,y')].type": "", ".spec.list[*].type": "",
		".spec.map.key": "", ".spec.map['key']": "", ".spec.open.a.b": "", `.spec.a\.b`: "", `.spec['a\.b']`: "", ".spec['a.b']": ".spec.a",
		".metadata.creationTimestamp": "", `.metadata.labels.app\.kubernetes\.io/name`: "", ".metadata.annotations['x']": "", ".metadata.ownerReferences[0].name": "",
		".metadata.managedFields[0].fieldsV1.x": "", ".metadata.nam": ".metadata.nam", ".metadata.ownerReferences[0].nam": ".metadata.ownerReferences.[].nam", ".metadata.name.x": ".metadata.name.x",
		"..name": "", ".spec.*": "", "{.spec.name}": "",
		".spec.nam": ".spec.nam", ".status": ".status", ".spec.list[0].typ": ".spec.list.[].typ", ".spec.name.x": ".spec.name.x",
	} {
		text := strings.Replace(schema, "    schema:\n", fmt.Sprintf("    additionalPrinterColumns: [{name: X, type: string, jsonPath: %q}]\n    schema:\n", path), 1)
		found, _ := verifyText(t, text)
		got := ""
		for _, d := range found {
			if d.Code == noSuchPath.Code {
				_, got, _ = strings.Cut(d.Message, "no field ")
			}
		}
		if got != missing {
			t.Errorf("%s: %q is missing, want %q", path, got, missing)
		}
	}
}

// TestNameOfTheFirstVersion reports an invalid name once, at the field that the definition has.
func TestNameOfTheFirstVersion(t *testing.T) {
	text := manifestOf("type: object\n")
	if !strings.Contains(text, "name: v1\n") {
		t.Fatal(text)
	}
	found, _ := verifyText(t, strings.Replace(text, "name: v1\n", "name: V1\n", 1))
	if len(found) != 1 || !strings.HasPrefix(found[0].Message, `spec.versions[0].name: Invalid value: "V1": `) {
		t.Errorf("got %v", found)
	}
}

// TestColumnsMatchServer compares the findings about random column paths with the cells
// that the server's table converter prints for a complete object.
func TestColumnsMatchServer(t *testing.T) {
	schema := manifestOf(`
type: object
properties:
  spec:
    type: object
    properties:
      name: {type: string}
      list: {type: array, items: {type: object, properties: {type: {type: string}, a.b: {type: string}}}}
      map: {type: object, additionalProperties: {type: string}}
      a.b: {type: string}
`)
	keys := map[string]any{"a.b": "1"}
	for _, key := range []string{"spec", "metadata", "name", "labels", "list", "type", "a", "map", "nam"} {
		keys[key] = "1"
	}
	item := map[string]any{"type": "x", "a.b": "y"}
	full := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "a", "namespace": "b", "generation": int64(1), "labels": keys},
		"spec":     map[string]any{"name": "a", "list": []any{item}, "a.b": "z", "map": keys},
	}}
	steps := []string{".spec", ".metadata", ".name", ".labels", ".list", "[0]", "[*]", "[?(@.type=='x')]", "[?(@.type=='x']", ".type", `.a\.b`, ".a.b", "['a.b']", `['a\.b']`, `["name"]`, "['name']", ".map", "[", "]", "[x]", ".nam"}
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[string]int{}
	for range 1500 {
		path := []string{".spec", ".metadata", ".spec.list[0]", ".spec.list", ".spec.map"}[r.IntN(5)]
		for range r.IntN(4) {
			path += steps[r.IntN(len(steps))]
		}
		text := strings.Replace(schema, "    schema:\n", fmt.Sprintf("    additionalPrinterColumns: [{name: X, type: string, jsonPath: %q}]\n    schema:\n", path), 1)
		found, subject := verifyText(t, text)
		is := "present"
		for _, d := range found {
			switch d.Code {
			case noSuchPath.Code:
				is = "missing"
			case misleadingColumn.Code:
				is = "unparsed"
				if strings.Contains(d.Message, "never has a value") {
					is = "blank"
				}
			}
		}
		counts[is]++
		columns := subject.CRD.Spec.Versions[0].AdditionalPrinterColumns
		convertor, err := tableconvertor.New(columns)
		if (err != nil) != (is == "unparsed") {
			t.Errorf("%s: %v, but verify reports it as %s", path, err, is)
		}
		if err != nil {
			continue
		}
		table, err := convertor.ConvertToTable(t.Context(), full, nil)
		if err != nil {
			t.Fatal(err)
		}
		cell := table.Rows[0].Cells[1]
		if (is == "missing" || is == "blank") && cell != nil {
			t.Errorf("%s is reported as missing, but the server prints %v", path, cell)
		}
		if simple := !strings.ContainsAny(path, "*?") && !strings.Contains(path, "map[") && !strings.Contains(path, "labels["); is == "present" && cell == nil && simple {
			t.Errorf("%s is not reported as missing, but the server prints nothing", path)
		}
	}
	t.Log(counts)
	if counts["missing"] < 100 || counts["present"] < 100 || counts["unparsed"] < 100 {
		t.Errorf("too few of one kind: %v", counts)
	}
}

// TestHeadings checks the warning for a column with the heading of an earlier one.
func TestHeadings(t *testing.T) {
	text := strings.Replace(manifestOf("type: object"), "    schema:\n", `    additionalPrinterColumns:
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    - {name: Uid, type: string, jsonPath: .metadata.uid}
    - {name: UID, type: string, jsonPath: .metadata.uid}
    - {name: Age, type: date, jsonPath: .metadata.deletionTimestamp}
    schema:
`, 1)
	found, _ := verifyText(t, text)
	var got []string
	for _, d := range found {
		got = append(got, fmt.Sprintf("%d %s, see %d", d.Pos.Line, d.Message, d.Related[0].Pos.Line))
	}
	want := []string{"15 duplicate printer column UID: both are printed under the same heading, see 14", "16 duplicate printer column Age: both are printed under the same heading, see 13"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// memory is a Memory that is a map.
type memory map[string][]byte

func (m memory) Load(key string) ([]byte, bool) { data, ok := m[key]; return data, ok }
func (m memory) Store(key string, data []byte)  { m[key] = data }

// TestResultCache checks that cached findings are the same, and that anything that differs is
// not served from the cache.
func TestResultCache(t *testing.T) {
	kept := memory{}
	subject := func(text string) *crd.Definition {
		definitions, _ := Read(crd.File{Name: "crd.yaml", Data: []byte(text)})
		s := definitions[0]
		s.Provenance().Text = []byte(text)
		return s
	}
	run := func(version string, options Options, s *crd.Definition) diag.List {
		options.Cache = kept
		target, err := apiserver.NewTarget(version)
		if err != nil {
			t.Fatal(err)
		}
		found, err := New(target, options).One(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	text := manifestOf(`{type: object, properties: {a: {type: string, pattern: "("}, b: {type: integer, minimum: 3, maximum: 1}}}`)
	first := run("", Options{}, subject(text))
	again := subject(text)
	again.CRD, again.Build = nil, func() *apiextensionsv1.CustomResourceDefinition { t.Error("examined again"); return nil }
	second := run("", Options{}, again)
	if fmt.Sprint(first) != fmt.Sprint(second) || len(first) != 2 {
		t.Errorf("first %v\nsecond %v", first, second)
	}
	for name, change := range map[string]func(){
		"text":       func() { run("", Options{}, subject(text+"# more\n")) },
		"version":    func() { run("1.31", Options{}, subject(text)) },
		"generating": func() { run("", Options{Generating: true}, subject(text)) },
		"schemas":    func() { s := subject(text); s.Provenance().OnlySchemas = true; run("", Options{}, s) },
		"size":       func() { s := subject(text); s.CheckSize = false; run("", Options{}, s) },
	} {
		before := len(kept)
		change()
		if len(kept) != before+1 {
			t.Errorf("a different %s was served from the cache", name)
		}
	}
}

// TestPacks checks that tiny definitions share entries of the cache, that findings are those of their
// definitions, and that a change only affects a few.
func TestPacks(t *testing.T) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	kept := memory{}
	var examined atomic.Int64
	check := func(minimum func(i int) int) string {
		var subjects []*crd.Definition
		for i := range 200 {
			const schema = "{type: object, properties: {p%d: {type: integer, minimum: %d, maximum: 9}}}"
			text := []byte(manifestOf(fmt.Sprintf(schema, i, minimum(i))))
			definitions, _ := Read(crd.File{Name: fmt.Sprintf("%d.yaml", i), Data: text})
			s := definitions[0]
			s.Provenance().Text = text
			object := s.CRD
			s.CRD = nil
			s.Build = func() *apiextensionsv1.CustomResourceDefinition { examined.Add(1); return object }
			subjects = append(subjects, s)
		}
		found, err := New(target, Options{Cache: kept}).Check(t.Context(), subjects)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(found)
	}
	original := func(i int) int { return 1 + 9*(i%2) } // every second one is a contradiction
	first := check(original)
	if examined.Load() != 200 || strings.Count(first, "minimum") < 100 || len(kept) < 2 || len(kept) > 30 {
		t.Errorf("examined %d, %d entries, found %s", examined.Load(), len(kept), first)
	}
	examined.Store(0)
	if second := check(original); examined.Load() != 0 || second != first {
		t.Errorf("examined %d again; found %s", examined.Load(), second)
	}
	changed := check(func(i int) int { return original(i) + i/199 })
	if examined.Load() == 0 || examined.Load() == 200 || changed == first {
		t.Errorf("examined %d after a change; found %s", examined.Load(), changed)
	}
	large := manifestOf(`{type: object, x-kubernetes-validations: [{rule: "true"}]}`)
	definitions, _ := Read(crd.File{Name: "crd.yaml", Data: []byte(large)})
	definitions[0].Provenance().Text = []byte(large)
	if isTiny(definitions[0]) {
		t.Error("a definition with rules is tiny")
	}
}

// TestResultsWithoutDescriptions checks that a definition has the results of one that differs only in
// descriptions, also while it is a draft, unless the server may quote these.
func TestResultsWithoutDescriptions(t *testing.T) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	kept := memory{}
	v := New(target, Options{Cache: kept})
	for _, c := range []struct {
		schema string
		codes  int
		shared bool
	}{
		{"{type: object, description: D, properties: {b: {type: integer, minimum: 3, maximum: 1}}}", 1, true},
		{"{type: object, properties: {a: {type: object, description: D, properties: {b: {}}}}}", 1, false},
	} {
		for i, description := range []string{"one", "two"} {
			text := []byte(manifestOf(strings.ReplaceAll(c.schema, " D,", " "+description+",")))
			definitions, _ := Read(crd.File{Name: "crd.yaml", Data: text})
			s := definitions[0]
			s.Provenance().Undescribed, s.CheckSize = c.schema, false
			if i == 0 {
				s.Provenance().Text = text
			} else {
				s.Provenance().Draft = text
			}
			before := len(kept)
			found, err := v.One(t.Context(), s)
			if err != nil || len(found) != c.codes {
				t.Errorf("%s: %v, %v", text, found, err)
			}
			if again := len(kept) == before; again != (c.shared && i == 1) {
				t.Errorf("%s: in the cache: %t", text, again)
			}
		}
	}
	// The size counts descriptions.
	for i, description := range []string{"short", strings.Repeat("long ", 60000)} {
		text := []byte(manifestOf("{type: object, description: " + description + "}"))
		definitions, _ := Read(crd.File{Name: "crd.yaml", Data: text})
		s := definitions[0]
		s.Provenance().Undescribed, s.Provenance().Text = "sized", text
		if found, err := v.One(t.Context(), s); err != nil || len(found) != i {
			t.Errorf("%d: %v, %v", i, found, err)
		}
	}
}

// TestUniqueItemsHint checks that the error about uniqueItems, which the server has no support
// for, names the list types that it has.
func TestUniqueItemsHint(t *testing.T) {
	const sets = "+listType=set"
	const maps = "+listType=map"
	for items, want := range map[string]string{
		"{type: string}":  sets,
		"{type: integer}": sets,
		"{type: object, required: [name], properties: {name: {type: string}}}": maps,
		"{type: array, items: {type: string}}":                                 "",
	} {
		list := "type: object\nproperties: {spec: {type: object, properties: {a: {type: array, uniqueItems: true, items: " + items + "}}}}"
		found, _ := verifyText(t, manifestOf(list))
		at := slices.IndexFunc(found, func(d diag.Diagnostic) bool { return strings.Contains(d.Message, "uniqueItems") })
		if at < 0 || !strings.Contains(found[at].Hint, want) || (want == "") != (found[at].Hint == "") {
			t.Errorf("%s: want a hint with %q in %v", items, want, found)
		}
	}
}
