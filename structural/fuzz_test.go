package structural_test

import (
	"encoding/json"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// FuzzSchema checks that all functions on schemas terminate without a panic for any schema,
// and that the conversion to JSONSchemaProps and back preserves it.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`{"type": "object", "properties": {"a": {"type": "string", "pattern": "^a", "enum": ["a", 1]}}, "required": ["b"]}`,
		`{"x-kubernetes-int-or-string": true, "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"minimum": 3}]}`,
		`{"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}`,
		`{"type": "object", "x-kubernetes-embedded-resource": true, "oneOf": [{"not": {}}, {"properties": {"metadata": {}}}], "minimum": 3, "maximum": 1}`,
		`{"additionalProperties": true, "not": {"additionalProperties": {"default": 1}}, "default": null, "nullable": true}`,
	} {
		f.Add([]byte(seed), ".properties[a].items.x-kubernetes-validations[0].rule")
	}
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		var props apiextensionsv1.JSONSchemaProps
		if len(data) > 1<<16 || json.Unmarshal(data, &props) != nil {
			return
		}
		s, unheld := structural.FromProps(&props)
		again, _ := structural.FromProps(s.Props())
		if !reflect.DeepEqual(s, again) {
			t.Errorf("the way to props and back changes\n%+v\ninto\n%+v", s, again)
		}
		violations := structural.Check(s)
		structural.CheckProposals(s, unheld)
		contradictions.Find(s)
		structural.Unfold(s)
		structural.DropValueValidations(s)
		locate.Positions(s, path)
		if len(violations) == 0 && len(structural.Check(structural.DropValueValidations(s))) > 0 {
			t.Error("dropping value validations makes a structural schema one that is not")
		}
	})
}
