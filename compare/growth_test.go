package compare_test

import (
	"fmt"
	"runtime"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// TestGrowth compares what is allocated for definitions of which one is four times as large as the other, in
// each dimension: of quadratic work it would be sixteen times as much. Every restriction differs between the
// old and the new definition.
func TestGrowth(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int
		spec func(n, edition int) apiextensionsv1.JSONSchemaProps
	}{
		{"rules", 100, func(n, edition int) apiextensionsv1.JSONSchemaProps {
			spec := object(map[string]apiextensionsv1.JSONSchemaProps{"number": {Type: "integer"}})
			for i := range n {
				spec.XValidations = append(spec.XValidations, apiextensionsv1.ValidationRule{Rule: fmt.Sprintf("!has(self.number) || self.number != %d", 10*i+edition)})
			}
			return spec
		}},
		{"properties", 500, func(n, edition int) apiextensionsv1.JSONSchemaProps {
			properties := map[string]apiextensionsv1.JSONSchemaProps{}
			for i := range n {
				properties[fmt.Sprintf("field%d", i)] = apiextensionsv1.JSONSchemaProps{Type: "string", MaxLength: new(int64(10 - edition))}
			}
			return object(properties)
		}},
		{"enum", 500, func(n, edition int) apiextensionsv1.JSONSchemaProps {
			color := apiextensionsv1.JSONSchemaProps{Type: "string"}
			for i := range n {
				color.Enum = append(color.Enum, apiextensionsv1.JSON{Raw: fmt.Appendf(nil, `"value%d-%d"`, i, edition)})
			}
			return object(map[string]apiextensionsv1.JSONSchemaProps{"color": color})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			compared := func(n int) float64 {
				target, err := apiserver.NewTarget("") // without what it remembers of other rules
				if err != nil {
					t.Fatal(err)
				}
				old, new := widget(test.spec(n, 1)), widget(test.spec(n, 2))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				changes, err := compare.Definitions(t.Context(), target, []*crd.Definition{old}, []*crd.Definition{new})
				runtime.ReadMemStats(&after)
				if err != nil || len(changes) == 0 {
					t.Fatal(len(changes), err)
				}
				return float64(after.TotalAlloc - before.TotalAlloc)
			}
			compared(test.n) // what is only done once
			if growth := compared(4*test.n) / compared(test.n); growth > 5 {
				t.Errorf("4 times the input takes %.1f times the memory", growth)
			}
		})
	}
}

func object(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
	return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
}

// widget returns a definition with the schema of spec.
func widget(spec apiextensionsv1.JSONSchemaProps) *crd.Definition {
	schema := object(map[string]apiextensionsv1.JSONSchemaProps{"spec": spec})
	return &crd.Definition{CRD: &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: "Namespaced", Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &schema},
			}},
		},
	}}
}
