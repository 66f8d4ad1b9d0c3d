package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// hostileCRD has a value of each type. It is read before tests change the directory, and is
// empty if the test binary runs as the command.
var hostileCRD = func() string {
	text, _ := os.ReadFile("../../testdata/thing.yaml")
	return string(text)
}()

// tryText tries an object and returns the diagnostics.
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
	code = run(t.Context(), append([]string{"try", "-f", "object.yaml", "crd.yaml"}, more...), &out, &errs)
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
		want         string // a substring of stderr
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
		{"above int64 for any", spec("any: {a: 18446744073709551616}"), 0, ""},
		{"least int32", spec("small: -2147483648"), 0, ""},
		{"below int32", spec("small: -2147483649"), 1, `object.yaml:4:8: error[SG701]: Checked value must be of type integer with format int32 in spec.small`},
		{"whole float for integer", spec("integer: 3.0"), 0, ""},
		{"exponent for integer", spec("integer: 1e3"), 0, ""},
		{"most float", spec("number: 1.7976931348623157e308"), 0, ""},
		{"least float", spec("number: 5e-324"), 0, ""},
		{"nothing of a float", spec("number: 1e-400"), 0, ""},
		{"long number", spec("integer: 1" + strings.Repeat("0", 300)), 1, `object.yaml:4:8: error[SG701]: spec.integer: Invalid value`},
		{"longer number", spec("number: 1" + strings.Repeat("0", 400)), 1, `object.yaml:`},
		{"not a number", spec("number: .nan"), 1, `object.yaml:`},
		{"1e400 in JSON", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"number":1e400}}`, 1, `object.yaml:1:`},
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
		{"duplicate keys below", spec("any: {a: {b: 1, b: 2}}"), 1, `object.yaml:4:`},
		{"duplicate keys in JSON", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"text":"a","text":"b"}}`, 1, `object.yaml:1:90: error[SG611]: duplicate field "spec.text"`},
		{"duplicate kinds", head + "kind: Thing\n", 1, `object.yaml:4:`},
		{"metadata is a list", "apiVersion: example.com/v1\nkind: Thing\nmetadata: []\n", 1, `object.yaml:`},
		{"metadata is missing", "apiVersion: example.com/v1\nkind: Thing\n", 1, `metadata.name: Required value`},
		{"labels are wrong", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a, labels: {a: 1}}\n", 1, `object.yaml:`},
		{"name is a number", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: 1}\n", 1, `object.yaml:`},
		{"kind is a list", "apiVersion: example.com/v1\nkind: [Thing]\n", 1, `object.yaml:2:`},
		{"no kind", "apiVersion: example.com/v1\n", 1, `object.yaml:1:1: error`},
		{"no object", "- a\n- b\n", 1, `object.yaml:1:1: error`},
		{"not UTF-8", head + "spec: {text: \"\xff\"}\n", 1, `object.yaml:4:`},
		{"not UTF-8 in a key", head + "spec: {\"\xc3\": a}\n", 1, `object.yaml:4:`},
		{"not UTF-8 in JSON", "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"text\":\"\ufffd\xff\"}}", 1, `object.yaml:1:90: error[SG701]: byte 0xff is not UTF-8`},
		{"a surrogate in JSON", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"text":"\ud800"}}`, 0, ""},
		{"UTF-16", "\xff\xfea\x00:\x00", 1, `UTF-16 instead of UTF-8`},
		{"binary", "\x00\x01\x02", 1, `object.yaml:1:`},
		{"not YAML", head + "spec: {text: \n", 1, `object.yaml:`},
		{"tab", head + "spec:\n\ttext: a\n", 1, `object.yaml:5:`},
		{"anchors that grow", head + "spec:\n  any:\n    a: &a [x,x,x,x,x,x,x,x,x,x]\n" + laughs(), 1, `object.yaml:`},
		{"deep lists", deep("[", "]"), 1, `object.yaml:`},
		{"deep maps", deep("{a: ", "}"), 1, `object.yaml:`},
		{"deep JSON", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"any":` + strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000) + "}}", 1, `object.yaml:1:`},
		{"another version", "apiVersion: example.com/v2\nkind: Thing\n", 1, `object.yaml:1:1: error[SG706]: the CRD of Thing.example.com does not serve example.com/v2, only v1`},
		{"another kind", "apiVersion: example.com/v1\nkind: Thin\n", 1, `object.yaml:1:1: error[SG706]: no CRD for kind Thin in example.com/v1`},
		{"several documents", head + "---\n" + spec("flag: 1") + "---\n---\n" + spec("flag: 2"), 1, "object.yaml:14:8: error[SG701]: spec.flag: Invalid value"},
		{"list", `{"apiVersion": "example.com/v1", "kind": "ThingList", "items": [{"metadata": {"name": "a"}, "spec": {"flag": 1}}, 7, {"kind": "Other"}]}`, 1, "object.yaml:1:"},
		{"empty", "", 2, "no objects to try"},
		{"comments", "# a\n---\n# b\n", 2, "no objects to try"},
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

// laughs is nine lines, each of which refers to the previous one ten times.
func laughs() string {
	var b strings.Builder
	for c := 'b'; c <= 'i'; c++ {
		fmt.Fprintf(&b, "    %c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 10), ","))
	}
	return b.String()
}

// TestTryLargeDocument checks that a document of 100 MB is rejected and those before it are
// tried.
func TestTryLargeDocument(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
	var text strings.Builder
	text.WriteString(head + "spec: {any: {a: " + strings.Repeat("x", 256<<10) + "}, flag: 1}\n---\n" + head + "spec:\n  any:\n")
	for i := 0; text.Len() < 100<<20; i++ {
		fmt.Fprintf(&text, "    key%d: %s\n", i, strings.Repeat("x", 1000))
	}
	code, _, stderr := tryText(t, text.String(), "-o", "none")
	for _, want := range []string{"object.yaml:4:262", "spec.flag: Invalid value", "object.yaml:5:1: error[SG610]: the file is larger than 64 MiB"} {
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
	const want = "object.yaml:1:1: warning[SG709]: Thing a is not among the stored objects: tried as a new object"
	if code, _, stderr := tryText(t, head+"metadata: {name: a}\n", "--old", old); code != 0 || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	if _, _, stderr := tryText(t, head+"metadata: {name: b}\n", "--old", old); strings.Contains(stderr, "SG709") {
		t.Errorf("stderr %s", stderr)
	}
}

// TestTryInvalidOld checks that invalid stored objects are reported.
func TestTryInvalidOld(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Thing\n"
	for _, test := range []struct{ object, old, want string }{
		{head + "metadata: {name: a}\n", "apiVersion: 7\nkind: Thing\nmetadata: {name: a}\n", "old.yaml:1:1: error[SG610]: "},
		{head + "metadata: {name: a}\n", head + "metadata: {name: a}\nspec: [\n", "old.yaml:4:9: error[SG610]: "},
		{head + "metadata: []\n", head + "metadata: []\n", "object.yaml:1:1: error[SG709]: the stored Thing  is not an object of this kind: invalid metadata"},
		{head + "metadata: []\n---\n" + head + "metadata: {name: a}\nspec: {flag: 1}\n", head + "metadata: []\n", "object.yaml:8:8: error[SG701]: spec.flag: "},
	} {
		old := filepath.Join(t.TempDir(), "old.yaml")
		if err := os.WriteFile(old, []byte(test.old), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := tryText(t, test.object, "--old", old); code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("exit code %d, want 1 with %q; stderr %s", code, test.want, stderr)
		}
	}
}

// TestTryDefinitionFarDown checks the line of a keyword in a definition that is further down
// than is read at once.
func TestTryDefinitionFarDown(t *testing.T) {
	long := "# " + strings.Repeat("x", 256<<10) + "\nkind: Other\napiVersion: v1\n---\n"
	object := long + "apiVersion: example.com/v1\nkind: Far\nmetadata: {name: a}\nspec: {flag: 1}\n---\n" + strings.NewReplacer("Thing", "Far", "things", "fars").Replace(hostileCRD)
	line := 9 + strings.Count(hostileCRD[:strings.Index(hostileCRD, "flag:")], "\n") + 1
	code, _, stderr := tryText(t, object, "object.yaml")
	for _, want := range []string{"object.yaml:8:8: error[SG701]: spec.flag: ", fmt.Sprintf("\tobject.yaml:%d:", line)} {
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, want 1 with %q; stderr %s", code, want, stderr)
		}
	}
}

// TestTryMemory checks that findings are not kept in memory: the heap at the last of
// 1,500 objects, each with 30 findings and a stored object, is that of a run with one.
// Nothing else is in progress then.
func TestTryMemory(t *testing.T) {
	last := func(n int) uint64 {
		var objects, olds strings.Builder
		for i := range n {
			fmt.Fprintf(&objects, "---\napiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a%d}\nspec:\n  any: {a: %s}\n", i, strings.Repeat("x", 1000))
			fmt.Fprintf(&olds, "---\napiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a%d}\nspec: {any: {a: %s}}\n", i, strings.Repeat("y", 5000))
			for j := range 30 {
				fmt.Fprintf(&objects, "  unknown%d: %d\n", j, j)
			}
		}
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{"crd.yaml": hostileCRD, "objects.yaml": objects.String(), "old.yaml": olds.String()} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var heap heapWriter
		for _, isCounted := range []bool{false, true} {
			heap = heapWriter{total: heap.written}
			if !isCounted {
				heap.total = math.MaxInt
			}
			if code := run(t.Context(), []string{"try", "-f", "objects.yaml", "--old", "old.yaml", "crd.yaml", "--validate", "warn", "--format", "sarif"}, &heap, io.Discard); code != 0 {
				t.Fatalf("exit code %d", code)
			}
		}
		if heap.size == 0 {
			t.Fatal("the two runs print texts of different lengths")
		}
		return heap.size
	}
	one, many := last(1), last(1500)
	if many > one+3<<20 {
		t.Errorf("the heap grows from %d to %d KiB", one>>10, many>>10)
	}
}

// heapWriter records the size of the heap at the last write of a text of total bytes.
type heapWriter struct {
	total, written int
	size           uint64
}

func (w *heapWriter) Write(data []byte) (int, error) {
	w.written += len(data)
	if w.written < w.total {
		return len(data), nil
	}
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	w.size = stats.HeapAlloc
	return len(data), nil
}

// BenchmarkTry tries 10,000 objects of a CRD with a schema of 1 MB, from one file.
func BenchmarkTry(b *testing.B) {
	dir := b.TempDir()
	crd, object := largeCRD()
	var objects strings.Builder
	for i := range 3_000 {
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
		if code := run(b.Context(), []string{"try", "-f", "objects.yaml", "crd.yaml", "-o", "none"}, &out, &errs); code != 0 {
			b.Fatalf("exit code %d: %.1000s", code, errs.String())
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	b.ReportMetric(float64(stats.Sys)/(1<<20), "MiB-of-system")
}

// largeCRD returns a definition with a schema of 1 MB, and an object of it with a
// placeholder for its number.
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
