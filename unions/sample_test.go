package unions

import (
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// TestSample checks the content of samples. That servers accept them is tested with the
// server's validation.
func TestSample(t *testing.T) {
	for _, test := range []struct{ schema, minimal, full string }{
		{`{type: string}`, `"example"`, `"example"`},
		{`{type: string, default: a}`, `"a"`, `"a"`},
		{`{type: string, enum: ["", a, b]}`, `"a"`, `"a"`},
		{`{type: string, enum: [a, b], allOf: [{enum: [b, c]}]}`, `"b"`, `"b"`},
		{`{type: string, allOf: [{anyOf: [{enum: [a, b]}, {enum: [c]}]}, {enum: [c, b]}]}`, `"b"`, `"b"`},
		{`{type: integer, nullable: true, enum: [null, 9007199254740993]}`, `9007199254740993`, `9007199254740993`},
		{`{type: string, pattern: "^ab{2,3}$"}`, `"abb"`, `"abb"`},
		{`{type: string, minLength: 14, maxLength: 14}`, `"examplexxxxxxx"`, `"examplexxxxxxx"`},
		{`{type: string, format: ipv4}`, `"192.0.2.1"`, `"192.0.2.1"`},
		{`{type: string, allOf: [{minLength: 1}, {anyOf: [{format: ipv6}, {format: ipv4}]}]}`, `"2001:db8::1"`, `"2001:db8::1"`},
		{`{type: integer, minimum: 5, exclusiveMinimum: true, multipleOf: 4}`, `8`, `8`},
		{`{type: integer, maximum: -3, allOf: [{maximum: -4}]}`, `-4`, `-4`},
		{`{type: number, minimum: 0, maximum: 0.5}`, `0`, `0`},
		{`{type: boolean}`, `true`, `true`},
		{`{x-kubernetes-int-or-string: true}`, `1`, `1`},
		{`{type: array, items: {type: string}}`, `[]`, `["example"]`},
		{`{type: array, minItems: 2, x-kubernetes-list-type: set, items: {type: string}}`, `["example","example-1"]`, `["example","example-1"]`},
		{`{type: array, items: {type: integer}, allOf: [{minItems: 1}, {minItems: 2}]}`, `[1,1]`, `[1,1]`},
		{`{type: array, items: {type: integer}, anyOf: [{maxItems: 0}, {minItems: 2}]}`, `[]`, `[]`},
		{`{type: object, additionalProperties: {type: integer}, allOf: [{minProperties: 2}]}`, `{"example":1,"example-1":2}`, `{"example":1,"example-1":2}`},
		{`{type: object, required: [a], properties: {a: {type: integer}, b: {type: integer}}}`, `{"a":1}`, `{"a":1,"b":1}`},
		{`{type: object, properties: {a: {type: integer}, b: {type: integer}}, oneOf: [{required: [b]}, {required: [a]}]}`, `{"b":1}`, `{"b":1}`},
		{`{type: object, maxProperties: 1, properties: {a: {type: integer}, b: {type: integer}}}`, `{}`, `{"a":1}`},
		{`{type: object, properties: {a: {type: integer}}, not: {required: [a]}}`, `{}`, `{}`},
		{`{type: object, x-kubernetes-embedded-resource: true}`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"example"}}`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"example"}}`},
	} {
		p := &apiextensionsv1.JSONSchemaProps{}
		if err := yaml.Unmarshal([]byte(test.schema), p); err != nil {
			t.Fatal(err)
		}
		s, _ := structural.FromProps(p)
		for _, full := range []bool{false, true} {
			got, err := json.Marshal(Sample(s, full))
			if err != nil {
				t.Fatal(err)
			}
			want := test.minimal
			if full {
				want = test.full
			}
			if string(got) != want {
				t.Errorf("%s, full %t: %s, want %s", test.schema, full, got, want)
			}
		}
	}
}

// TestSampleOfNestedJunctors checks that twice the depth of junctors takes about twice the
// work.
func TestSampleOfNestedJunctors(t *testing.T) {
	work := func(depth int) float64 {
		inner := structural.ValueValidation{Required: []string{"a"}}
		for range depth {
			either := structural.NestedValueValidation{ValueValidation: structural.ValueValidation{AnyOf: []structural.NestedValueValidation{{ValueValidation: inner}}}}
			inner = structural.ValueValidation{AllOf: []structural.NestedValueValidation{{ValueValidation: structural.ValueValidation{Not: &either}}}}
		}
		s := &structural.Schema{ValueValidation: &inner}
		s.Type = "object"
		return testing.AllocsPerRun(1, func() { Sample(s, true) })
	}
	if at8, at16 := work(8), work(16); at16 > 3*at8 {
		t.Errorf("got %v allocations at depth 8, %v at 16", at8, at16)
	}
}
