package apiserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// TestConstantRules checks constant rules and similar rules that are not constant.
func TestConstantRules(t *testing.T) {
	const schema = `
type: object
required: [name, mode, on]
properties:
  name: {type: string, minLength: 1, maxLength: 5}
  mode: {type: string, enum: [A, B]}
  on: {type: boolean}
  count: {type: integer, minimum: 0, maximum: 9}
  level: {type: integer, enum: [1, 2]}
  list: {type: array, maxItems: 3, items: {type: string}}
  time: {type: string, format: date-time, maxLength: 5}
  maybe: {type: string, nullable: true, maxLength: 3}
  port: {x-kubernetes-int-or-string: true, maximum: 3}
  map: {type: object, maxProperties: 2, additionalProperties: {type: string}}
`
	for rule, want := range map[string]string{
		"true": "true", "false": "false", "1 == 2": "false", "1 == 1": "true", "true || self.on": "true", "self.on && false": "false", "'a' in ['b', 'c']": "false", "!(1 in [1, 2])": "false", "2 > 1 ? true : self.on": "true",
		"size(self.name) >= 0":               "true",
		"size(self.name) > 5":                "false",
		"self.name.size() == 0":              "false",
		"self.name == ''":                    "false",
		"size(self.name) > 4":                "",
		"size(self.name) <= 5":               "", // same as the schema
		"self.mode == 'C'":                   "false",
		"self.mode in ['C', 'D']":            "false",
		"self.mode in ['A', 'C']":            "",
		"self.mode != 'C'":                   "",
		"has(self.count)":                    "",
		"!has(self.name)":                    "false",
		"!has(self.count)":                   "",
		"has(self.name)":                     "",
		"self.count > 9":                     "false",
		"self.count + 1 > 10":                "false",
		"self.count - 10 >= 0":               "false",
		"self.count >= 9":                    "",
		"!has(self.count) || self.count > 9": "",
		"has(self.count) && self.count > 9":  "false",
		"self.level == 3":                    "false",
		"self.list.size() > 3":               "false",
		"self.list.all(x, false)":            "",
		"self.time.size() > 9":               "",
		"size(self.maybe) > 3":               "",
		"self.port > 3":                      "",
		"size(self.map) > 2":                 "false",
		"self == oldSelf || false":           "",
		"self.on == true":                    "",
		"self.name.startsWith('a')":          "",
	} {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(schema), &props); err != nil {
			t.Fatal(err)
		}
		props.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
		s, _ := structural.FromProps(&props)
		got := ""
		for _, c := range target(t, DefaultVersion).ConstantRules(s) {
			got += fmt.Sprint(c.Holds)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

// TestForbiddenField checks that the rule "false" on an optional field is not reported.
func TestForbiddenField(t *testing.T) {
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(`
type: object
required: [a]
properties:
  a: {type: string, x-kubernetes-validations: [{rule: "false"}]}
  b: {type: string, x-kubernetes-validations: [{rule: "false"}]}
  c: {type: object, required: [d], properties: {d: {type: string, x-kubernetes-validations: [{rule: "false"}]}}}
`), &props); err != nil {
		t.Fatal(err)
	}
	s, _ := structural.FromProps(&props)
	found := target(t, DefaultVersion).ConstantRules(s)
	if len(found) != 1 || found[0].Path.String() != ".properties[a]" {
		t.Errorf("%v", found)
	}
}

// randomRule returns a condition on the properties of randomObject's schema.
func randomRule(r *rand.Rand, depth int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	integer := func() string {
		return pick("self.i", "self.j", "size(self.s)", "self.e.size()", "self.l.size()", "size(self.m)", "(self.i + self.j)", "(self.i - size(self.s))", "-self.j",
			fmt.Sprint(r.IntN(9)-3), fmt.Sprint(r.IntN(9)), "self.o.i")
	}
	if depth > 0 {
		a, b := randomRule(r, depth-1), randomRule(r, depth-1)
		switch r.IntN(5) {
		case 0:
			return "(" + a + " && " + b + ")"
		case 1:
			return "(" + a + " || " + b + ")"
		case 2:
			return "!" + a
		case 3:
			return "(" + a + " ? " + b + " : " + randomRule(r, depth-1) + ")"
		}
	}
	switch r.IntN(7) {
	case 0:
		return pick("true", "false", "self.b", "has(self.i)", "has(self.j)", "has(self.o)", "(has(self.o) && has(self.o.i))", "has(self.m)")
	case 1:
		return "(self.e " + pick("==", "!=") + " '" + pick("a", "b", "abc", "x", "") + "')"
	case 2:
		return "(" + pick("self.s", "self.e") + " in [" + pick("'a', 'x'", "'x'", "'', 'abc'", "'abcdef'") + "])"
	case 3:
		return "(self.d " + pick("<", "<=", ">", ">=", "==") + " " + pick("0.5", "1.0", "3.5", "-2.0") + ")"
	case 4:
		return "self.l." + pick("all", "exists") + "(x, x == 'a')"
	}
	return "(" + integer() + " " + pick("<", "<=", ">", ">=", "==", "!=") + " " + integer() + ")"
}

// randomBounds returns the schema that randomRule uses, with random bounds.
func randomBounds(r *rand.Rand) *apiextensionsv1.JSONSchemaProps {
	maybe := func(low, high string, of int) string {
		out := ""
		if r.IntN(3) > 0 {
			out += fmt.Sprintf(", %s: %d", low, r.IntN(of))
		}
		if r.IntN(3) > 0 {
			out += fmt.Sprintf(", %s: %d", high, of-1+r.IntN(3))
		}
		return out
	}
	text := fmt.Sprintf(`
type: object
required: [%s]
properties:
  i: {type: integer%s%s}
  j: {type: integer, enum: [%d, 3]}
  d: {type: number%s}
  b: {type: boolean}
  s: {type: string%s}
  e: {type: string, enum: [a, %s]}
  l: {type: array, items: {type: string}%s}
  m: {type: object, additionalProperties: {type: string}%s}
  o: {type: object, properties: {i: {type: integer%s}}}
`, []string{"i, j, d, b, s, e, l, m", "s, e, l", "i, o", "b"}[r.IntN(4)], maybe("minimum", "maximum", 4), []string{"", ", exclusiveMinimum: true, minimum: 1, nullable: true"}[r.IntN(8)/7], r.IntN(5),
		maybe("minimum", "maximum", 3), maybe("minLength", "maxLength", 3), []string{"b", "abc"}[r.IntN(2)], maybe("minItems", "maxItems", 3), maybe("minProperties", "maxProperties", 2), maybe("minimum", "maximum", 4))
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(text), &props); err != nil {
		panic(err)
	}
	return &props
}

func randomObject(r *rand.Rand) map[string]any {
	texts := []string{"", "a", "b", "äb", "abc", "abcd"}
	out := map[string]any{}
	set := func(name string, value any) {
		if r.IntN(6) > 0 {
			out[name] = value
		}
	}
	set("i", int64(r.IntN(9)-2))
	set("j", int64(r.IntN(5)))
	set("d", float64(r.IntN(9))/2-1)
	set("b", r.IntN(2) == 0)
	set("s", texts[r.IntN(len(texts))])
	set("e", texts[1:5][r.IntN(4)])
	list := []any{}
	for range r.IntN(5) {
		list = append(list, texts[r.IntN(2)])
	}
	set("l", list)
	m := map[string]any{}
	for i := range r.IntN(4) {
		m[fmt.Sprint(i)] = "x"
	}
	set("m", m)
	set("o", map[string]any{"i": int64(r.IntN(6))})
	return out
}

// TestConstantRulesMatchServer compares the constant rules found among random rules with
// the server's evaluator on random objects that the schema accepts.
func TestConstantRulesMatchServer(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 18))
	holds, never, accepted := 0, 0, 0
	for range 50 {
		props := randomBounds(r)
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&internal)
		if err != nil {
			t.Fatal(err)
		}
		var objects []map[string]any
		for n := 0; len(objects) < 20 && n < 4000; n++ {
			if o := randomObject(r); len(validation.ValidateCustomResource(field.NewPath(""), o, validator)) == 0 {
				objects = append(objects, o)
			}
		}
		var rules []string
		for range 12 {
			rule := randomRule(r, r.IntN(3))
			rules = append(rules, rule)
			props.XValidations = append(props.XValidations, apiextensionsv1.ValidationRule{Rule: rule})
		}
		s, _ := structural.FromProps(props)
		found := target(t, DefaultVersion).ConstantRules(s)
		compiled := target(t, DefaultVersion)
		if _, err := compiled.Rules(t.Context(), withProps(t, *props)); err != nil {
			t.Fatal(err)
		}
		if again := compiled.ConstantRules(s); !reflect.DeepEqual(again, found) {
			t.Errorf("%v, but %v after the rules were compiled", found, again)
		}
		props.XValidations = nil
		evaluate, err := NewEvaluator(props, rules)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			outcomes := evaluate(o)
			accepted++
			for _, c := range found {
				text, _ := json.Marshal(o)
				was := outcomes[c.Index]
				if strings.Contains(was.Failure, "compilation failed") {
					t.Fatalf("%s: %s", rules[c.Index], was.Failure)
				}
				if passes := !was.Rejected && was.Failure == ""; passes != c.Holds {
					schema, _ := json.Marshal(props)
					t.Errorf("%s is reported as always %t, but for %s the server's result is %+v\n%s", rules[c.Index], c.Holds, text, was, schema)
				}
			}
		}
		for _, c := range found {
			if c.Holds {
				holds++
			} else {
				never++
			}
		}
	}
	t.Logf("%d rules always hold, %d never, on %d objects", holds, never, accepted)
	if holds < 5 || never < 50 || accepted < 500 {
		t.Errorf("too few: %d rules always hold, %d never, on %d objects", holds, never, accepted)
	}
}
