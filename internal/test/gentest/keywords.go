package gentest

import (
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
)

// EachKeyword calls f for each keyword that markers can set and merging handles, with an
// example. Keywords with child schemas are excluded.
func EachKeyword(t *testing.T, f func(k *keywords.Keyword, p *apiextensionsv1.JSONSchemaProps)) {
	t.Helper()
	for k := range keywords.Table() {
		if k.Class == keywords.ClassUnsupported || k.Class == keywords.ClassStructure || k.Name == "allOf" {
			continue
		}
		var p apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal([]byte(`{"`+k.Name+`": `+k.Example+`}`), &p); err != nil {
			t.Fatal(err)
		}
		f(k, &p)
	}
}
