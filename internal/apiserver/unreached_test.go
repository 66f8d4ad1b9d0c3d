package apiserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/structural"
)

// defaulted generates schemas with defaults and rules, some of which fail or do not compile.
type defaulted struct{ *rand.Rand }

func (c defaulted) schema(depth int) apiextensionsv1.JSONSchemaProps {
	s := apiextensionsv1.JSONSchemaProps{Type: []string{"string", "integer", "object", "object", "map", "array"}[c.IntN(6)]}
	if depth == 0 {
		s.Type = "string"
	}
	if depth == 4 {
		s.Type = "object"
	}
	rules := []string{"self == self", "false"}
	switch s.Type {
	case "string":
		rules = append(rules, "self == 'a'", "self + 1")
	case "object":
		s.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		for _, name := range []string{"a", "b", "x-y", "in"}[:1+c.IntN(4)] {
			s.Properties[name] = c.schema(depth - 1)
		}
		rules = append(rules, "has(self.a)", "self.nothing")
	case "map":
		s.Type = "object"
		values := c.schema(depth - 1)
		s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &values}
		rules = append(rules, "size(self) < 2")
	case "array":
		items := c.schema(depth - 1)
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}
		rules = append(rules, "size(self) < 2")
	}
	if c.IntN(3) == 0 {
		s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: rules[c.IntN(len(rules))]})
	}
	if c.IntN(12) == 0 {
		s.AllOf = []apiextensionsv1.JSONSchemaProps{{XValidations: apiextensionsv1.ValidationRules{{Rule: rules[c.IntN(len(rules))]}}}}
	}
	if depth < 4 && c.IntN(3) == 0 {
		text, _ := json.Marshal(c.value(&s))
		s.Default = &apiextensionsv1.JSON{Raw: text}
	}
	return s
}

// value returns a value of a schema, most of them valid.
func (c defaulted) value(s *apiextensionsv1.JSONSchemaProps) any {
	switch {
	case c.IntN(30) == 0:
		return nil
	case s.Type == "string":
		return []string{"a", "b"}[c.IntN(2)]
	case s.Type == "integer":
		return c.IntN(3)
	case s.Type == "array":
		var list []any
		for range c.IntN(3) {
			list = append(list, c.value(s.Items.Schema))
		}
		return list
	}
	object := map[string]any{}
	if s.AdditionalProperties != nil {
		for i := range c.IntN(3) {
			object[fmt.Sprint("k", i)] = c.value(s.AdditionalProperties.Schema)
		}
	}
	for name, property := range s.Properties {
		if c.IntN(2) == 0 {
			object[name] = c.value(&property)
		}
	}
	return object
}

// TestRemoveUnreached validates the defaults of random schemas with all rules and with those
// that defaults reach. The errors must be the same.
func TestRemoveUnreached(t *testing.T) {
	failing, removed := 0, 0
	for seed := range *crds {
		props := defaulted{rand.New(rand.NewPCG(uint64(seed), 7))}.schema(4)
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
			t.Fatal(err)
		}
		validate := func(change func(*structuralschema.Structural)) []string {
			structural, err := structuralschema.NewStructural(&internal)
			if err != nil {
				t.Fatal(err)
			}
			before := structural.DeepCopy()
			change(structural)
			if !reflect.DeepEqual(before, structural) {
				removed++
			}
			errs, err := defaulting.ValidateDefaults(t.Context(), field.NewPath("s"), structural, true, true)
			if err != nil {
				t.Fatal(err)
			}
			out := []string{}
			for _, e := range errs {
				out = append(out, e.Error())
			}
			slices.Sort(out)
			return out
		}
		want := validate(func(*structuralschema.Structural) {})
		got := validate(func(s *structuralschema.Structural) {
			if !hasNestedRules(s) {
				removeUnreached(s, nil)
			}
		})
		if len(want) > 0 {
			failing++
		}
		if !slices.Equal(got, want) {
			text, _ := json.Marshal(props)
			t.Fatalf("seed %d:\n%s\ngot  %q\nwant %q", seed, text, got, want)
		}
	}
	if failing < *crds/20 || removed < *crds/20 {
		t.Errorf("%d schemas have invalid defaults, and rules of %d were removed", failing, removed)
	}
}

// TestFilledDefaults compares the result for random schemas with that of searching all of
// them.
func TestFilledDefaults(t *testing.T) {
	filled := 0
	for seed := range *crds {
		props := defaulted{rand.New(rand.NewPCG(uint64(seed), 8))}.schema(4)
		server, err := structuralOf(&props)
		if err != nil {
			t.Fatal(err)
		}
		var want []FilledDefault
		fillDefaults(t.Context(), server, nil, &want)
		schema, _ := structural.FromProps(&props)
		got, err := FilledDefaults(t.Context(), schema)
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b FilledDefault) bool { // the order of errors is that of a map
			return a.Path == b.Path && reflect.DeepEqual(a.Value, b.Value) && len(a.Errors) == len(b.Errors)
		}
		if !slices.EqualFunc(got, want, same) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
		if len(want) > 0 {
			filled++
		}
	}
	if filled < *crds/50 {
		t.Errorf("%d schemas have filled defaults that are rejected", filled)
	}
}
