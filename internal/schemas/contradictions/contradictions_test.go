package contradictions

import (
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// TestContradictions checks one schema for each contradiction, and a similar one without it.
func TestContradictions(t *testing.T) {
	for _, test := range []struct {
		name, schema string
		want         []string
	}{
		{"rules twice", `{type: string, x-kubernetes-validations: [{rule: a}, {rule: b}, {rule: a, message: m}, {rule: a}], allOf: [{x-kubernetes-validations: [{rule: a}, {rule: c}]}]}`, []string{
			".x-kubernetes-validations[2].rule: rules 0 and 2 of this list are the same, so kubectl apply --server-side fails for this CRD",
			".x-kubernetes-validations[3].rule: rules 0 and 3 of this list are the same, so kubectl apply --server-side fails for this CRD"}},
		{"rules twice in a junctor", `{type: object, anyOf: [{properties: {a: {not: {x-kubernetes-validations: [{rule: b}, {rule: b}]}}}}], properties: {a: {type: array, items: {type: string}}}}`,
			[]string{".anyOf[0].properties[a].not.x-kubernetes-validations[1].rule: rules 0 and 1 of this list are the same, so kubectl apply --server-side fails for this CRD"}},
		{"minimum above maximum", `{type: integer, minimum: 3, maximum: 1}`,
			[]string{".minimum: minimum 3 is greater than maximum 1: no value is allowed"}},
		{"one value", `{type: integer, minimum: 3, maximum: 3}`, nil},
		{"no value", `{type: integer, minimum: 3, maximum: 3, exclusiveMaximum: true}`,
			[]string{".minimum: minimum and maximum are both 3, and one of them is exclusive: no value is allowed"}},
		{"lengths", `{type: string, minLength: 3, maxLength: 2}`,
			[]string{".minLength: minLength 3 is greater than maxLength 2: no value is allowed"}},
		{"items", `{type: array, items: {type: string}, minItems: 3, maxItems: 2}`,
			[]string{".minItems: minItems 3 is greater than maxItems 2: no value is allowed"}},
		{"negative length", `{type: string, maxLength: -1}`, []string{".maxLength: maxLength -1 is negative: no value is allowed"}},
		{"negative items", `{type: array, items: {type: string}, minItems: -3, maxItems: -2}`,
			[]string{".maxItems: maxItems -2 is negative: no value is allowed"}},
		{"negative maximum", `{type: integer, maximum: -1}`, nil},
		{"no properties", `{type: object, maxProperties: 0}`, nil},
		{"properties", `{type: object, minProperties: 3, maxProperties: 2}`,
			[]string{".minProperties: minProperties 3 is greater than maxProperties 2: no value is allowed"}},
		{"through allOf", `{type: integer, allOf: [{minimum: 3}, {allOf: [{maximum: 1}]}]}`,
			[]string{".minimum: minimum 3 is greater than maximum 1: no value is allowed"}},
		{"below", `{type: object, properties: {a: {type: array, items: {type: object, additionalProperties: {type: integer, minimum: 2, maximum: 1}}}}}`,
			[]string{".properties[a].items.additionalProperties.minimum: minimum 2 is greater than maximum 1: no value is allowed"}},
		{"enum of another type", `{type: string, enum: [a, 1, true, null]}`, []string{
			".enum[1]: enum value 1 can never be used: it is an integer, but the type is string",
			".enum[2]: enum value true can never be used: it is a boolean, but the type is string",
			".enum[3]: enum value null can never be used: it is null, but the type is string"}},
		{"enum that fits", `{type: number, nullable: true, enum: [1, 1.5, null]}`, nil},
		{"enum of int-or-string", `{x-kubernetes-int-or-string: true, enum: [1, a]}`, nil},
		{"enum twice", `{type: string, enum: [a, b, a]}`, []string{`.enum[2]: duplicate enum value "a"`}},
		{"enum and pattern", `{type: string, pattern: "^a", enum: [ab, ba]}`,
			[]string{`.enum[1]: enum value "ba" can never be used: it does not match the pattern ^a`}},
		{"enum and length", `{type: string, maxLength: 2, enum: [äö, äöü]}`,
			[]string{`.enum[1]: enum value "äöü" can never be used: its length 3 is outside maxLength 2`}},
		{"enum and bounds", `{type: integer, minimum: 2, maximum: 4, exclusiveMaximum: true, enum: [2, 4]}`,
			[]string{`.enum[1]: enum value 4 can never be used: it is outside minimum 2, maximum 4`}},
		{"required and not declared", `{type: object, required: [a, b, metadata], properties: {a: {type: string}}}`,
			[]string{`.required[1]: property "b" is required but not declared: the API server prunes it, so no object is valid`}},
		{"required below", `{type: object, properties: {x: {type: object, required: [metadata]}}}`,
			[]string{`.properties[x].required[0]: property "metadata" is required but not declared: the API server prunes it, so no object is valid`}},
		{"required and preserved", `{type: object, required: [a], x-kubernetes-preserve-unknown-fields: true}`, nil},
		{"required in a map", `{type: object, required: [a], additionalProperties: {type: string}}`, nil},
		{"dead branch", `{type: integer, minimum: 5, oneOf: [{maximum: 3}, {maximum: 9}]}`,
			[]string{".oneOf[0]: this branch of oneOf never matches: minimum 5 is greater than maximum 3: no value is allowed"}},
		{"dead enum", `{type: string, enum: [a, b], anyOf: [{enum: [c]}, {enum: [b, c]}]}`,
			[]string{".anyOf[0]: this branch of anyOf never matches: its enum has no value in common with the enum of the node"}},
		{"forbids what is required", `{type: object, required: [a], properties: {a: {type: string}}, oneOf: [{not: {required: [a]}}, {required: [a]}]}`,
			[]string{".oneOf[0]: this branch of oneOf never matches: it forbids a, which is required"}},
		{"dead property", `{type: object, required: [a], properties: {a: {type: string, enum: [x]}}, oneOf: [{properties: {a: {enum: [y]}}}, {properties: {a: {enum: [x]}}}]}`,
			[]string{".oneOf[0]: this branch of oneOf never matches: a: its enum has no value in common with the enum of the node"}},
		{"an optional property", `{type: object, properties: {a: {type: string, enum: [x]}}, anyOf: [{properties: {a: {enum: [y]}}}]}`, nil},
		{"equal branches", `{type: object, oneOf: [{required: [a]}, {required: [b]}, {required: [a]}], properties: {a: {type: string}, b: {type: string}}}`,
			[]string{".oneOf[2]: branches 0 and 2 of oneOf are equal: a value matches both or neither"}},
		{"equal branches of anyOf", `{type: string, anyOf: [{pattern: a}, {pattern: a}]}`, nil},
		{"not anything", `{type: string, not: {}}`, []string{".not: an empty not rejects every value"}},
		{"case-insensitive", `{type: string, pattern: "(?i)a"}`,
			[]string{".pattern: (?i) in the pattern is specific to Go: clients that follow ECMA 262 read it differently"}},
		{"named group", `{type: string, pattern: "(?P<x>a)"}`,
			[]string{".pattern: (?P<x> in the pattern is specific to Go: clients that follow ECMA 262 read it differently"}},
		{"class", `{type: string, pattern: "[[:alpha:]]"}`,
			[]string{".pattern: [:alpha:] in the pattern is specific to Go: clients that follow ECMA 262 read it differently"}},
		{"ends", `{type: string, pattern: "\\Aa"}`,
			[]string{`.pattern: \A in the pattern is specific to Go: clients that follow ECMA 262 read it differently`}},
		{"common syntax", `{type: string, pattern: "^(?:a|[b(?i)\\]])\\(?\\d+\\\\A$"}`, nil},
		{"no multiple", `{type: integer, minimum: 5, maximum: 9, multipleOf: 10}`,
			[]string{".multipleOf: no multiple of 10 lies between minimum 5 and maximum 9: no value is allowed"}},
		{"one multiple", `{type: integer, minimum: 5, maximum: 10, multipleOf: 10}`, nil},
		{"a multiple that is excluded", `{type: integer, minimum: 5, maximum: 10, exclusiveMaximum: true, multipleOf: 10}`,
			[]string{".multipleOf: no multiple of 10 lies between minimum 5 and exclusive maximum 10: no value is allowed"}},
		{"zero is a multiple", `{type: integer, minimum: -5, maximum: 5, multipleOf: 10}`, nil},
		{"two factors", `{type: integer, minimum: 1, maximum: 11, multipleOf: 4, allOf: [{multipleOf: 6}]}`,
			[]string{".multipleOf: no multiple of 12 lies between minimum 1 and maximum 11: no value is allowed"}},
		{"fractions", `{type: number, minimum: 0.3, maximum: 0.4, multipleOf: 0.25}`,
			[]string{".multipleOf: no multiple of 0.25 lies between minimum 0.3 and maximum 0.4: no value is allowed"}},
		{"fractions that fit", `{type: number, minimum: 0.3, maximum: 0.3, multipleOf: 0.1}`, nil},
		{"no integer", `{type: integer, minimum: 3, exclusiveMinimum: true, maximum: 4, exclusiveMaximum: true}`,
			[]string{".minimum: no integer lies between exclusive minimum 3 and exclusive maximum 4: no value is allowed"}},
		{"a number between", `{type: number, minimum: 3, exclusiveMinimum: true, maximum: 4, exclusiveMaximum: true}`, nil},
		{"a factor that is not positive", `{type: integer, multipleOf: 0}`,
			[]string{".multipleOf: multipleOf 0 is not positive: no value is allowed"}},
		{"enum and factor", `{type: integer, multipleOf: 10, enum: [10, 15]}`,
			[]string{".enum[1]: enum value 15 can never be used: it is not a multiple of 10"}},
		{"dead branch of multiples", `{type: integer, multipleOf: 10, minimum: 5, oneOf: [{maximum: 9}, {maximum: 10}]}`,
			[]string{".oneOf[0]: this branch of oneOf never matches: no multiple of 10 lies between minimum 5 and maximum 9: no value is allowed"}},
		{"a fraction for an integer", `{type: integer, minimum: 0.5, maximum: 9.5, multipleOf: 0.5}`, []string{
			".minimum: minimum 0.5 is not an integer: since Kubernetes 1.36 the API server rejects every value",
			".maximum: maximum 9.5 is not an integer: since Kubernetes 1.36 the API server rejects every value",
			".multipleOf: multipleOf 0.5 is not an integer: since Kubernetes 1.36 the API server rejects every value"}},
		{"more than an int32", `{type: integer, format: int32, minimum: 0, maximum: 4294967295}`,
			[]string{".maximum: maximum 4294967295 is not an int32: since Kubernetes 1.36 the API server rejects every value"}},
		{"the most of an int32", `{type: integer, format: int32, minimum: -2147483648, maximum: 2147483647}`, nil},
		{"the most of an int64", `{type: integer, format: int64, maximum: 9223372036854775807}`,
			[]string{".maximum: maximum 9223372036854776000 is not an int64: since Kubernetes 1.36 the API server rejects every value"}},
		{"a large int64", `{type: integer, maximum: 9007199254740992}`, nil},
		{"exclusive without a bound", `{type: integer, exclusiveMinimum: true, maximum: 3, allOf: [{exclusiveMaximum: true}]}`, []string{
			".exclusiveMinimum: exclusiveMinimum has no effect without minimum",
			".allOf[0].exclusiveMaximum: exclusiveMaximum has no effect without maximum"}},
		{"exclusive with a bound", `{type: integer, minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true}`, nil},
		{"keywords of other types", `{type: string, minimum: 1, maxItems: 3, maxLength: 3}`, []string{
			".minimum: minimum has no effect: it applies to type number, but the type is string",
			".maxItems: maxItems has no effect: it applies to type array, but the type is string"}},
		{"keywords of both types", `{x-kubernetes-int-or-string: true, minimum: 1, pattern: "^a"}`, nil},
		{"example and pattern", `{type: string, pattern: "^a", example: b}`, []string{`.example: the schema rejects the example "b": it does not match the pattern ^a`}},
		{"example of another type", `{type: string, example: 5}`, []string{".example: the schema rejects the example 5: it is an integer, but the type is string"}},
		{"example and enum", `{type: number, enum: [1, 2], example: 3}`, []string{".example: the schema rejects the example 3: it is not a value of the enum"}},
		{"example of the enum", `{type: number, enum: [1, 2], example: 2.0}`, nil},
		{"example below", `{type: object, required: [a, c], properties: {a: {type: array, items: {type: integer, maximum: 3}}, c: {type: string}}, example: {a: [1, 5], b: x}}`,
			[]string{".example: the schema rejects the example {\"a\":[1,5],\"b\":\"x\"}: a: element: it is outside maximum 3"}},
		{"part of an example", `{type: object, required: [a, c], properties: {a: {type: array, items: {type: integer, maximum: 3}}, c: {type: string}}, example: {a: [1], b: x}}`, nil},
		{"example of int-or-string", `{x-kubernetes-int-or-string: true, example: 50%}`, nil},
		{"example of anything", `{x-kubernetes-preserve-unknown-fields: true, example: {a: 1}}`, nil},
		{"example that is null", `{type: string, nullable: true, example: null}`, nil},
		{"no pattern at all", `{type: string, pattern: "("}`, nil},
	} {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(test.schema), &props); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		s, _ := structural.FromProps(&props)
		var got []string
		for _, c := range Find(s) {
			got = append(got, c.Path.String()+": "+c.Message)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}
