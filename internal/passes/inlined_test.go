package passes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// inlinedTypes are the types of the fields, all declared as T or imported.
const inlinedTypes = `
type Struct struct {
	Width int32 ¬json:"width"¬
}

type private struct {
	Height int32 ¬json:"height"¬
}

type privateText string

type Alias = Struct

type Generic[E any] struct {
	Depth E ¬json:"depth"¬
}

type Map map[string]string

type Scalar int32

type Text string

type List []string

type Interface interface{}

// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
type Own struct {
	Number int32 ¬json:"number"¬
}

func (o Own) MarshalJSON() ([]byte, error) { return []byte("{\"own\":1}"), nil }

// +kubebuilder:validation:Type=string
type OwnText struct {
	Number int32 ¬json:"number"¬
}

func (o OwnText) MarshalText() ([]byte, error) { return []byte("text"), nil }
`

// inlinedForms are the forms of fields.
func inlinedForms() (out []string) {
	for _, name := range []string{"Struct", "*Struct", "private", "Alias", "Generic[int32]", "Map", "Scalar", "*Scalar", "Text", "privateText", "List", "Interface", "Own", "*Own", "OwnText"} {
		base, _, _ := strings.Cut(strings.TrimPrefix(name, "*"), "[")
		out = append(out, name)
		if base != "private" && base != "privateText" {
			out = append(out, base+" "+name) // looks embedded
		}
		out = append(out, "Field "+name, "field "+name)
	}
	return append(out, "Field map[string]int32", "Field []string", "Field []byte", "Field string", "Field *bool", "Field struct{ Width int32 `json:\"width\"` }", "Field []Struct")
}

// inlinedTags are the forms of json tags.
func inlinedTags() []string {
	return []string{
		"", ",", ",inline", ",omitempty", ",omitempty,inline", ",omitzero", ",string", "dims", "dims,", "dims,omitempty", "dims,inline", "dims,inline,omitempty",
		"-", "-,", "-,inline", "di'ms", "di'ms,inline", "di'ms,omitempty",
	}
}

// inlinedCell is a field with a tag, alone in a struct.
type inlinedCell struct{ form, tag string }

func (c inlinedCell) String() string { return fmt.Sprintf("%s `json:%q`", c.form, c.tag) }

// inlinedLines are the lines of a struct in inlinedSource.
const inlinedLines = 5

// inlinedSource is the package with a struct for each cell.
func inlinedSource(fields []string) string {
	var out strings.Builder
	out.WriteString("package cells\n")
	for i, field := range fields {
		markers := "\t//\n\t//\n"
		if strings.Contains(field, "Interface") {
			markers = "\t// +kubebuilder:validation:Schemaless\n\t// +kubebuilder:pruning:PreserveUnknownFields\n"
		}
		fmt.Fprintf(&out, "type C%d struct {\n%s\t%s\n}\n", i, markers, field)
	}
	return out.String() + strings.ReplaceAll(inlinedTypes, "¬", "`")
}

// inlinedRoots is a package with a kind that has the structs with the given numbers.
func inlinedRoots(numbers []int) string {
	var out strings.Builder
	out.WriteString("// +groupName=example.com\n// +versionName=v1\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" +
		"\t\"" + typedmodule.Path + "/inlined/cells\"\n)\n\ntype Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n")
	for _, i := range numbers {
		fmt.Fprintf(&out, "\tC%d cells.C%d `json:\"c%d\"`\n", i, i, i)
	}
	return out.String() + "}\n"
}

// inlinedProgram prints what encoding/json writes for each struct, with all values set.
func inlinedProgram(n int) string {
	var out strings.Builder
	out.WriteString("package main\n\nimport (\n\t\"encoding\"\n\t\"encoding/json\"\n\t\"os\"\n\t\"reflect\"\n\t\"unsafe\"\n\n\t\"" + typedmodule.Path + "/inlined/cells\"\n)\n\nfunc main() {\n\tall := []any{\n")
	for i := range n {
		fmt.Fprintf(&out, "\t\t&cells.C%d{},\n", i)
	}
	out.WriteString(`	}
	encoder := json.NewEncoder(os.Stdout)
	for _, value := range all {
		fill(reflect.ValueOf(value).Elem())
		_, toJSON := value.(json.Marshaler)
		_, toText := value.(encoding.TextMarshaler)
		if toJSON || toText {
			value = nil // a promoted method writes the struct, whatever its tags
		}
		if err := encoder.Encode(value); err != nil {
			panic(err)
		}
	}
}

func fill(v reflect.Value) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	switch v.Kind() {
	case reflect.Int32:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		elem := reflect.New(v.Type().Elem()).Elem()
		fill(elem)
		v.SetMapIndex(reflect.ValueOf("key"), elem)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}
`)
	return out.String()
}

// inlinedRun is the result of a run over the structs of a source.
type inlinedRun struct {
	// written are the names that encoding/json writes, or "itself" if a method does that.
	// described are the names in the schema, with "*" for any name.
	written, described map[int][]string
	// findings are those at the field of each struct.
	findings map[int]diag.List
}

// runInlined generates the schemas of structs with the given fields, without those that have
// errors, and runs compiled code.
func runInlined(t *testing.T, fields []string) inlinedRun {
	t.Helper()
	var all []int
	for i := range fields {
		all = append(all, i)
	}
	archive := func(numbers []int) *txtar.Archive {
		return &txtar.Archive{Files: []txtar.File{
			{Name: "cells/cells.go", Data: []byte(inlinedSource(fields))},
			{Name: "v1/types.go", Data: []byte(inlinedRoots(numbers))},
			{Name: "program/main.go", Data: []byte(inlinedProgram(len(fields)))},
		}}
	}
	out := inlinedRun{map[int][]string{}, map[int][]string{}, map[int]diag.List{}}
	dir, listed := gentest.List(t, []*gentest.Case{{Name: "inlined", Archive: archive(all)}})
	printed, err := typedmodule.Go(dir, "run", "./inlined/program")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(printed)), "\n") {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%s: %s: %v", fields[i], line, err)
		}
		if object != nil {
			out.written[i] = slices.Sorted(maps.Keys(object))
			continue
		}
		out.written[i] = []string{"itself"}
	}

	generate := func() ([]define.File, diag.List) {
		options, _ := parseOptions(t, "")
		options.SkipVerify = true
		options.Dir = filepath.Join(dir, "inlined")
		options.Patterns = []string{"./v1"}
		options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/inlined"}
		files, findings, err := generateFiles(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		return files, findings
	}
	_, findings := generate()
	for _, d := range findings {
		if filepath.Base(d.Pos.File) == "cells.go" && d.Pos.Line < 2+inlinedLines*len(fields) {
			i := (d.Pos.Line - 2) / inlinedLines
			out.findings[i] = append(out.findings[i], d)
			continue
		}
		t.Errorf("unexpected finding %v", d)
	}
	right := slices.DeleteFunc(all, func(i int) bool { return out.findings[i].HasErrors() })
	if err := os.WriteFile(filepath.Join(dir, "inlined/v1/types.go"), []byte(inlinedRoots(right)), 0o666); err != nil {
		t.Fatal(err)
	}
	files, findings := generate()
	if findings.HasErrors() || len(files) != 1 {
		t.Fatalf("%d files, findings %v", len(files), findings)
	}
	type schema struct {
		Properties           map[string]schema `json:"properties"`
		AdditionalProperties any               `json:"additionalProperties"`
		Preserved            bool              `json:"x-kubernetes-preserve-unknown-fields"`
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(files[0].Data, &definition); err != nil {
		t.Fatal(err)
	}
	for _, i := range right {
		object := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[fmt.Sprintf("c%d", i)]
		out.described[i] = slices.Sorted(maps.Keys(object.Properties))
		if object.AdditionalProperties != nil || object.Preserved {
			out.described[i] = append(out.described[i], "*")
		}
	}
	return out
}

// TestInlined compares the schema of each form of a field, with each form of a json tag, with
// the names that compiled code writes. SG218 is reported exactly where they differ, and its fix
// makes them equal; a value that cannot be merged into an object is refused with the field's name.
func TestInlined(t *testing.T) {
	var cells []inlinedCell
	var fields []string
	for _, form := range inlinedForms() {
		for _, tag := range inlinedTags() {
			c := inlinedCell{form, tag}
			cells, fields = append(cells, c), append(fields, c.String())
		}
	}
	got := runInlined(t, fields)
	counts := map[string]int{}
	fixed := slices.Clone(fields)
	for i, c := range cells {
		if len(got.findings[i]) > 1 {
			t.Errorf("%s: more than one finding: %v", c, got.findings[i])
		}
		same := slices.Equal(got.written[i], got.described[i]) || slices.Equal(got.written[i], []string{"itself"})
		switch {
		case len(got.findings[i]) == 0 && same:
			counts["equal"]++
		case len(got.findings[i]) == 0:
			t.Errorf("%s: encoding/json writes %q, the schema has %q: got no finding", c, got.written[i], got.described[i])
		case got.findings[i].HasErrors():
			counts["refused"]++
			if d := got.findings[i][0]; d.Code != "SG208" || !strings.Contains(d.Message, "field ") || d.Hint == "" || slices.Contains(got.written[i], "width") {
				t.Errorf("%s: unexpected error %v", c, d)
			}
		case same || got.findings[i][0].Code != "SG218":
			t.Errorf("%s: encoding/json writes %q, the schema has %q: unexpected %v", c, got.written[i], got.described[i], got.findings[i])
		default:
			counts["different"]++
			for _, fix := range got.findings[i][0].Fixes {
				counts["fixed"]++
				fixed[i] = applyToField(t, fields[i], fix)
			}
		}
	}
	t.Log(len(cells), "cells:", counts)

	after := runInlined(t, fixed)
	for i, c := range cells {
		if fixed[i] != fields[i] && (len(after.findings[i]) > 0 || !slices.Equal(after.written[i], after.described[i])) {
			t.Errorf("%s becomes %s: encoding/json writes %q, the schema has %q, findings %v", c, fixed[i], after.written[i], after.described[i], after.findings[i])
		}
	}
}

// applyToField applies a fix to the source of a field.
func applyToField(t *testing.T, field string, fix diag.Fix) string {
	t.Helper()
	for _, e := range slices.Backward(fix.Edits) {
		from, end := e.Pos.Column-2, e.End.Column-2
		if from < 0 || end > len(field) || e.Pos.Line != e.End.Line {
			t.Fatalf("%s: an edit outside of the field: %v", field, e)
		}
		field = field[:from] + e.New + field[end:]
	}
	return field
}
