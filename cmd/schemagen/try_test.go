package main

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// hostileCRD has a value of each type.
const hostileCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              text: {type: string, default: a}
              integer: {type: integer}
              small: {type: integer, format: int32}
              number: {type: number}
              flag: {type: boolean}
              either: {x-kubernetes-int-or-string: true}
              list: {type: array, items: {type: string}}
              map: {type: object, additionalProperties: {type: integer}}
              keyed:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}}}
              any: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// tryText tries an object, and returns what is said of it.
func tryText(t *testing.T, object string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"crd.yaml": hostileCRD, "object.yaml": object} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out, errs strings.Builder
	code = run(t.Context(), append([]string{"try", "-f", "object.yaml", "--crd", "crd.yaml"}, more...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTryHostile(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
	spec := func(text string) string { return head + "spec: {" + text + "}\n" }
	deep := func(open, end string) string {
		return head + "spec: {any: {a: " + strings.Repeat(open, 10_000) + strings.Repeat(end, 10_000) + "}}\n"
	}
	for _, test := range []struct {
		name, object string
		code         int
		want         string // a part of stderr
	}{
		{"string for object", head + "spec: a\n", 1, `object.yaml:4:1: error[SG701]: spec: Invalid value: "string"`},
		{"list for object", head + "spec: []\n", 1, `object.yaml:4:1: error[SG701]: spec: Invalid value: "array"`},
		{"number for string", spec("text: 1"), 1, `object.yaml:4:8: error[SG701]: spec.text: Invalid value: "integer"`},
		{"null with a default", spec("text: null"), 0, `spec.text gets its default "a"`},
		{"string for integer", spec("integer: a"), 1, `object.yaml:4:8: error[SG701]: spec.integer: Invalid value: "string"`},
		{"fraction for integer", spec("integer: 1.5"), 1, `object.yaml:4:8: error[SG701]: spec.integer: Invalid value: "number"`},
		{"int64", spec("integer: 9223372036854775807"), 0, ""},
		{"least int64", spec("integer: -9223372036854775808"), 0, ""},
		{"above int64", spec("integer: 9223372036854775808"), 1, `object.yaml:4:8: error[SG701]: spec.integer: Invalid value: "number"`},
		{"above int32", spec("small: 2147483648"), 1, `object.yaml:4:8: error[SG701]: Checked value must be of type integer with format int32 in spec.small`},
		{"1e400", spec("number: 1e400"), 1, `object.yaml:`},
		{"-0", spec("integer: -0"), 0, ""},
		{"-0.0", spec("number: -0.0"), 0, ""},
		{"infinity", spec("number: .inf"), 1, `object.yaml:`},
		{"word for boolean", spec("flag: certainly"), 1, `object.yaml:4:8: error[SG701]: spec.flag: Invalid value: "string"`},
		{"boolean for either", spec("either: true"), 1, `object.yaml:4:8: error[SG701]: spec.either: Invalid value`},
		{"object in list", spec("list: [a, {b: c}]"), 1, `object.yaml:4:18: error[SG701]: spec.list[1]: Invalid value: "object"`},
		{"null in list", spec("list: [null]"), 1, `object.yaml:4:15: error[SG701]: spec.list[0]: Invalid value: "null"`},
		{"string in map", spec("map: {a: b}"), 1, `object.yaml:4:14: error[SG701]: spec.map.a: Invalid value: "string"`},
		{"same keys in list", spec("keyed: [{name: a}, {name: a}]"), 1, `object.yaml:4:27: error[SG701]: spec.keyed[1]: Duplicate value`},
		{"duplicate keys", spec("text: a, text: b"), 1, `object.yaml:4:17: error[SG611]`},
		{"metadata is a list", "apiVersion: example.com/v1\nkind: Thing\nmetadata: []\n", 1, `object.yaml:`},
		{"metadata is missing", "apiVersion: example.com/v1\nkind: Thing\n", 1, `metadata.name: Required value`},
		{"labels are wrong", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a, labels: {a: 1}}\n", 1, `object.yaml:`},
		{"name is a number", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: 1}\n", 1, `object.yaml:`},
		{"kind is a list", "apiVersion: example.com/v1\nkind: [Thing]\n", 1, `object.yaml:2:`},
		{"no kind", "apiVersion: example.com/v1\n", 1, `object.yaml:1:1: error`},
		{"no object", "- a\n- b\n", 1, `object.yaml:1:1: error`},
		{"not UTF-8", head + "spec: {text: \"\xff\"}\n", 1, `object.yaml:4:`},
		{"UTF-16", "\xff\xfea\x00:\x00", 1, `not UTF-8, but UTF-16`},
		{"binary", "\x00\x01\x02", 1, `object.yaml:1:`},
		{"not YAML", head + "spec: {text: \n", 1, `object.yaml:`},
		{"tab", head + "spec:\n\ttext: a\n", 1, `object.yaml:5:`},
		{"anchors that grow", head + "spec:\n  any:\n    a: &a [x,x,x,x,x,x,x,x,x,x]\n" + laughs(), 1, `object.yaml:`},
		{"deep lists", deep("[", "]"), 1, `object.yaml:`},
		{"deep maps", deep("{a: ", "}"), 1, `object.yaml:`},
		{"deep JSON", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"any":` + strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000) + "}}", 1, `object.yaml:1:`},
		{"another version", "apiVersion: example.com/v2\nkind: Thing\n", 1, `object.yaml:1:1: error[SG706]: the CRD of Thing.example.com serves no version example.com/v2: it has v1`},
		{"another kind", "apiVersion: example.com/v1\nkind: Thin\n", 1, `object.yaml:1:1: error[SG706]: there is no CRD of kind Thin in example.com/v1`},
		{"several documents", head + "---\n" + spec("flag: 1") + "---\n---\n" + spec("flag: 2"), 1, "object.yaml:14:8: error[SG701]: spec.flag: Invalid value"},
		{"list", `{"apiVersion": "example.com/v1", "kind": "ThingList", "items": [{"metadata": {"name": "a"}, "spec": {"flag": 1}}, 7, {"kind": "Other"}]}`, 1, "object.yaml:1:"},
		{"empty", "", 0, ""},
		{"comments", "# a\n---\n# b\n", 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, output := range []string{"diff", "yaml"} {
				code, _, stderr := tryText(t, test.object, "-o", output)
				if code != test.code || !strings.Contains(stderr, test.want) {
					t.Fatalf("exit code %d, want %d with %q; stderr:\n%.1000s", code, test.code, test.want, stderr)
				}
			}
		})
	}
}

// laughs are nine lines each of which refers ten times to the one before.
func laughs() string {
	var b strings.Builder
	for c := 'b'; c <= 'i'; c++ {
		fmt.Fprintf(&b, "    %c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 10), ","))
	}
	return b.String()
}

// TestTryLargeDocument wants a document of 100 MB to be refused, and what stands
// before it to be tried.
func TestTryLargeDocument(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
	var text strings.Builder
	text.WriteString(head + "spec: {any: {a: " + strings.Repeat("x", chunkBytes) + "}, flag: 1}\n---\n" + head + "spec:\n  any:\n")
	for i := 0; text.Len() < 100<<20; i++ {
		fmt.Fprintf(&text, "    key%d: %s\n", i, strings.Repeat("x", 1000))
	}
	code, _, stderr := tryText(t, text.String(), "-o", "none")
	for _, want := range []string{"object.yaml:4:262", "spec.flag: Invalid value", "object.yaml:5:1: error[SG610]: the file is larger than the 64 MiB that are read"} {
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, want 1 with %q; stderr:\n%.1000s", code, want, stderr)
		}
	}
}

func TestTryOldWithoutCounterpart(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Thing\n"
	old := filepath.Join(t.TempDir(), "old.yaml")
	if err := os.WriteFile(old, []byte(head+"metadata: {name: b}\n---\napiVersion: example.com/v1\nkind: Other\nmetadata: {name: a}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const want = "object.yaml:1:1: warning[SG709]: Thing a is not among the stored objects: tried as created"
	if code, _, stderr := tryText(t, head+"metadata: {name: a}\n", "--old", old); code != 0 || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	if _, _, stderr := tryText(t, head+"metadata: {name: b}\n", "--old", old); strings.Contains(stderr, "SG709") {
		t.Errorf("stderr %s", stderr)
	}
}

func TestSplitChunks(t *testing.T) {
	long := strings.Repeat("x", chunkBytes)
	for _, test := range []struct {
		name, text string
		want       []int // lines at which chunks begin
	}{
		{"empty", "", nil},
		{"small documents are together", "a: 1\n---\nb: 1\n", []int{0}},
		{"long documents are apart", "a: " + long + "\n---\nb: 1\n--- # c\nc: " + long + "\n---\nd: 1", []int{0, 1, 5}},
		{"comments and directives stay", "# " + long + "\n%YAML 1.2\n---\na: 1\n", []int{0}},
		{"dashes inside of a line", "a: |\n  ---\n  " + long + "\n  ---\n---x: 1\n", []int{0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lines []int
			var joined strings.Builder
			err := splitChunks(strings.NewReader(test.text), func(c chunk) bool {
				if got := strings.Count(joined.String(), "\n"); got != c.line {
					t.Errorf("line %d is said to be %d", got, c.line)
				}
				lines = append(lines, c.line)
				joined.Write(c.data)
				return true
			})
			if err != nil || joined.String() != test.text || fmt.Sprint(lines) != fmt.Sprint(test.want) {
				t.Errorf("chunks begin at lines %v, want %v; %v", lines, test.want, err)
			}
		})
	}
}

// FuzzTry tries any object of any CRD.
func FuzzTry(f *testing.F) {
	f.Add([]byte(hostileCRD), []byte("apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {text: null, integer: 9223372036854775808, keyed: [{name: a}, {name: a}], x: {}}\n"))
	f.Add([]byte(hostileCRD), []byte(`{"apiVersion":"example.com/v1","kind":"ThingList","items":[{"metadata":{"name":1}},{"spec":{"either":true,"map":{"a.b[0]":"c"}}}]}`))
	f.Add([]byte(strings.ReplaceAll(hostileCRD, "type: string", "type: string, x-kubernetes-validations: [{rule: 'self == oldSelf'}]")), []byte("apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {text: b, keyed: [{name: c}]}\n"))
	f.Fuzz(func(t *testing.T, crd, object []byte) {
		tr := newTrial(&tryRun{output: "diff", color: "never", old: "-"}, nil)
		subjects, _ := subjectsOf(manifestSource{name: "crd.yaml"}, crd, token.NewFileSet())
		for _, s := range subjects {
			tr.addKinds(s)
		}
		var out bytes.Buffer
		for range 2 { // as a new object, then as one that replaces itself
			findings, err := tr.objects(t.Context(), manifestSource{name: "object.yaml"}, chunk{data: object}, &out)
			if err != nil {
				t.Skip(err) // the server's code gave up
			}
			for _, d := range findings {
				if d.Pos.Line == 0 {
					t.Errorf("no place: %v", d)
				}
			}
			tr.olds = map[objectKey]*triedObject{}
			objects, _ := readObjects(manifestSource{name: "object.yaml"}, chunk{data: object})
			for _, o := range objects {
				tr.olds[o.key()] = o
			}
		}
	})
}

// BenchmarkTry tries 10,000 objects of a CRD with a schema of 1 MB, from one file.
func BenchmarkTry(b *testing.B) {
	dir := b.TempDir()
	crd, object := largeCRD()
	var objects strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&objects, object, i)
	}
	for name, text := range map[string]string{"crd.yaml": crd, "objects.yaml": objects.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	b.Chdir(dir)
	b.SetBytes(int64(objects.Len()))
	for b.Loop() {
		var out, errs strings.Builder
		if code := run(b.Context(), []string{"try", "-f", "objects.yaml", "--crd", "crd.yaml", "-o", "none"}, &out, &errs); code != 0 {
			b.Fatalf("exit code %d: %.1000s", code, errs.String())
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	b.ReportMetric(float64(stats.Sys)/(1<<20), "MiB-of-system")
}

// largeCRD is a definition with a schema of 1 MB, and an object of it with a place
// for its number.
func largeCRD() (crd, object string) {
	var schema, fields strings.Builder
	for i := range 700 {
		fmt.Fprintf(&schema, "              group%d:\n                type: object\n                description: %s\n                properties:\n", i, strings.Repeat("word ", 60))
		for j := range 12 {
			fmt.Fprintf(&schema, "                  field%d: {type: string, maxLength: 100, description: %s}\n", j, strings.Repeat("word ", 10))
		}
		if i < 10 {
			fmt.Fprintf(&fields, "  group%d:\n    field1: a\n    field2: b\n    field3: c\n", i)
		}
	}
	crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: larges.example.com}
spec:
  group: example.com
  names: {kind: Large, plural: larges}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
` + schema.String()
	return crd, "---\napiVersion: example.com/v1\nkind: Large\nmetadata:\n  name: large-%d\nspec:\n" + fields.String()
}

// TestTryPage wants the suite and the output in docs/try.md to be those that a
// script runs.
func TestTryPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/try.md")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("../../testdata/script/test-docs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if (f.Name == "want" || f.Name == "api/v1/widget.testsuite.yaml") && !bytes.Contains(page, f.Data) {
			t.Errorf("docs/try.md does not have %s", f.Name)
		}
	}
}
