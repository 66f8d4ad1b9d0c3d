package publish

import (
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// TestEveryKeyword checks that each keyword appears in a published schema, and each value
// validation in a JSON Schema.
func TestEveryKeyword(t *testing.T) {
	for k := range keywords.Table() {
		if k.Class == keywords.ClassUnsupported {
			continue
		}
		var p apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal([]byte(`{"`+k.Name+`": `+k.Example+`}`), &p); err != nil {
			t.Fatal(err)
		}
		s, _ := structural.FromProps(&p)
		if _, ok := (dialect{}).schema(s)[k.Name]; !ok {
			t.Errorf("%s is not published", k.Name)
		}
		n := s.Nested()
		shapes := k.Class == keywords.ClassExtension && k.Name != "x-kubernetes-validations" || k.Name == "additionalProperties"
		if _, ok := nested(&n)[k.Name]; ok == shapes {
			t.Errorf("%s in a junctor: published %v", k.Name, ok)
		}
		if k.Class != keywords.ClassValue && k.Class != keywords.ClassJunctor {
			continue
		}
		// A node with everything that the keyword needs to have an effect.
		base := apiextensionsv1.JSONSchemaProps{
			Type: "object", Maximum: new(7.0), Minimum: new(3.0),
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}},
		}
		with := base
		keywords.Copy(&with, &p)
		without, _ := structural.FromProps(&base)
		s, _ = structural.FromProps(&with)
		if a, b := textOf(t, jsonSchema{}.node(without, false)), textOf(t, jsonSchema{}.node(s, false)); a == b {
			t.Errorf("%s does not show in a JSON Schema: %s", k.Name, a)
		}
	}
}

func textOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
