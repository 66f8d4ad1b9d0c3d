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

	"github.com/schemagen/schemagen/internal/test/serverrules"
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

// TestAlwaysHolds checks rules that are true for everything that a schema accepts, and similar
// ones that may not be.
func TestAlwaysHolds(t *testing.T) {
	const schema = `
type: object
required: [name, mode, sub]
properties:
  name: {type: string, minLength: 1, maxLength: 5}
  mode: {type: string, enum: [A, B]}
  opt: {type: string, enum: [A, B]}
  only: {type: string, enum: [A]}
  count: {type: integer, minimum: 0, maximum: 9}
  modes: {type: array, items: {type: string, enum: [A, B]}}
  some: {type: array, minItems: 1, items: {type: object, properties: {x: {type: string}}}}
  none: {type: array, maxItems: 0, items: {type: string}}
  map: {type: object, additionalProperties: {type: string, enum: [A, B]}}
  free: {type: object, additionalProperties: true}
  sub: {type: object, properties: {x: {type: string}}}
  may: {type: object, properties: {x: {type: string}}}
  any: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {x: {type: string}}}
  nil: {type: object, nullable: true}
  pod: {type: object, x-kubernetes-embedded-resource: true}
`
	rows := map[string]bool{
		// A field that the schema does not have.
		"!has(self.f)":                                true,
		"has(self.f)":                                 false,
		"!has(self.f) || self.f > 5":                  true,
		"self.f > 5 || !has(self.f)":                  true,
		"!(has(self.f) && self.f > 5)":                true,
		"has(self.f) ? self.f > 5 : true":             true,
		"has(self.f) ? true : self.count > 5":         false,
		"self.f > 5":                                  false,
		"!has(self.f) && self.count > 5":              false,
		"!has(self.sub.f)":                            true,
		"!has(self.sub.f) || self.sub.f == self.name": true,
		"!has(self.may.f)":                            false, // fails without may
		"!has(self.may) || !has(self.may.f)":          true,
		"!has(self.f.g)":                              false, // fails
		"!has(self.f) || !has(self.f.g)":              true,
		"!has(self.any.f)":                            false,
		"!has(self.free.f)":                           false,
		"!has(self.map.f)":                            false,
		"!has(self.nil.f)":                            false,
		"!has(self.pod.f)":                            false,
		// An optional field.
		"self.?f.orValue(1) == 1":                true,
		"self.?f.orValue(1) == 2":                false,
		"!self.?f.hasValue()":                    true,
		"self.?f.?g.orValue('') == ''":           true,
		"self.?f.g.orValue('') == ''":            true,
		"self.?f.optMap(x, x > 1).orValue(true)": true,
		"self.?f.or(self.?g).orValue(true)":      true,
		"self.?f.value() > 5":                    false,
		"self.?opt.orValue('C') == 'A'":          false,
		"self.?any.f.orValue(1) == 1":            false,
		// A value that an enum does not have.
		"self.mode != 'C'":                                                         true,
		"!(self.mode == 'C') || self.count > 5":                                    true,
		"self.mode == 'C' ? self.count > 5 : true":                                 true,
		"self.mode != 'A'":                                                         false,
		"self.mode in ['A', 'B']":                                                  false, // is not calculated
		"!(self.mode in ['C', 'D'])":                                               true,
		"!(self.mode in ['C', 'A'])":                                               false,
		"self.opt != 'C'":                                                          false, // fails without opt
		"!has(self.opt) || self.opt != 'C'":                                        true,
		"self.opt != 'C' || !has(self.opt)":                                        false, // only what is on the left is known
		"!has(self.opt) || self.opt != 'A'":                                        false,
		"has(self.opt) ? self.opt != 'C' : true":                                   true,
		"!has(self.opt) ? true : self.opt != 'C'":                                  true,
		"!(has(self.opt) && self.opt == 'C')":                                      true,
		"!has(self.may) || !has(self.may.x) || self.may.x != 5":                    false,
		"!has(self.opt) || !has(self.only) || self.opt != 'C' && self.only == 'A'": true,
		"has(self.opt) || self.opt != 'C'":                                         false,
		"(has(self.opt) || true) && self.opt != 'C'":                               false,
		"!has(self.may.x) || self.may.x != 'C'":                                    false,
		"self.some.all(self, has(self.x)) || self.opt != 'C'":                      false,
		"!has(self.modes) || self.modes.all(m, m != 'C')":                          true,
		"!has(self.some) || self.some.all(e, !has(e.x) || e.x.size() >= 0)":        true,
		"'C' == self.mode ? has(self.f) : !has(self.f)":                            true,
		"!('C' in self.modes)":                                                     false, // fails without modes
		// Lists and maps.
		"self.modes.all(m, m != 'C')":                 false, // fails without modes
		"!has(self.f) || self.modes.all(m, m == 'C')": true,
		// Changes.
		"!has(self.f) || self.f == oldSelf.f":           true,
		"!has(oldSelf.f) || has(self.f)":                true,
		"self.mode == oldSelf.mode || self.mode != 'C'": true,
		"oldSelf.mode != 'C'":                           true,
		"self == oldSelf":                               false,
		// Bounds, which folding knows as well.
		"has(self.name) && size(self.name) <= 5": true,
		"true":                                   true,
		"self.name.startsWith('a')":              false,
		"self.":                                  false,
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(schema), &props); err != nil {
		t.Fatal(err)
	}
	s, _ := structural.FromProps(&props)
	of := func(rule structural.Rule, s *structural.Schema) bool {
		return target(t, DefaultVersion).AlwaysHolds(rule, s)
	}
	for rule, want := range rows {
		if got := of(structural.Rule{Rule: rule}, s); got != want {
			t.Errorf("%s: %t", rule, got)
		}
	}
	optional := true
	if of(structural.Rule{Rule: "!has(oldSelf.f)", OptionalOldSelf: &optional}, s) {
		t.Error("an optional oldSelf is known")
	}
	for _, c := range []struct {
		property, rule string
		want           bool
	}{
		{"modes", "self.all(m, m != 'C')", true},
		{"modes", "!self.exists(m, m == 'C')", true},
		{"modes", "self.all(m, m != 'A')", false},
		{"modes", "self.exists(m, m != 'C')", false}, // may be empty
		{"modes", "!('C' in self)", true},
		{"modes", "!('A' in self)", false},
		{"modes", "self.exists_one(m, m != 'C')", false},
		{"modes", "self.map(m, m == 'C').size() == 0", false},
		{"modes", "self.all(i, m, m != 'C')", false},
		{"some", "self.all(e, !has(e.f) || e.f == 1)", true},
		{"some", "self.exists(e, !has(e.f))", true},
		{"some", "self.all(e, e.f == 1)", false},
		{"some", "self.all(e, self.all(g, has(e.f) == has(g.f)))", false}, // equality of conditions is not known
		{"some", "self.all(self, !has(self.f))", true},
		{"some", "self.all(e, !has(e.x) || self.all(e, e.x.size() >= 0))", false},
		{"none", "self.all(e, e == 'x')", true},
		{"none", "!self.exists(e, e == 'x')", true},
		{"map", "self.all(k, self[k] != 'C')", false}, // indexing is not known
		{"map", "self.all(k, k != 'C')", false},
		{"only", "self == oldSelf", true},
		{"mode", "self == oldSelf", false},
	} {
		at := s.Properties[s.PropertyIndex(c.property)].Schema
		if got := of(structural.Rule{Rule: c.rule}, at); got != c.want {
			t.Errorf("%s: %s: %t", c.property, c.rule, got)
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
		evaluate := serverrules.Of(t, props, false, serverrules.Texts(rules...)...)
		for _, o := range objects {
			outcomes := evaluate(o, nil)
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

// TestAlwaysHoldsMatchesServer evaluates random rules that are said to hold on random objects that
// the schema accepts, with a schema that has one more field.
func TestAlwaysHoldsMatchesServer(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 3))
	holds, evaluated := 0, 0
	for range 15 {
		props := randomBounds(r)
		s, _ := structural.FromProps(props)
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&internal)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for range 300 {
			rule := randomRule(r, r.IntN(4))
			if r.IntN(2) == 0 {
				rule = strings.ReplaceAll(rule, "self.j", "self.f")
			}
			switch r.IntN(4) {
			case 0:
				rule = "!has(self.f) || " + rule
			case 1:
				rule = "!has(self.o) || " + strings.ReplaceAll(rule, "self.i", "self.o.i")
			case 2:
				rule = "has(self.o) && has(self.l) && " + rule
			}
			if target(t, DefaultVersion).AlwaysHolds(structural.Rule{Rule: rule}, s) {
				rules = append(rules, rule)
			}
		}
		props.Properties["f"] = apiextensionsv1.JSONSchemaProps{Type: "integer"}
		evaluate := serverrules.Of(t, props, false, serverrules.Texts(rules...)...)
		holds += len(rules)
		for n := 0; n < 200; n++ {
			o := randomObject(r)
			if len(validation.ValidateCustomResource(field.NewPath(""), o, validator)) > 0 {
				continue
			}
			for i, was := range evaluate(o, nil) {
				evaluated++
				if was.Rejected || was.Failure != "" {
					object, _ := json.Marshal(o)
					schema, _ := json.Marshal(props)
					t.Fatalf("%s is said to hold, but for %s the server's result is %+v\n%s", rules[i], object, was, schema)
				}
			}
		}
	}
	t.Logf("%d rules, %d evaluations", holds, evaluated)
	if holds < 300 || evaluated < 3000 {
		t.Errorf("too few: %d rules, %d evaluations", holds, evaluated)
	}
}
