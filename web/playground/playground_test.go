package playground

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/web/playground/sources"
)

// newPlayground returns a playground with the sources of the modules that web requires.
func newPlayground(t testing.TB) *Playground {
	t.Helper()
	archive, err := sources.Archive()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(archive)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// options returns the options of a case of testdata/crd.
func options(t *testing.T, c *gentest.Case) define.Options {
	t.Helper()
	o := define.Options{Output: define.Output{ToolVersion: "schemagen-test"}, SkipVerify: c.Unverified}
	o.Gates = c.Gates
	for option := range strings.SplitSeq(c.Options, ",") {
		name, value, _ := strings.Cut(option, "=")
		isSet := value == "true"
		switch name {
		case "maxDescLen":
			length, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			o.MaxDescription = &length
		case "allowDangerousTypes":
			o.AllowDangerousTypes = isSet
		case "generateEmbeddedObjectMeta":
			o.EmbeddedObjectMeta = isSet
		case "ignoreUnexportedFields":
			o.IgnoreUnexportedFields = isSet
		case "omitToolVersion":
			o.OmitToolVersion = isSet
		case "deprecatedV1beta1CompatibilityPreserveUnknownFields":
			o.PreserveUnknownFields = &isSet
		case "":
		default:
			t.Fatalf("option %s", name)
		}
	}
	return o
}

// TestCases checks that CRDs and findings for the cases of testdata/crd equal the expected files there, except for
// cases that need packages that the playground does not offer.
func TestCases(t *testing.T) {
	p := newPlayground(t)
	missing := map[string]bool{}
	for _, c := range gentest.Read(t, "../../testdata/crd/*.txtar") {
		if c.Name == "bad-import-cycle" {
			continue // only the go command finds it
		}
		module := strings.Replace(string(p.module), "example.com/playground", typedmodule.Path+"/"+c.Name, 1)
		files := []File{{Name: "go.mod", Text: module}}
		want := map[string]string{}
		for _, f := range c.Archive.Files {
			if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
				want[name] = string(f.Data)
			} else {
				files = append(files, File{Name: f.Name, Text: string(f.Data)})
			}
		}
		t.Run(c.Name, func(t *testing.T) {
			version, err := p.define(t.Context(), &session{}, files, options(t, c))
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := version.findings.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer(sources.ModCache+"/", "$GOMODCACHE/", sources.Root+"/", "$GOROOT/").Replace(text.String())
			if strings.Contains(got, "is not available in the playground") {
				missing[c.Name] = true
				return
			}
			if got != want["diagnostics"] {
				t.Errorf("the findings are different:\n%s", gentest.Difference(want["diagnostics"], got))
			}
			delete(want, "diagnostics")
			for _, f := range version.files {
				if f.Text != want[f.Name] {
					t.Errorf("%s is different:\n%s", f.Name, gentest.Difference(want[f.Name], f.Text))
				}
				delete(want, f.Name)
			}
			for name := range want {
				t.Errorf("%s is missing", name)
			}
		})
	}
	want := []string{
		"bad-import-missing", "bad-map-key-unknown", "crd-kind-import-missing", "planted-mistakes", "shape-known-types", "shape-metadata-dropped",
	}
	if got := slices.Sorted(maps.Keys(missing)); !slices.Equal(got, want) {
		t.Errorf("got cases %q without their packages, want %q", got, want)
	}
}

// types returns a file with a kind whose spec has fields.
func types(fields string) []File {
	return []File{{Name: "v1/types.go", Text: `// Package v1 has widgets.
// +groupName=example.com
// +schemagen:unions=cel
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a thing.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	// Spec is what the user asks for.
	Spec WidgetSpec ` + "`json:\"spec\"`" + `
}

type WidgetSpec struct {
` + strings.ReplaceAll(fields, "´", "`") + `
}
`}}
}

// object is a Widget with a spec.
func object(spec string) string {
	return "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, namespace: b}\nspec: " + spec + "\n"
}

func TestRun(t *testing.T) {
	p := newPlayground(t)
	size := types("\t// Size is the number of parts.\n\t// +kubebuilder:validation:Maximum=10\n\t// +kubebuilder:default=3\n\tSize int32 ´json:\"size,omitempty\"´")
	union := types("\t// +kubebuilder:validation:Enum=Text;URL\n\t// +unionDiscriminator\n\tType string ´json:\"type\"´\n\t// +unionMember\n\tText *string ´json:\"text,omitempty\"´\n\t// +unionMember\n\tURL *string ´json:\"url,omitempty\"´")
	crds := func(files []File) string {
		result, err := p.Run(t.Context(), State{Files: files})
		if err != nil || len(result.CRDs) != 1 {
			t.Fatalf("got %+v, %v; want a CRD", result, err)
		}
		return result.CRDs[0].Text
	}
	for _, c := range []struct {
		name  string
		state State
		// want are parts of the result as JSON, absent parts that it does not have.
		want, absent []string
	}{
		{"nothing", State{}, []string{`"crds":null`, `"diagnostics":[]`}, nil},
		{"crd", State{Files: size}, []string{"openAPIV3Schema", "maximum: 10", "Size is the number of parts", `"diagnostics":[]`, "## Widget"}, nil},
		{"mistake", State{Files: types("\t// +kubebuilder:validation:Maximun=10\n\tSize int32 ´json:\"size\"´")},
			[]string{`"file":"v1/types.go"`, `"fixes":[{`, `"new":"+kubebuilder:validation:Maximum=10"`}, nil},
		{"default", State{Files: size, Object: object("{}")}, []string{"# Widget a: created", "  size: 3"}, nil},
		{"rejected", State{Files: size, Object: object("{size: 11}")}, []string{"# Widget a: rejected", `"file":"object.yaml"`, `"line":4`}, nil},
		{"union", State{Files: union, Object: object("{type: Text, url: u}")}, []string{"# Widget a: rejected", `"file":"object.yaml"`}, nil},
		{"yaml", State{Files: []File{{Name: "crd.yaml", Text: crds(size)}}, Object: object("{}")}, []string{"# Widget a: created", "  size: 3", "## Widget"}, nil},
		{"yaml without a CRD", State{Files: []File{{Name: "a.yaml", Text: object("{}")}}}, []string{"no CRD found in a.yaml", "object.yaml"}, nil},
		{"change", State{Files: types("\t// +kubebuilder:validation:Maximum=9\n\tSize int32 ´json:\"size\"´"), Old: size}, []string{"breaks stored objects", "maximum"}, nil},
		{"mistake in the previous version", State{Files: size, Old: types("\tSize float64 ´json:\"size\"´")}, []string{`"file":"previous version/v1/types.go"`, `"changes":null`}, nil},
		{"missing package", State{Files: []File{{Name: "a.go", Text: "package a\n\nimport \"example.com/b\"\n\n// +kubebuilder:object:root=true\ntype A struct{ b.B }\n"}}}, nil, []string{"kind: A"}},
		{"no package", State{Files: []File{{Name: "a.go", Text: "nonsense\n" + types("")[0].Text}}}, []string{`"file":"a.go","line":1,"column":1`, "expected 'package'"}, []string{"metav1"}},
		{"objects", State{Files: size, Object: object("{x: 1, size: 11}") + "---\n" + object("{}")}, []string{"---\\n# Widget a: created"}, nil},
		{"no change", State{Files: []File{{Name: "crd.yaml", Text: crds(size)}}, Old: size}, []string{`"changes":[]`}, nil},
		{"another go.mod", State{Files: append(types(""), File{Name: "go.mod", Text: "module example.com/a\n\ngo 1.26\n"})},
			[]string{"remove go.mod, which does not require"},
			[]string{"use one of"}},
		{"two packages", State{Files: []File{{Name: "a.go", Text: "package a\n"}, {Name: "b.go", Text: "package b\n"}}}, []string{`"file":"b.go"`, "packages a and b"}, nil},
		{"positions in UTF-16", State{Files: types("\t/* ü */ Size float64 ´json:\"size\"´")}, []string{`"column":15`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := p.Run(t.Context(), c.state)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range c.want {
				if !bytes.Contains(text, []byte(part)) {
					t.Errorf("there is no %s in:\n%s", part, text)
				}
			}
			for _, part := range c.absent {
				if bytes.Contains(text, []byte(part)) {
					t.Errorf("there is %s in:\n%s", part, text)
				}
			}
		})
	}
	for _, name := range []string{"../a.go", "types", "types.GO", "a.txt", ""} {
		if _, err := p.Run(t.Context(), State{Files: []File{{Name: name}}}); err == nil {
			t.Errorf("a file of the name %q is no error", name)
		}
	}
	for _, files := range [][]File{append(types(""), types("")...), {{Name: ObjectName}}} {
		want := fmt.Sprintf("two files have the name %q", files[0].Name)
		if _, err := p.Run(t.Context(), State{Files: files}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestOrder checks that findings about objects are in the order of their positions.
func TestOrder(t *testing.T) {
	size := types("\t// +kubebuilder:validation:Maximum=10\n\tSize int32 ´json:\"size\"´")
	result, err := newPlayground(t).Run(t.Context(), State{Files: size, Object: object("\n  size: 11\n  sise: 3")})
	if err != nil {
		t.Fatal(err)
	}
	var found struct{ Diagnostics []struct{ Line int } }
	if err := json.Unmarshal(result.Findings, &found); err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, d := range found.Diagnostics {
		lines = append(lines, d.Line)
	}
	if len(lines) < 2 || !slices.IsSorted(lines) {
		t.Errorf("got findings in lines %d:\n%s", lines, result.Findings)
	}
}

// TestReuse checks that a run after a key press has the result that a first run has, and parses only what was typed in.
func TestReuse(t *testing.T) {
	p := newPlayground(t)
	state := func(maximum int) State {
		size := "\t// +kubebuilder:validation:Maximum=" + strconv.Itoa(maximum) + "\n\tSize resource.Quantity ´json:\"size\"´"
		files := types(size)
		files[0].Text = strings.Replace(files[0].Text, "import", "import \"k8s.io/apimachinery/pkg/api/resource\"\nimport", 1)
		return State{Files: files, Object: object("{size: 3}"), Old: files}
	}
	run := func(maximum int) *Result {
		result, err := p.Run(t.Context(), state(maximum))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	number := 0
	after := testing.AllocsPerRun(5, func() {
		number++
		run(number)
	})
	first := testing.AllocsPerRun(5, func() {
		p.current, p.previous = session{}, session{}
		number++
		run(number)
	})
	t.Logf("a first run allocates %.0f times, one after a key press %.0f times", first, after)
	if after > first/2 {
		t.Errorf("got %.0f allocations, and %.0f in a first run", after, first)
	}
	for _, maximum := range []int{5, 5, 6, 5} {
		again := run(maximum)
		p.current, p.previous = session{}, session{}
		if want := run(maximum); !reflect.DeepEqual(again, want) {
			t.Errorf("maximum %d: got %+v, want %+v", maximum, again, want)
		}
		run(maximum + 1)
	}
}

// TestSources limits what the page loads besides the program.
func TestSources(t *testing.T) {
	archive, err := sources.Archive()
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(archive); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d compressed", len(archive), packed.Len())
	if packed.Len() > 500_000 {
		t.Errorf("got %d bytes", packed.Len())
	}
}
