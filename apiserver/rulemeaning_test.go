package apiserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

	"github.com/schemagen/schemagen/structural"
)

// TestConditions checks the normal form of rules.
func TestConditions(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"self.a==1", " ( 1 == self.a ) // one", true},
		{"self.a < self.b", "self.b > self.a", true},
		{"self.a < self.b", "self.a > self.b", false},
		{"self.a <= 1", "1 >= self.a", true},
		{"!(self.a != 1)", "self.a == 1", true},
		{"!(self.a < 1)", "self.a >= 1", false}, // not if one cannot be compared
		{"a && (b && c)", "(c && a) && b && a", true},
		{"a || b && c", "c && b || a", true},
		{"a || b && c", "(a || b) && c", false},
		{"!(a && b)", "!b || !a", true},
		{"!(a || !b)", "b && !a", true},
		{"a ? b : c", "a ? c : b", false},
		{"a ? b : true", "!a || b", false}, // not if a fails
		{"self.l.all(x, x > 1)", "self.l.all(y, 1 < y)", true},
		{"self.l.all(x, self.m.all(y, x == y))", "self.l.all(a, self.m.all(b, a == b))", true},
		{"self.l.all(x, self.m.all(y, x == y))", "self.l.all(a, self.m.all(b, b == a))", false}, // not if x may be a set
		{"self.l.all(x, self.m.all(y, x.k == y.v))", "self.l.all(x, self.m.all(y, x.v == y.k))", false},
		{"self.l.all(x, x > 1)", "self.l.exists(x, x > 1)", false},
		{"self.l.all(x, x > y)", "self.l.all(y, y > y)", false},
		{"self.a == '1'", "self.a == 1", false}, {"self.a == 1u", "self.a == 1", false}, {"self.a == 1.0", "self.a == 1", false},
		{"self.a == 'a  b'", "self.a == 'a b'", false}, {"self.a == r'\\d'", `self.a == "\\d"`, true},
		{"has(self.a.b)", "has( self.a.b )", true}, {"has(self.a)", "self.a", false},
		// Sets are equal to lists in any order only if they are the first operand.
		{"self.s == ['a', 'b']", "['a', 'b'] == self.s", false}, {"self.s != self.l", "self.l != self.s", false},
		{"self.s == self.l.map(x, x)", "self.l.map(x, x) == self.s", false}, {"{'a': self.s} == self.m", "self.m == {'a': self.s}", false},
		{"[self.s, 1].all(x, x == 1)", "[self.s, 1].all(x, 1 == x)", false}, {"dyn(self.s) == 1", "1 == dyn(self.s)", false},
		{"self.s == oldSelf.s", "oldSelf.s == self.s", true}, {"self == oldSelf", "oldSelf == self", true},
		{"size(self.s) == self.i", "self.i == size(self.s)", true}, {"has(self.a) == has(self.b)", "has(self.b) == has(self.a)", true},
		{"self.i + 1 == self.j * 2", "self.j * 2 == self.i + 1", true},
		{"self.s == []", "[] == self.s", true}, {"self.s == ['a']", "['a'] == self.s", true},
		{"self.s == [self.l]", "[self.l] == self.s", false}, {"self.l.filter(x, x == 1) == []", "[] == self.l.filter(x, 1 == x)", true},
		// Only the first one applies to updates alone.
		{"self.l.all(oldSelf, oldSelf > 1)", "self.l.all(x, x > 1)", false},
		{"self.l.all(oldSelf, oldSelf > 1)", "self.l.all(x, oldSelf > 1)", false},
		{"self.f(a, b)", "self.f(b, a)", false}, {"f(self, a)", "self.f(a)", false},
		{"self.?a.orValue(1) == 2", "2 == self.?a.orValue(1)", true}, {"self.?a == b", "self.a == b", false},
		{"self in [1, 2]", "self in [2, 1]", false}, {"[?a] == b", "[a] == b", false},
		{"{'a': 1} == self", "self == {'a':1}", true}, {"{?'a': b} == self", "{'a': b} == self", false},
	} {
		a, b := fmt.Sprintf("%q", Conditions(row.a)), fmt.Sprintf("%q", Conditions(row.b))
		if (a == b) != row.same || a == "[]" || b == "[]" {
			t.Errorf("%s is %s, and %s is %s", row.a, a, row.b, b)
		}
	}
	if got := Conditions("self ="); got != nil {
		t.Errorf("not an expression: %q", got)
	}
}

// TestHoldsUnchanged checks rules about changes for a string, or an integer.
func TestHoldsUnchanged(t *testing.T) {
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	whole := &structural.Schema{Generic: structural.Generic{Type: "integer"}}
	object := &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "a", Schema: text}}}
	optional := func(s string) structural.Rule { return structural.Rule{Rule: s, OptionalOldSelf: new(true)} }
	for _, row := range []struct {
		schema *structural.Schema
		rule   structural.Rule
		want   bool
		// compares is the result of ComparesOnly.
		compares bool
	}{
		{text, structural.Rule{Rule: "self == oldSelf"}, true, true},
		{text, structural.Rule{Rule: "self + 'a' == oldSelf + 'a'"}, false, true}, // it may fail
		{text, structural.Rule{Rule: "self.matches(oldSelf)"}, false, false},
		{whole, structural.Rule{Rule: "self >= oldSelf"}, true, true},
		{whole, structural.Rule{Rule: "self > oldSelf"}, false, false},
		{whole, structural.Rule{Rule: "oldSelf <= self && (self == oldSelf || self > 5)"}, true, false},
		{whole, structural.Rule{Rule: "[1].all(self, self == oldSelf)"}, false, false},
		{object, structural.Rule{Rule: "self.a == oldSelf.a"}, false, true},
		{object, structural.Rule{Rule: "has(self.a) == has(oldSelf.a)"}, true, true},
		{object, structural.Rule{Rule: "!has(self.a) || !has(oldSelf.a) || self.a == oldSelf.a"}, true, true},
		{text, optional("!oldSelf.hasValue() || self == oldSelf.value()"), true, true},
		{text, optional("oldSelf.optMap(o, o == self).orValue(true)"), true, false},
		{text, optional("oldSelf.optMap(o, [1].all(o, o == self)).orValue(true)"), false, false},
		{text, optional("oldSelf.orValue('a') == self"), true, true},
		{text, optional("self.startsWith('a')"), false, false},
	} {
		if got := target(t, DefaultVersion).HoldsUnchanged(row.rule, row.schema); got != row.want {
			t.Errorf("%s holds: %t", row.rule.Rule, got)
		}
		if got := ComparesOnly(row.rule); got != row.compares {
			t.Errorf("%s only compares: %t", row.rule.Rule, got)
		}
	}
}

// TestRuleMeaningMatchesServer checks on random objects that the server has the same result for
// rules with the same conditions, and that rules that are said to hold for unchanged values do.
func TestRuleMeaningMatchesServer(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 24))
	pairs, unchangedRules, evaluated := 0, 0, 0
	for range 6 {
		schema := randomBounds(r)
		s, _ := structural.FromProps(schema)
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&internal)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for range 60 {
			a, b := randomRule(r, r.IntN(3)), randomRule(r, r.IntN(2))
			equal := [][2]string{
				{"(" + a + " && " + b + ")", b + "\t&&" + a}, {"(" + a + " || " + b + ")", "(" + b + ") || " + a},
				{"!(" + a + " && " + b + ")", "!" + b + " || !(" + a + ")"}, {"!(" + a + " || " + b + ")", "!" + b + " && !" + a},
				{"!!(" + a + ")", a}, {"self.l.all(x, " + a + ")", "self.l.all(y, " + strings.ReplaceAll(a, "x, x", "y, y") + ")"},
			}[r.IntN(6)]
			if fmt.Sprint(Conditions(equal[0])) == fmt.Sprint(Conditions(equal[1])) {
				rules = append(rules, equal[0], equal[1])
			}
		}
		pairs += len(rules) / 2
		first := len(rules)
		for range 200 {
			rule := randomRule(r, 1+r.IntN(3))
			if r.IntN(2) == 0 {
				rule = "!has(self.j) || " + rule + " || self.j >= oldSelf.j"
			}
			if target(t, DefaultVersion).HoldsUnchanged(structural.Rule{Rule: strings.Replace(rule, "self.i", "oldSelf.i", 1)}, s) {
				rules = append(rules, strings.ReplaceAll(rule, "oldSelf", "self"))
			}
		}
		unchangedRules += len(rules) - first
		evaluate, err := NewEvaluator(schema, rules)
		if err != nil {
			t.Fatal(err)
		}
		for range 400 {
			object := randomObject(r)
			if len(validation.ValidateCustomResource(nil, object, validator)) > 0 {
				continue
			}
			evaluated++
			outcomes := evaluate(object)
			text, _ := json.Marshal(object)
			for i := 0; i < first; i += 2 {
				if a, b := outcomes[i], outcomes[i+1]; a.Rejected != b.Rejected || (a.Failure == "") != (b.Failure == "") {
					t.Fatalf("%s and %s differ for %s: %+v %+v", rules[i], rules[i+1], text, a, b)
				}
			}
			for i := first; i < len(rules); i++ {
				if outcomes[i].Rejected || outcomes[i].Failure != "" {
					t.Fatalf("%s does not hold for %s: %+v", rules[i], text, outcomes[i])
				}
			}
		}
	}
	t.Logf("%d pairs, %d rules about changes, %d objects", pairs, unchangedRules, evaluated)
	if pairs < 300 || unchangedRules < 150 || evaluated < 50 {
		t.Errorf("too few: %d pairs, %d rules about changes, %d objects", pairs, unchangedRules, evaluated)
	}
}
