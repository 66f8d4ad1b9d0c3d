package manifest

import (
	"encoding/json"
	"fmt"
	"go/token"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// TestPlaceOf checks the lines of field paths in an object's file.
func TestPlaceOf(t *testing.T) {
	const file = `apiVersion: v1
kind: Thing
spec:
  list:
  - known: a
  - {known: b, "dot.ted": 1}
  - known: c
    unknown:
      deep: 1
  empty: {}
`
	fset := token.NewFileSet()
	manifests, problems := Read(fset, "thing.yaml", []byte(file))
	if len(manifests) != 1 || len(problems) > 0 {
		t.Fatal(problems)
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(`{"type": "object", "properties": {"spec": {"type": "object", "properties": {
		"list": {"type": "array", "items": {"type": "object", "properties": {"known": {"type": "string"}}}},
		"empty": {"type": "object", "properties": {"filled": {"type": "string", "default": "x"}}}
	}}}}`), &props); err != nil {
		t.Fatal(err)
	}
	s, _ := structural.FromProps(&props)
	var object map[string]any
	if err := yaml.Unmarshal([]byte(file), &object); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range structural.Default(s, object) {
		p := fset.Position(manifests[0].PositionOf(d.Path))
		got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, d.Path))
	}
	for _, path := range structural.Prune(s, object, true) {
		p := fset.Position(manifests[0].PositionOf(path))
		got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, path))
	}
	want := []string{"10:3 spec.empty.filled", "6:16 spec.list[1].dot.ted", "8:5 spec.list[2].unknown"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for path, line := range map[*structural.ObjectPath]int{nil: 1, (*structural.ObjectPath)(nil).Field("spec").Field("list").Element(7): 4, (*structural.ObjectPath)(nil).Field("kind").Element(0): 2} {
		if p := fset.Position(manifests[0].PositionOf(path)); p.Line != line {
			t.Errorf("%s at line %d, want %d", path, p.Line, line)
		}
	}
}
