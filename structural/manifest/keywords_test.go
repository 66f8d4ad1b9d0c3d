package manifest

import (
	"encoding/json"
	"go/token"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// TestEveryKeyword checks that each keyword is read by each reader, with its position.
func TestEveryKeyword(t *testing.T) {
	for k := range keywords.Table() {
		schema := `{"` + k.Name + `": ` + k.Example + `}`
		inJSON := `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": ` + schema + `}}]}}`
		var want apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal([]byte(schema), &want); err != nil {
			t.Fatal(err)
		}
		block, err := yaml.JSONToYAML([]byte(inJSON))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{inJSON, "# not JSON\n" + inJSON, string(block)} {
			manifests, problems := Read(token.NewFileSet(), "x", []byte(text))
			if len(manifests) != 1 || len(problems) > 0 || manifests[0].CRD == nil {
				t.Errorf("%v\n%s", problems, text)
				continue
			}
			m := manifests[0]
			got := m.CRD.Spec.Versions[0].Schema.OpenAPIV3Schema
			if mustJSON(t, got) != mustJSON(t, want) {
				t.Errorf("%s is read as %s\n%s", mustJSON(t, want), mustJSON(t, got), text)
			}
			s := m.Schemas[0]
			if len(s.Origin.Keywords) != 1 || s.Origin.Of(k.Name) == s.Origin.Pos || len(m.Unknown[0]) > 0 {
				t.Errorf("%s has no position, or is not known\n%s", k.Name, text)
			}
			_, unsupported := structural.FromProps(&want)
			if !reflect.DeepEqual(m.Unsupported[0], unsupported) {
				t.Errorf("unsupported are %v, want %v", m.Unsupported[0], unsupported)
			}
		}
		if fast, _, _ := readBoth(string(block)); fast == nil {
			t.Errorf("the fast reader does not read\n%s", block)
		}
	}
}
