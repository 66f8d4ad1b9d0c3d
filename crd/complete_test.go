package crd

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

func TestCompleted(t *testing.T) {
	object := &apiextensionsv1.CustomResourceDefinition{}
	object.Name = "widgets.example.com"
	object.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}},
		{Name: "v2", Schema: &apiextensionsv1.CustomResourceValidation{}},
		{Name: "v3"},
	}
	built := 0
	build := func() *apiextensionsv1.CustomResourceDefinition {
		built++
		return object
	}
	schemas := make([]*structural.Schema, 3)
	for _, test := range []struct {
		name      string
		given     *Definition
		want      string
		wantBuilt int
	}{
		{name: "nil", want: "the definition is nil: use New or Read of package crd"},
		{name: "zero", given: &Definition{}, want: "the definition has neither a CRD nor a function that builds one: use New or Read of package crd"},
		{name: "a CRD", given: &Definition{CRD: object}},
		{name: "built", given: &Definition{Build: build}, wantBuilt: 1},
		{name: "with schemas", given: &Definition{Build: build, Schemas: schemas}},
		{name: "too few schemas", given: &Definition{CRD: object, Schemas: schemas[:1]}, want: "widgets.example.com has 3 versions, but schemas of 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			built = 0
			got, err := test.given.Completed()
			if err != nil || test.want != "" {
				if err == nil || err.Error() != test.want {
					t.Errorf("got error %v, want %q", err, test.want)
				}
				return
			}
			pos, related := got.Position("spec")
			if len(got.Schemas) != 3 || pos.File != "" || related != nil || built != test.wantBuilt || got == test.given {
				t.Errorf("got %v at %v, built %d times", got.Schemas, pos, built)
			}
			if test.given.Schemas == nil && (got.Schemas[0] == nil || got.Schemas[0].Type != "object" || got.Schemas[1] != nil || test.given.Position != nil) {
				t.Errorf("got schemas %v", got.Schemas)
			}
		})
	}
}
