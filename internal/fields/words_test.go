package fields

import (
	"encoding/json"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// TestEveryKeyword checks that each value validation appears in an explanation.
func TestEveryKeyword(t *testing.T) {
	for k := range keywords.Table() {
		if k.Class != keywords.ClassValue && k.Class != keywords.ClassJunctor || k.Name == "required" || k.Name == "enum" { // these are not in limits
			continue
		}
		var p apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal([]byte(`{"`+k.Name+`": `+k.Example+`}`), &p); err != nil {
			t.Fatal(err)
		}
		// A node with everything that the keyword needs to have an effect.
		base := apiextensionsv1.JSONSchemaProps{
			Type: "object", Maximum: new(7.0), Minimum: new(3.0),
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}},
		}
		with := base
		keywords.Copy(&with, &p)
		without, _ := structural.FromProps(&base)
		s, _ := structural.FromProps(&with)
		if slices.Equal(limits(without), limits(s)) {
			t.Errorf("%s does not show in an explanation: %q", k.Name, limits(s))
		}
	}
}
