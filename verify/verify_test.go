package verify

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// manifest is a CRD around a schema.
func manifest(schema string) string {
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
func verifyText(t *testing.T, text string) (diag.List, *Subject) {
	t.Helper()
	fset := token.NewFileSet()
	manifests, problems := structural.ReadManifests(fset, "crd.yaml", []byte(text))
	if len(manifests) != 1 || manifests[0].CRD == nil {
		return Problems(problems, fset), nil
	}
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	v := New(target, Options{})
	s := Manifest(manifests[0], fset)
	found, err := v.One(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return append(Problems(problems, fset), found...), s
}

// serverSays is what upstream's validation says of a CRD that is created.
func serverSays(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) []string {
	t.Helper()
	object := crd.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinition(object)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&object.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(object, &internal, nil); err != nil {
		t.Fatal(err)
	}
	internal.Generation = 1
	internal.Status.StoredVersions = []string{"v1"}
	var out []string
	for _, e := range validation.ValidateCustomResourceDefinition(t.Context(), &internal) {
		out = append(out, shorten(e.Error()))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestErrorsAreTheServers compares the errors for every schema of the structural
// cases with upstream's own: the same messages with the same paths, but for those
// that are marked as coming later.
func TestErrorsAreTheServers(t *testing.T) {
	files, err := filepath.Glob("../structural/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	refused, distinct := 0, map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".yaml") {
				continue
			}
			found, subject := verifyText(t, manifest(string(f.Data)))
			if subject == nil {
				continue // not decoded: the server does not come to validation
			}
			var got []string
			for _, d := range found {
				if d.Code == codeRefused && !strings.Contains(d.Hint, laterHint) {
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
				refused++
			}
			for _, message := range want {
				_, detail, _ := strings.Cut(message, ": ")
				distinct[detail] = true
			}
		}
	}
	t.Logf("%d schemas refused, %d distinct errors", refused, len(distinct))
	if refused < 20 || len(distinct) < 40 {
		t.Errorf("only %d schemas were refused, with %d distinct errors", refused, len(distinct))
	}
}

// TestLaterErrors wants what the server comes to only after other errors.
func TestLaterErrors(t *testing.T) {
	found, _ := verifyText(t, manifest(`
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

// TestPathsAreFollowed holds the paths of columns and scale against a schema.
func TestPathsAreFollowed(t *testing.T) {
	schema := manifest(`
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
		".spec.map.key": "", ".spec.map['key']": "", ".spec.open.a.b": "", `.spec.a\.b`: "", ".spec['a.b']": "",
		".metadata.creationTimestamp": "", "..name": "", ".spec.*": "", "{.spec.name}": "",
		".spec.nam": ".spec.nam", ".status": ".status", ".spec.list[0].typ": ".spec.list.[].typ", ".spec.name.x": ".spec.name.x",
	} {
		text := strings.Replace(schema, "    schema:\n", fmt.Sprintf("    additionalPrinterColumns: [{name: X, type: string, jsonPath: %q}]\n    schema:\n", path), 1)
		found, _ := verifyText(t, text)
		got := ""
		for _, d := range found {
			if d.Code == codeNoSuchPath {
				_, got, _ = strings.Cut(d.Message, "there is no ")
			}
		}
		if got != missing {
			t.Errorf("%s: %q is missing, want %q", path, got, missing)
		}
	}
}

// memory is one in memory.
type memory map[string][]byte

func (m memory) Load(key string) ([]byte, bool) { data, ok := m[key]; return data, ok }
func (m memory) Store(key string, data []byte)  { m[key] = data }

// TestMemory wants the same findings from the memory, and none for anything that
// differs.
func TestMemory(t *testing.T) {
	kept := memory{}
	subject := func(text string) *Subject {
		fset := token.NewFileSet()
		manifests, _ := structural.ReadManifests(fset, "crd.yaml", []byte(text))
		s := Manifest(manifests[0], fset)
		s.Bytes = []byte(text)
		return s
	}
	run := func(version string, options Options, s *Subject) diag.List {
		options.Memory = kept
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
	text := manifest(`{type: object, properties: {a: {type: string, pattern: "("}, b: {type: integer, minimum: 3, maximum: 1}}}`)
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
		"schemas":    func() { s := subject(text); s.OnlySchemas = true; run("", Options{}, s) },
		"size":       func() { s := subject(text); s.Measure = false; run("", Options{}, s) },
	} {
		before := len(kept)
		change()
		if len(kept) != before+1 {
			t.Errorf("another %s was taken for the same", name)
		}
	}
}
