package rules

import (
	"encoding/json"
	"slices"
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

// publicCases are the shapes of mistakes in public APIs, each with the smallest object that the API
// server refuses.
var publicCases = []struct{ name, schema, rule, want string }{{
	"a required field with a field that depends on it", valveSchema,
	"self.label != 'x'", `{"kind":"Ball","name":"example"}`,
}, {
	"volumes without a provider", `
type: object
properties:
  provider: {type: string, enum: [disk, bucket]}
  region: {type: string}
`, "self.provider == 'bucket' ? has(self.region) : true", `{}`,
}, {
	"replication with names but no durability", `
type: object
required: [method, number]
properties:
  method: {type: string, enum: [any, first]}
  number: {type: integer}
  durability: {type: string, enum: [required, preferred]}
  before: {type: array, items: {type: string}}
`, "self.durability != 'preferred' || !has(self.before) || self.before.size() == 0", `{"before":["example"],"method":"any","number":1}`,
}, {
	"a policy without the settings of the other one", `
type: object
required: [policy]
properties:
  policy: {type: string, enum: [Default, Custom]}
  custom: {type: object, properties: {seconds: {type: integer}}}
`, "self.policy == 'Default' ? !has(self.custom.seconds) : true", `{"policy":"Default"}`,
}, {
	"settings of scaling without the name that is forbidden", `
type: object
properties:
  advanced: {type: object, properties: {scaler: {type: object, properties: {name: {type: string}, up: {type: integer}}}}}
`, "!has(self.advanced) || !has(self.advanced.scaler) || size(self.advanced.scaler.name) == 0", `{"advanced":{"scaler":{}}}`,
}, {
	"addresses without a value", `
type: array
maxItems: 4
items:
  type: object
  properties:
    type: {type: string, default: IP, enum: [IP, Name]}
    value: {type: string, maxLength: 9}
`, "self.all(a, a.type == 'IP' ? self.exists_one(b, b.type == a.type && b.value == a.value) : true)", `[{"type":"IP"}]`,
}}

// TestFailure finds the smallest values for which rules fail.
func TestFailure(t *testing.T) {
	for _, c := range publicCases {
		s := schemaOf(t, c.schema)
		rule := structural.Rule{Rule: c.rule}
		s.XValidations = []structural.Rule{rule}
		a := Reads(rule, s, Inside)
		f, err := searchOf(s).Failure(t.Context(), []structural.Edge{{Keyword: "properties", Property: "spec"}}, s, rule, a)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if f != nil && f.Accepts {
			text, _ := json.Marshal(f.Value)
			got = string(text)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestFailureInMember finds the failures of rules about a member of a union, whose sample sets another member.
func TestFailureInMember(t *testing.T) {
	s := schemaOf(t, `
type: object
properties:
  scaler:
    type: object
    properties:
      builtin: {type: object}
      external: {type: object, properties: {name: {type: string}}}
`)
	scaler := property(s, "scaler").Schema
	one := []structural.Rule{{Rule: "has(self.builtin) || has(self.external)"}, {Rule: "!(has(self.builtin) && has(self.external))"}}
	edges := func(names ...string) (out []structural.Edge) {
		for _, name := range names {
			out = append(out, structural.Edge{Keyword: "properties", Property: name})
		}
		return out
	}
	for _, c := range []struct {
		node  *structural.Schema
		rule  string
		edges []structural.Edge
	}{
		{property(scaler, "external").Schema, "self.name != 'x'", edges("spec", "scaler", "external")},
		{scaler, "!has(self.external) || self.external.name != 'x'", edges("spec", "scaler")},
	} {
		rule := structural.Rule{Rule: c.rule}
		scaler.XValidations = one
		c.node.XValidations = append(slices.Clip(c.node.XValidations), rule)
		f, err := searchOf(s).Failure(t.Context(), c.edges, c.node, rule, Reads(rule, c.node, Inside))
		if err != nil || f == nil {
			t.Errorf("%s: failure %v, error %v", c.rule, f, err)
		}
	}
}
