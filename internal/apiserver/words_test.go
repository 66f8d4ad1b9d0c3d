package apiserver

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// addRules adds rules to some objects of a schema: about one property, about all of them
// together, with the value before, and with a message that quotes one.
func (c defaulted) addRules(s *apiextensionsv1.JSONSchemaProps) {
	if s.Type == "object" && len(s.Properties) > 0 && c.IntN(2) == 0 {
		rules := []apiextensionsv1.ValidationRule{
			{Rule: "self == oldSelf"}, {Rule: "has(self.a) == has(oldSelf.a)"}, {Rule: "!has(self.a) || self.a == self.b"}, {Rule: "[self, self].all(x, x != self)"},
			{Rule: "!has(self.a)", FieldPath: ".b"}, {Rule: "!has(self.x__dash__y) || has(self.__in__)"}, {Rule: "dyn(self) == dyn(1)", MessageExpression: "'b: ' + string(has(self.b))"},
		}
		s.XValidations = append(s.XValidations, rules[c.IntN(len(rules))])
	}
	for name, property := range s.Properties {
		c.addRules(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		c.addRules(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		c.addRules(s.AdditionalProperties.Schema)
	}
}

// TestRuleValidator evaluates the rules of random schemas on random objects, created and updated,
// as compiled for all fields and for those that rules use.
func TestRuleValidator(t *testing.T) {
	typeName := regexp.MustCompile(`selfType\d+`) // the server's code names types by the time
	failing, smaller := 0, 0
	for seed := range *crds {
		c := defaulted{rand.New(rand.NewPCG(uint64(seed), 9))}
		props := c.schema(4)
		c.addRules(&props)
		s, err := structuralOf(&props)
		if err != nil {
			t.Fatal(err)
		}
		want, got := cel.NewValidator(s, true, celconfig.PerCallLimit), newRuleValidator(ruleNodeOf(s))
		if empty := got == nil || newRuleValidator(ruleNodeOf(s)).isEmpty(); empty != (want == nil) {
			t.Fatalf("seed %d: empty %t, want %v", seed, empty, want)
		}
		if want == nil {
			continue
		}
		used, nodes := words{}, ruleNodeOf(s)
		used.addRules(nodes, map[*ruleNode]bool{})
		if len(nodes.withoutUnused(used, nil).Properties) < len(s.Properties) {
			smaller++
		}
		for range 5 {
			object, _ := c.value(&props).(map[string]any)
			old, _ := c.value(&props).(map[string]any)
			if object == nil {
				continue
			}
			validate := func(v *cel.Validator) (out []string) {
				var before any
				var options []cel.Option
				if old != nil {
					before = old
					options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: s})))
				}
				errs, _ := v.Validate(t.Context(), nil, s, object, before, celconfig.RuntimeCELCostBudget, options...)
				for _, e := range errs {
					out = append(out, typeName.ReplaceAllString(e.Error(), "selfType"))
				}
				slices.Sort(out)
				return out
			}
			a, b := validate(want), validate(got.forObject(object))
			if len(a) > 0 {
				failing++
			}
			if !slices.Equal(a, b) {
				text, _ := json.Marshal(props)
				t.Fatalf("seed %d:\n%s\n%v %v\ngot  %q\nwant %q", seed, text, object, old, b, a)
			}
		}
	}
	if failing < *crds/5 || smaller < *crds/10 {
		t.Errorf("%d objects break rules, and %d schemas were reduced", failing, smaller)
	}
}

// TestRuleFieldPaths compares the fields that errors of rules name, for names of properties that
// no rule mentions.
func TestRuleFieldPaths(t *testing.T) {
	for _, c := range []struct{ name, path string }{
		{"plain", ".plain"}, {"plain", "['plain']"}, {"x.y", "['x.y']"}, {"x/y", "['x/y']"}, {"x y", "['x y']"}, {"x-y", "['x-y']"}, {"x-y", ".x-y"},
		{"it's", `['it\'s']`}, {`a\b`, `['a\\b']`}, {"for", ".for"}, {"x_y", "['x_y']"}, {"über", ".über"},
	} {
		for _, below := range []string{"", ".z", "['z.z']"} {
			inner := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"z": {Type: "string"}, "z.z": {Type: "string"}}}
			props := apiextensionsv1.JSONSchemaProps{
				Type:         "object",
				Properties:   map[string]apiextensionsv1.JSONSchemaProps{c.name: inner, "l": {Type: "string"}},
				XValidations: []apiextensionsv1.ValidationRule{{Rule: "self.l != 'a'", FieldPath: c.path + below}},
			}
			s, err := structuralOf(&props)
			if err != nil {
				t.Fatal(err)
			}
			field := func(v *cel.Validator) string {
				errs, _ := v.Validate(t.Context(), nil, s, map[string]any{"l": "a"}, nil, celconfig.RuntimeCELCostBudget)
				return errs[0].Field
			}
			want := field(cel.NewValidator(s, true, celconfig.PerCallLimit))
			if got := field(newRuleValidator(ruleNodeOf(s)).forObject(map[string]any{"l": "a"})); got != want {
				t.Errorf("%s: the error is about %q, want %q", c.path+below, got, want)
			}
		}
	}
}

// TestRulesOfObject checks that rules are compiled once, and only for objects with a value for them.
func TestRulesOfObject(t *testing.T) {
	ruled := apiextensionsv1.JSONSchemaProps{Type: "string", XValidations: []apiextensionsv1.ValidationRule{{Rule: "self != ''"}}}
	s, err := structuralOf(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": ruled, "b": ruled}})
	if err != nil {
		t.Fatal(err)
	}
	rules := newRuleValidator(ruleNodeOf(s))
	if v := rules.forObject(map[string]any{"c": "x"}); v != nil {
		t.Errorf("got %v for an object without values", v)
	}
	for _, step := range []struct {
		object map[string]any
		places int
	}{{map[string]any{"a": "x"}, 1}, {map[string]any{"a": "y"}, 1}, {map[string]any{"b": "x"}, 2}, {map[string]any{"a": "x", "b": "x"}, 2}} {
		before := rules.validator
		v := rules.forObject(step.object)
		if len(v.Properties) != step.places {
			t.Errorf("%v: got rules of %d places, want %d", step.object, len(v.Properties), step.places)
		}
		if grown := before == nil || len(before.Properties) < step.places; !grown && v != before {
			t.Errorf("%v: rules are compiled again", step.object)
		}
	}
	added := cel.NewValidator(rules.root.withoutUnused(rules.used, &place{properties: map[string]*place{"a": {}, "b": {isNew: true}}}), true, celconfig.PerCallLimit)
	if len(added.Properties) != 1 {
		t.Errorf("got rules of %d places to add to one that is compiled, want 1", len(added.Properties))
	}
}
