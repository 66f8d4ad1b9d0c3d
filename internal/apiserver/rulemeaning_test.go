package apiserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/test/serverrules"
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
		{"!(self.a == self.b)", "self.a != self.b", false}, // if they are sets of objects, only the first one fails
		{"self.s == [['a']]", "[['a']] == self.s", false}, {"!(self.s == ['a'])", "self.s != ['a']", true},
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

// TestComparesValues checks which rules may compare values that contain a field of an object x.
func TestComparesValues(t *testing.T) {
	for rule, want := range map[string]bool{
		"self == oldSelf":                              true,
		"self != oldSelf":                              true,
		"self.x == oldSelf.x":                          true,
		"self.my__dash__x == oldSelf.my__dash__x":      true,
		"self.l[0] == self.l[1]":                       true,
		"self.l.all(a, a in oldSelf.l)":                true,
		"self.l.indexOf(self.x) == 0":                  true,
		"self.y == oldSelf.y":                          false,
		"self.x.y == oldSelf.x.y":                      false,
		"self.x == 'a'":                                false,
		"size(self.l) == size(oldSelf.l)":              false,
		"has(self.x) == has(oldSelf.x)":                false,
		"self.text.indexOf('a') == 0":                  false,
		"[self.y] == [oldSelf.y]":                      false,
		"[self.x] == [oldSelf.x]":                      true,
		"self.y > oldSelf.y && self.x.startsWith('a')": false,
		"self =": true, // not an expression
	} {
		if got := ComparesValues(rule, []string{"x", "my-x"}); got != want {
			t.Errorf("%s: %t", rule, got)
		}
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
		evaluate := serverrules.Of(t, schema, false, serverrules.Texts(rules...)...)
		for range 400 {
			object := randomObject(r)
			if len(validation.ValidateCustomResource(nil, object, validator)) > 0 {
				continue
			}
			evaluated++
			outcomes := evaluate(object, nil)
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

// listSchema has lists of each type, whose values listRule compares.
const listSchema = `
type: object
required: [l, s, t, k, o, m, i, n]
properties:
  l: {type: array, items: {type: string}}
  s: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  t: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  k: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, properties: {a: {type: string}, b: {type: string}}}}
  o: {type: array, x-kubernetes-list-type: set, items: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}}
  m: {type: object, additionalProperties: {type: array, x-kubernetes-list-type: set, items: {type: string}}}
  i: {x-kubernetes-int-or-string: true}
  n: {type: number}
`

// listRule returns a random rule. It is often another spelling of one that was returned before.
func listRule(r *rand.Rand, depth int) string {
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	equality := func(a, b string) string {
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		return pick("", "", "!") + "(" + a + pick(" == ", " != ") + b + ")"
	}
	if depth > 0 {
		a, b := listRule(r, depth-1), listRule(r, depth-1)
		switch r.IntN(4) {
		case 0:
			return pick("", "!") + "(" + a + pick(" && ", " || ") + b + ")"
		case 1:
			v := pick("x", "y", "oldSelf")
			return pick("self.l", "self.s", "['a', 'b']") + pick(".all(", ".exists(") + v + ", " + equality(v, pick("'a'", "x", v, "self.i")) + ")"
		}
	}
	texts := []string{"self.l", "self.s", "self.t", "['a', 'b']", "['b', 'a']", "['a']", "[]", "self.l.map(x, x)", "self.s.filter(y, y == 'a')", "self.m['a']", "(self.t + ['a'])"}
	switch r.IntN(6) {
	case 0:
		return equality(pick("self.i", "size(self.l)", "1", "dyn(self.l)"), pick("1", "self.i", "self.s.size()", "size(self.m)", "dyn(self.s)"))
	case 1:
		return equality(pick("{'a': self.s}", "self.m", "{'a': ['a', 'b']}", "{}"), pick("{'a': self.l}", "self.m", "{'a': ['b', 'a']}"))
	case 2:
		return equality(pick("[self.s, 1]", "[[self.s], self.l]", "[self.k]")+pick("", "[0]"), pick("self.s", "self.l", "1", "self.k", "[self.l, 1]", "[self.t]"))
	case 4:
		return equality(pick("self.o", "[['a']]", "[['a'], ['b']]"), pick("self.o", "[['a']]", "[self.l]"))
	case 3:
		return pick("self.n < 1.0", "1.0 > self.n", "!(self.n >= 1.0)", "self.n / 0.0 == self.n / 0.0", "1 < self.i", "self.i > 1", "'a' in self.s", "!!('a' in self.s)")
	}
	return equality(pick(texts...), pick(texts...))
}

// listObject returns a random object of listSchema.
func listObject(r *rand.Rand) map[string]any {
	lists := [][]any{{}, {"a"}, {"b"}, {"a", "b"}, {"b", "a"}}
	list := func(n int) []any {
		return slices.Clone(append(lists, []any{"a", "a"}, []any{"b", "a", "b"})[r.IntN(n)])
	}
	items := []any{map[string]any{"a": "a"}, map[string]any{"a": "b", "b": "x"}}
	return map[string]any{
		"l": list(7), "s": list(5), "t": list(5),
		"k": [][]any{{}, items, {items[1], items[0]}, items[:1]}[r.IntN(4)],
		"o": [][]any{{}, {list(7)}, {[]any{"a"}, []any{"b"}}}[r.IntN(3)],
		"m": []map[string]any{{}, {"a": list(5)}, {"a": list(5), "b": list(5)}}[r.IntN(3)],
		"i": []any{int64(1), int64(2), "a", "1"}[r.IntN(4)],
		"n": []any{0.0, 0.5, 1.0}[r.IntN(3)],
	}
}

// TestConditionsOfLists checks that rules with the same conditions have the same result on the
// server for random lists of each type.
func TestConditionsOfLists(t *testing.T) {
	var schema apiextensionsv1.JSONSchemaProps
	if err := yaml.Unmarshal([]byte(listSchema), &schema); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(35, 4))
	byConditions := map[string][]string{}
	var keys []string
	for range 6000 {
		rule := listRule(r, r.IntN(3))
		key := fmt.Sprintf("%q", Conditions(rule))
		if byConditions[key] == nil {
			keys = append(keys, key)
		}
		if !slices.Contains(byConditions[key], rule) {
			byConditions[key] = append(byConditions[key], rule)
		}
	}
	var objects []map[string]any
	for range 60 {
		objects = append(objects, listObject(r))
	}
	spellings, results := 0, map[string]int{}
	for _, key := range keys {
		rules := byConditions[key]
		if len(rules) == 1 {
			continue
		}
		spellings += len(rules)
		var first []string
		for _, rule := range rules {
			got := listResults(t, &schema, rule, objects)
			if first == nil {
				first = got
			}
			for i, result := range got {
				results[result]++
				if result != first[i] {
					text, _ := json.Marshal(objects[i])
					t.Fatalf("%s: %s, but %s: %s for %s", rules[0], first[i], rule, result, text)
				}
			}
		}
	}
	t.Logf("%d conditions, %d rules with the conditions of another, %v", len(keys), spellings, results)
	if spellings < 400 || len(results) != 4 {
		t.Errorf("too few rules with the conditions of another: %d, %v", spellings, results)
	}
}

// listResults returns what the server's code does with a rule for each object.
func listResults(t *testing.T, schema *apiextensionsv1.JSONSchemaProps, rule string, objects []map[string]any) []string {
	t.Helper()
	evaluate := serverrules.Of(t, schema, false, serverrules.Texts(rule)...)
	var out []string
	for _, object := range objects {
		switch outcome := evaluate(object, nil)[0]; {
		case strings.HasPrefix(outcome.Failure, "rule compile error"):
			out = append(out, "does not compile")
		case outcome.Failure != "":
			out = append(out, "fails")
		case outcome.Rejected:
			out = append(out, "rejects")
		default:
			out = append(out, "accepts")
		}
	}
	return out
}
