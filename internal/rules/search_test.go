package rules

import (
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

// searchOf returns the search for failures in a definition whose spec has a schema.
func searchOf(schema *structural.Schema) *Search {
	root := &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "spec", Schema: schema}}}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	definition.Name = "valves.example.com"
	definition.Spec.Group = "example.com"
	definition.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Kind: "Valve", ListKind: "ValveList", Plural: "valves", Singular: "valve"}
	definition.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}}
	return &Search{Group: "example.com", Version: "v1", Kind: "Valve", Schema: root, Unproved: &Unproved{},
		Server: func() (*apiserver.Kind, error) { return (&apiserver.Kinds{}).New(definition, root, "v1") }}
}

// TestFailure finds the smallest values for which rules fail.
func TestFailure(t *testing.T) {
	for rule, want := range map[string]string{
		"self.label != 'x'": `{"kind":"Ball","name":"example"}`,
	} {
		s := schemaOf(t, valveSchema)
		s.XValidations = []structural.Rule{{Rule: rule}}
		a := Reads(s.XValidations[0], s, Inside)
		f, err := searchOf(s).Failure(t.Context(), []structural.Edge{{Keyword: "properties", Property: "spec"}}, s, s.XValidations[0], a)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if f != nil {
			text, _ := json.Marshal(f.Value)
			got = string(text)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}
