package compare

import (
	"fmt"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
)

// TestRulesOfNewFields checks that a rule is safe if and only if it is true for objects without
// a field that no object could have had. TestAlwaysHolds of apiserver has more rules.
func TestRulesOfNewFields(t *testing.T) {
	yes := true
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	filled := &structural.Schema{Generic: structural.Generic{Type: "string", Default: &structural.JSON{Raw: []byte(`"a"`)}}}
	with := func(fields ...structural.Property) *structural.Schema {
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: fields}
	}
	a, b, c := structural.Property{Name: "a", Schema: text}, structural.Property{Name: "b", Schema: text}, structural.Property{Name: "b", Schema: filled}
	of := func(fields ...structural.Property) *structural.Schema {
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "sub", Schema: with(fields...)}},
			ValueValidation: &structural.ValueValidation{Required: []string{"sub"}}}
	}
	defaulted := func(s *structural.Schema) *structural.Schema {
		s.Properties[0].Schema.Default = &structural.JSON{Raw: []byte("{}")}
		return s
	}
	open := with(a)
	open.XPreserveUnknownFields = &yes
	for _, row := range []struct {
		old, new *structural.Schema
		rule     string
		want     Category
	}{
		{with(a), with(a, b), "!has(self.b) || self.a == 'x'", Safe},
		{with(a), with(a, b), "!has(self.b) || self.a == 'x' ? true : false", Safe},
		{with(a), with(a, b), "!has(self.b) || self.a == 'x' ? false : true", BreaksStored},
		{with(a), with(a, b), "!has(self.b) && (oldSelf.a == 'x' || !has(oldSelf.b))", Safe},
		{with(a), with(a, b), "!has(self.a) || self.b == 'x'", BreaksStored},
		{with(a), with(a, b), "has(self.b) || self.a == 'x'", BreaksStored},
		{with(a), with(a, c), "!has(self.b) || self.a == 'x'", BreaksStored},
		{open, with(a, b), "!has(self.b) || self.a == 'x'", BreaksStored},
		{with(a, b), with(a, b), "!has(self.b) || self.a == 'x'", BreaksStored},
		{of(a), of(a, b), "!has(self.sub.b)", Safe},
		{of(a), of(a, c), "!has(self.sub.b)", BreaksStored},
		{of(a), defaulted(of(a, b)), "!has(self.sub.b)", BreaksStored},
		{of(a), of(a, b), "!has(self.b.sub)", BreaksStored},
	} {
		row.new.XValidations = []structural.Rule{{Rule: row.rule}}
		d := &definition{ctx: t.Context(), target: newest(t), equal: equalNodes{}, ratchets: true}
		c := &comparer{definition: d, table: explanations()}
		c.rules(nodePair{old: normalized(row.old), new: normalized(row.new), field: ".spec", correlated: true})
		if len(d.changes) != 1 || d.changes[0].Category != row.want {
			t.Errorf("%s: %+v", row.rule, d.changes)
		}
	}
}

func TestCannotFail(t *testing.T) {
	for rule, want := range map[string]bool{
		"self != 'abc'":                          true,
		"self in ['a', 'b'] && self.size() > -1": true,
		`self.matches("^a+$") || !(self >= 5)`:   true,
		"self.split('-')[1] == 'a'":              false,
		"int(self) > 5":                          false,
		"self - 1 > 5":                           false,
		"self -1 > 5":                            false,
		"(self) -1 > 5":                          false,
		"self / 2 > 5":                           false,
		"self[0] == 'a'":                         false,
		"['a'] [1] == self":                      false,
		"url(self).getHost() == 'a'":             false,
		"'a'.matches(self)":                      false,
		"'a'.matches( self )":                    false,
		"self.matches( 'a' )":                    true,
		"self.sizes() > 1":                       false,
		`self == 'a\'b'`:                         false,
	} {
		if got := cannotFail(rule); got != want {
			t.Errorf("%s: %t", rule, got)
		}
	}
}

// TestMeaningOfRules changes rules of a string and of an object with two fields. The category of
// rules that hold for unchanged values is held against the server's code.
func TestMeaningOfRules(t *testing.T) {
	short := props{Type: "string", MaxLength: ptr.To(int64(9))}
	scalar := func(rules ...apiextensionsv1.ValidationRule) *apiextensionsv1.CustomResourceDefinition {
		s := short
		s.XValidations = rules
		return randomDefinition(props{Type: "object", Properties: map[string]props{"a": s}})
	}
	object := func(rules ...apiextensionsv1.ValidationRule) *apiextensionsv1.CustomResourceDefinition {
		inner := props{Type: "object", Properties: map[string]props{"a": short, "b": short}, XValidations: rules}
		return randomDefinition(props{Type: "object", Properties: map[string]props{"a": inner}})
	}
	set := func(rules ...apiextensionsv1.ValidationRule) *apiextensionsv1.CustomResourceDefinition {
		list := props{
			Type: "array", XListType: ptr.To("set"), MaxItems: ptr.To(int64(5)),
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &short}, XValidations: rules,
		}
		return randomDefinition(props{Type: "object", Properties: map[string]props{"a": list}})
	}
	type rule = apiextensionsv1.ValidationRule
	optional := func(text string) rule { return rule{Rule: text, OptionalOldSelf: ptr.To(true)} }
	texts := []any{"", "a", "b", "ab", "abc", "z", "ayz"}
	sets := []any{[]any{}, []any{"a", "b"}, []any{"b", "a"}}
	objects := []any{map[string]any{}, map[string]any{"a": "a"}, map[string]any{"a": "b", "b": "b"}, map[string]any{"b": "abc"}, map[string]any{"a": "x", "b": "a"}}
	for _, row := range []struct {
		definition func(...rule) *apiextensionsv1.CustomResourceDefinition
		old, new   []rule
		want       Category
		kinds      []Kind
	}{
		// The same condition.
		{scalar, []rule{{Rule: "self != 'a'"}}, []rule{{Rule: "self  !=\t 'a'"}}, Safe, []Kind{changekind.RuleMessageChanged}},
		{scalar, []rule{{Rule: "self != 'a'"}}, []rule{{Rule: `("a" != self)`}}, Safe, []Kind{changekind.RuleMessageChanged}},
		{scalar, []rule{{Rule: "self != 'a'"}}, []rule{{Rule: "!(self == 'a') // not a"}}, Safe, []Kind{changekind.RuleMessageChanged}},
		{scalar, []rule{{Rule: "self.size() > 1 || self == 'a'"}}, []rule{{Rule: "self == 'a' || 1 < self.size()"}}, Safe, []Kind{changekind.RuleMessageChanged}},
		{scalar, []rule{{Rule: "self.size() > 1"}}, []rule{{Rule: "size(self) > 1"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "!(self == 'a' || self == 'b')"}}, []rule{{Rule: "self != 'b' && self != 'a'"}}, Safe, []Kind{changekind.RuleMessageChanged}},
		{scalar, []rule{{Rule: "[self].all(x, x != 'a')"}}, []rule{{Rule: "[self].all(y, y != 'a')"}}, Safe, []Kind{changekind.RuleMessageChanged}},
		{scalar, []rule{{Rule: "self != 'a'"}}, []rule{{Rule: "self != 'A'"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self != ' a'"}}, []rule{{Rule: "self != '  a'"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self.startsWith('a')"}}, []rule{{Rule: "'a'.startsWith(self)"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{object, []rule{{Rule: "!has(self.a) || has(self.b)"}}, []rule{{Rule: "has(self.b)||!has( self.a )"}}, Safe, []Kind{changekind.RuleMessageChanged}},
		// A condition that follows from the old ones.
		{scalar, []rule{{Rule: "self != 'a' && self != 'b'"}}, []rule{{Rule: "self != 'a'"}, {Rule: "self != 'b'"}}, Safe, []Kind{changekind.RuleAdded, changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self != 'a'"}}, []rule{{Rule: "self == 'z' || self != 'a'"}}, Safe, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self == 'z' || self != 'a'"}}, []rule{{Rule: "self != 'a'"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self != 'a'"}}, []rule{{Rule: "self != 'a' && self != 'b'"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{object, []rule{{Rule: "has(self.a) != has(self.b)"}}, []rule{{Rule: "!(has(self.a) && has(self.b))"}}, Safe, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{object, []rule{{Rule: "!(has(self.a) && has(self.b))"}}, []rule{{Rule: "has(self.a) != has(self.b)"}}, BreaksStored, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{object, []rule{{Rule: "has(self.a) && (self.a == 'a' || self.a == 'b')"}}, []rule{{Rule: "self.a == 'a' || self.a != 'x'"}}, BreaksStored, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		// A rule about changes requires nothing of new objects.
		{scalar, []rule{{Rule: "self != 'a' && self.size() >= oldSelf.size()"}}, []rule{{Rule: "self != 'a'"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self != 'a'"}}, []rule{{Rule: "self != 'a' || self == oldSelf"}}, Safe, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self != 'a' && self == oldSelf"}}, []rule{{Rule: "self == oldSelf"}}, Safe, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		{scalar, []rule{{Rule: "self != 'oldSelf' && self == oldSelf"}}, []rule{{Rule: "self != 'oldSelf'"}}, BreaksClients, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		// A set is equal to a list in any order only if it is the first operand.
		{set, []rule{{Rule: "self == ['a', 'b']"}}, []rule{{Rule: "['a', 'b'] == self"}}, BreaksStored, []Kind{changekind.RuleAdded, changekind.RuleRemoved}},
		// Rules about changes.
		{scalar, nil, []rule{{Rule: "self == oldSelf"}}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{{Rule: "oldSelf==self && self.size() >= oldSelf.size()"}}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{{Rule: "self == oldSelf || self == 'z'"}}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{{Rule: "self != oldSelf"}}, BreaksStored, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{{Rule: "self.size() < oldSelf.size()"}}, BreaksStored, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{{Rule: "oldSelf == 'a' || self == 'z'"}}, BreaksStored, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{optional("oldSelf.hasValue() ? self == oldSelf.value() : true")}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{optional("!oldSelf.hasValue() || oldSelf.value() == self")}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{optional("oldSelf.orValue(self) == self")}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{optional("oldSelf.optMap(o, o == self).orValue(true)")}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{optional("oldSelf.hasValue() || self == 'a'")}, BreaksClients, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{optional("oldSelf.hasValue() ? self != oldSelf.value() : true")}, BreaksStored, []Kind{changekind.RuleAdded}},
		{scalar, nil, []rule{optional("oldSelf.hasValue() ? self == 'a' : true")}, BreaksStored, []Kind{changekind.RuleAdded}},
		{object, nil, []rule{{Rule: "self == oldSelf"}}, BreaksClients, []Kind{changekind.RuleAdded}},
		{object, nil, []rule{{Rule: "!has(oldSelf.a) || has(self.a)"}}, BreaksClients, []Kind{changekind.RuleAdded}},
		{object, nil, []rule{{Rule: "!has(oldSelf.a) || (has(self.a) && self.a == oldSelf.a)"}}, BreaksClients, []Kind{changekind.RuleAdded}},
		{object, nil, []rule{{Rule: "self.a == oldSelf.a"}}, BreaksStored, []Kind{changekind.RuleAdded}},
		{object, nil, []rule{{Rule: "self == oldSelf || self.b == 'a'"}}, BreaksStored, []Kind{changekind.RuleAdded}},
		{object, nil, []rule{optional("!oldSelf.hasValue() || self == oldSelf.value()")}, BreaksClients, []Kind{changekind.RuleAdded}},
	} {
		old, new := row.definition(row.old...), row.definition(row.new...)
		changes, err := Definitions(t.Context(), newest(t), []*crd.Definition{subject(old)}, []*crd.Definition{subject(new)})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []Kind
		got := Safe
		for _, c := range changes {
			got = max(got, c.Category)
			kinds = append(kinds, c.Kind)
		}
		name := fmt.Sprintf("%v to %v", textsOf(row.old), textsOf(row.new))
		if got != row.want || !slices.Equal(kinds, row.kinds) {
			t.Errorf("%s: %s %q, want %s %q: %+v", name, got, kinds, row.want, row.kinds, changes)
		}
		before, err := apiserver.NewKind(old, "v1")
		if err != nil {
			t.Fatal(err)
		}
		after, err := apiserver.NewKind(new, "v1")
		if err != nil {
			t.Fatal(err)
		}
		values := map[string][]any{"string": texts, "object": objects, "array": sets}[old.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["a"].Type]
		for _, value := range values {
			stored := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"a": value}}
			if effect := effect(t, before, after, stored); effect > got {
				t.Errorf("%s: %s, but with the server's code, %v %s", name, got, value, effect)
			}
		}
	}
}

func textsOf(rules []apiextensionsv1.ValidationRule) (out []string) {
	for _, r := range rules {
		out = append(out, r.Rule)
	}
	return out
}
