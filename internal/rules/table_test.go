package rules

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/test/serverrules"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// TestCompareRatchets compares a rule with one that also lets updates keep what it refuses.
func TestCompareRatchets(t *testing.T) {
	s := schemaOf(t, "{type: object, properties: {a: {type: object}, b: {type: object}, c: {type: object}}}")
	plain := rulesOf("!has(self.a) || has(self.b)")
	ratcheting := func(text string) []Condition {
		return []Condition{{Rule: structural.Rule{Rule: text, OptionalOldSelf: new(true)}}}
	}
	ratchet := ratcheting(plain[0].Rule.Rule + " || oldSelf.hasValue() && has(oldSelf.value().a) && !has(oldSelf.value().b)")
	if !CompareAnswers(s, plain, ratchet).Same {
		t.Error("the rule is not replaced")
	}
	for _, old := range [][]Condition{ratchet, rulesOf("has(self.a) == has(self.b)")} {
		if CompareAnswers(s, old, rulesOf(ratchet[0].Rule.Rule)).Same || CompareAnswers(s, old, plain).Same {
			t.Errorf("%v: the answers are the same", old)
		}
	}
	if !CompareAnswers(s, ratchet, ratchet).Same {
		t.Error("the rule differs from itself")
	}
	for _, exception := range []string{
		"true",
		"has(oldSelf.value().a)",
		"has(oldSelf.value().a) && !has(self.b)",
		"has(oldSelf.value().a) && !has(oldSelf.value().b) || has(self.c)",
		"(!has(oldSelf.value().a) || has(oldSelf.value().b)) ? false : true",
	} {
		if CompareAnswers(s, plain, ratcheting(plain[0].Rule.Rule+" || oldSelf.hasValue() && "+exception)).Same {
			t.Errorf("%s: the answers are the same", exception)
		}
	}
}

// TestCompareAnswers compares rules that are written differently.
func TestCompareAnswers(t *testing.T) {
	const schema = `
type: object
required: [kind, low, high, top]
properties:
  kind: {type: string, enum: [Helm, None, Other]}
  low: {type: integer, minimum: 1}
  high: {type: integer}
  top: {type: integer, maximum: 9}
  name: {type: string, maxLength: 5}
  odd: {type: string, pattern: "^a+$"}
  count: {type: integer, minimum: 1}
  open: {type: boolean}
  label: {type: string, nullable: true}
  a: {type: object, properties: {x: {type: string}}}
  b: {type: object, properties: {x: {type: string}}}
  c: {type: object}
  keys: {type: array, items: {type: string}, x-kubernetes-list-type: set, maxItems: 3}
  l: {type: array, items: {type: string}, maxItems: 2}
`
	for _, c := range []struct {
		a, b []string
		same bool
	}{
		{[]string{"(has(self.a)?1:0)+(has(self.b)?1:0) == 1"}, []string{"[has(self.a),has(self.b)].filter(x,x==true).size() == 1"}, true},
		{[]string{"has(self.a) != has(self.b)"}, []string{"has(self.a) || has(self.b)", "!(has(self.a) && has(self.b))"}, true},
		{[]string{"has(self.a) != has(self.b) != has(self.c)"}, []string{"[has(self.a),has(self.b),has(self.c)].exists_one(x, x)"}, false},
		{[]string{"self.kind == 'Helm' ? has(self.a) : !has(self.a)"}, []string{"(self.kind == 'Helm') == has(self.a)"}, true},
		{[]string{"self.kind == 'Helm' ? has(self.a) : !has(self.a)"}, []string{"self.kind != 'Helm' || has(self.a)"}, false},
		{[]string{"self.kind in ['None', 'Other']"}, []string{"self.kind != 'Helm'"}, true},
		{[]string{"self.kind.startsWith('N')"}, []string{"self.kind == 'None'"}, true},
		{[]string{"has(self.name) && self.name.size() > 0"}, []string{"self.?name.orValue('') != ''"}, true},
		{[]string{"!has(self.name) || self.name != 'x'"}, []string{"self.?name.orValue('y') != 'x'"}, true},
		{[]string{"!has(self.name) || self.name.size() < 6"}, []string{"true || has(self.name)"}, true},
		{[]string{"!has(self.name) || size(self.name) < 5"}, []string{"true || has(self.name)"}, false},
		{[]string{"!has(self.count) || self.count > 0"}, []string{"true || has(self.count)"}, true},
		{[]string{"!has(self.count) || self.count > 3"}, []string{"!has(self.count) || self.count >= 4"}, true},
		{[]string{"!has(self.count) || self.count > 3"}, []string{"!has(self.count) || self.count >= 5"}, false},
		{[]string{"self.?open.orValue(false)"}, []string{"has(self.open) && self.open"}, true},
		{[]string{"self.open"}, []string{"has(self.open) && self.open"}, true}, // it fails without it
		{[]string{"!has(self.open) || self.open"}, []string{"self.open"}, false},
		{[]string{"!has(self.l) || size(self.l) <= 2"}, []string{"true || has(self.l)"}, true},
		{[]string{"has(self.l) && self.l.size() > 0"}, []string{"self.?l.orValue([]) != []"}, true},
		{[]string{"!has(self.a) || has(self.a.x)"}, []string{"!self.?a.hasValue() || self.?a.?x.hasValue()"}, true},
		{[]string{"has(self.a)", "oldSelf == self"}, []string{"self.?a.hasValue()", "oldSelf == self"}, true},
		{[]string{"!has(self.odd) || self.odd != 'x'"}, []string{"true || has(self.odd)"}, true},
		{[]string{"!has(self.odd) || self.odd != 'aa'"}, []string{"true || has(self.odd)"}, false},
		{[]string{"has(self.keys) && size(self.keys) > 0"}, []string{"self.?keys.orValue([]) != []"}, true},
		{[]string{"has(self.label)"}, []string{"self.?label.hasValue()"}, true},
		{[]string{"self.low <= self.high"}, []string{"!(self.high < self.low)"}, true},
		{[]string{"self.low <= self.high"}, []string{"self.low < self.high"}, false},
		{[]string{"self.low < self.high && self.high < self.top"}, []string{"self.low < self.high && self.high < self.top && self.low + 1 < self.top"}, false},
		{[]string{"self.low < self.high && self.high < self.top"}, []string{"self.low < self.high && self.high < self.top && self.low < self.top"}, true},
		{[]string{"self.low <= self.high && self.low >= 3"}, []string{"self.low <= self.high && self.low >= 3 && self.high >= 3"}, true},
		{[]string{"self.low <= self.high && self.low >= 3"}, []string{"self.low <= self.high && self.low >= 3 && self.high >= 4"}, false},
		{[]string{"self.top >= (has(self.count) ? self.count : 1)"}, []string{"has(self.count) ? self.top >= self.count : self.top >= 1"}, true},
		{[]string{"self.top >= (has(self.count) ? self.count : 2)"}, []string{"has(self.count) ? self.top >= self.count : self.top >= 1"}, false},
		{[]string{"self.top >= self.?count.orValue(1)"}, []string{"has(self.count) ? self.top >= self.count : self.top >= 1"}, true},
		{[]string{"self != null && has(self.a)"}, []string{"has(self.a)"}, true},
		{[]string{"{'Helm': 1, 'None': 2, 'Other': 3}[self.kind] > 1"}, []string{"self.kind != 'Helm'"}, true},
		// These cannot be read exactly.
		{[]string{"has(self.name) && self.name.startsWith('x')"}, []string{"has(self.name) && self.name.startsWith('x') && true"}, false},
		{[]string{"has(self.a) && oldSelf == self"}, []string{"oldSelf == self && has(self.a)"}, false},
		{[]string{"has(self.a) && has(self.count) && self.count > 1"}, []string{"has(self.a) && self.count > 1"}, false},
		{[]string{"has(self.a) && self.count > 1"}, []string{"has(self.a) && has(self.count) && self.count > 1"}, true},
		{[]string{"has(self.l) && self.l.all(x, x != '')"}, []string{"has(self.l) && !self.l.exists(x, x == '')"}, false},
	} {
		s := schemaOf(t, schema)
		if got := CompareAnswers(s, rulesOf(c.a...), rulesOf(c.b...)); got.Same != c.same {
			t.Errorf("%q and %q: %v, want %t", c.a, c.b, got, c.same)
		}
		for _, list := range [][]string{c.a, c.b} {
			for _, outcome := range serverOf(t, s, rulesOf(list...))(map[string]any{}) {
				if strings.Contains(outcome.Failure, "compilation failed") {
					t.Errorf("%q: %v", list, outcome.Failure)
				}
			}
		}
	}
}

// serverOf returns a function that evaluates conditions with the whole of the server's code.
func serverOf(t *testing.T, s *structural.Schema, conditions []Condition) func(object map[string]any) []unions.Outcome {
	t.Helper()
	evaluators := make([]func(object map[string]any) unions.Outcome, len(conditions))
	for i, c := range conditions {
		if c.Junctor == nil {
			evaluate := serverrules.Of(t, s.Props(), false, c.Rule)
			evaluators[i] = func(object map[string]any) unions.Outcome { return evaluate(object, nil)[0] }
			continue
		}
		check, err := apiserver.NewValueCheck(c.schema().Props())
		if err != nil {
			t.Fatal(err)
		}
		evaluators[i] = func(object map[string]any) unions.Outcome { return unions.Outcome{Rejected: !check(object)} }
	}
	return func(object map[string]any) (out []unions.Outcome) {
		for _, evaluate := range evaluators {
			out = append(out, evaluate(object))
		}
		return out
	}
}

// TestTableOfBadRule wants no table of a rule that the server's compiler refuses.
func TestTableOfBadRule(t *testing.T) {
	s := schemaOf(t, "{type: object, properties: {a: {type: string}, b: {type: string, nullable: true}}}")
	if newTable(s, rulesOf("has(self.a)", "!has(self.b) || self.b != 'x'")) == nil {
		t.Error("there is no table of good rules")
	}
	if table := newTable(s, rulesOf("has(self.a)", "!has(self.b) || self.b != null")); table != nil {
		t.Errorf("a string that is compared with null has the table %v", table.rows)
	}
}

func rulesOf(texts ...string) []Condition {
	var out []Condition
	for _, text := range texts {
		out = append(out, Condition{Rule: structural.Rule{Rule: text}})
	}
	return out
}

// isLike reports whether an object belongs to a row of a table: the same fields are present, with the same
// answers to the comparisons of [author.randomRule].
func (t *Table) isLike(r row, object map[string]any) bool {
	example := t.object(r)
	return t.isAlike(t.self.children, object, example) && (!t.isCompared("count") || order(object) == order(example))
}

func (t *Table) isAlike(parts []*part, object, example map[string]any) bool {
	for _, p := range parts {
		value, ok := object[p.step]
		other, isSet := example[p.step]
		if ok != isSet || (value == nil) != (other == nil) {
			return false
		}
		if below, isObject := value.(map[string]any); isObject && len(p.children) > 0 {
			if !t.isAlike(p.children, below, other.(map[string]any)) {
				return false
			}
		} else if u := t.uses[p]; ok && u.readsValue() && !u.isAlike(value, other) {
			return false
		}
	}
	return true
}

func (t *Table) isCompared(name string) bool {
	column := t.self.child(name)
	return column != nil && len(t.uses[column].peers) > 0
}

// order returns the order of two integers of an object, if it has both.
func order(object map[string]any) int {
	a, hasA := object["count"].(int64)
	b, hasB := object["d"].(int64)
	if !hasA || !hasB {
		return 2
	}
	return cmp.Compare(a, b)
}

// isAlike reports whether values are equal, or strings that no rule names, or in the same order with the
// only number that rules name.
func (u *use) isAlike(a, b any) bool {
	switch a := a.(type) {
	case int64:
		isNamed := slices.ContainsFunc(append(u.peers, u), func(u *use) bool { return slices.Contains(u.numbers, 1) })
		return !isNamed || cmp.Compare(a, 1) == cmp.Compare(b.(int64), 1)
	case string:
		text, ok := b.(string)
		named := append(slices.Clone(u.texts), "")
		return ok && (a == text || !slices.Contains(named, a) && !slices.Contains(named, text))
	}
	return a == b
}

// tableSchema has a field of each sort, of which as many as possible occur in conditions.
const tableSchema = `
type: object
required: [r]
properties:
  r: {type: string, maxLength: 3}
  d: {type: integer, default: 1}
  a: {type: string, maxLength: 3}
  b: {type: string, maxLength: 3}
  count: {type: integer}
  open: {type: boolean}
  o:
    type: object
    required: [r]
    properties:
      r: {type: integer}
      a: {type: string, maxLength: 3}
  l:
    type: array
    maxItems: 3
    items:
      type: object
      required: [r]
      properties:
        r: {type: string, maxLength: 3}
        a: {type: string, maxLength: 3}
  m: {type: object, maxProperties: 3, additionalProperties: {type: string, maxLength: 3}}
  maybe: {type: string, nullable: true, maxLength: 3}
`

// randomRule returns a rule about the scalars of [tableSchema], and the presence of the others.
func (r *author) randomRule(depth int) string {
	if depth == 0 {
		return r.one("has(self.a)", "has(self.b)", "has(self.o)", "has(self.l)", "has(self.open)", "self.?open.orValue(false)", "self.open", "self.count > 1",
			"self.?count.orValue(0) > 1", "self.d <= 1", "self.a == 'x'", "self.r != 'x'", "self.r in ['x', '']", "self.?b.orValue('x') == 'x'", "self.a.size() > 0",
			"(has(self.o) ? 1 : 0) + (has(self.l) ? 1 : 0) + (has(self.b) ? 1 : 0) "+r.one("<= 1", "== 2", "!= 0"), "[has(self.o), has(self.a), has(self.l)].exists_one(v, v)",
			"has(self.maybe)", "self.maybe == 'x'", "self.maybe in ['', 'y']", "self.count <= self.d", "has(self.o.a)", "self.o.a == 'x'", "self.o.r > 1", "self.d == (has(self.count) ? self.count : 1)")
	}
	a := r.randomRule(depth - 1)
	b := r.randomRule(depth - 1)
	return r.one("("+a+" && "+b+")", "("+a+" || "+b+")", "!("+a+")", "("+a+" ? "+b+" : "+r.randomRule(0)+")", "["+a+", "+b+"].exists_one(v, v)")
}

// randomJunctor returns a logical junctor about the same, in YAML.
func (r *author) randomJunctor(depth int) string {
	if depth == 0 {
		return r.one("required: [a]", "required: [b, o]", "required: [open], properties: {open: {enum: [true]}}", "properties: {r: {enum: ['', x]}}",
			"properties: {a: {minLength: 1}}", "required: [count], properties: {count: {maximum: 1}}", "properties: {count: {maximum: 1, exclusiveMaximum: true}}", "required: [maybe]", "properties: {maybe: {enum: [x]}}", "properties: {d: {minimum: 1}}")
	}
	branch := r.randomJunctor(r.IntN(depth))
	return r.one("not: {"+branch+"}", r.one("oneOf", "anyOf", "allOf")+": [{"+branch+"}, {"+r.randomJunctor(r.IntN(depth))+"}]")
}

// TestTableMatchesServer wants the answers of tables of random rules and junctors for random objects to be
// those of the server.
func TestTableMatchesServer(t *testing.T) {
	s := schemaOf(t, tableSchema)
	const objects = 50
	var accepted, refused, silent int
	for i := range *pairs / objects {
		r := &author{Rand: rand.New(rand.NewPCG(uint64(i), 42))}
		conditions := rulesOf(r.randomRule(1+r.IntN(3)), r.randomRule(1))
		if r.IntN(2) == 0 {
			conditions = append(conditions[:1], ConditionsOf(schemaOf(t, tableSchema+r.randomJunctor(1+r.IntN(3))))...)
		}
		table := newTable(s, conditions)
		if table == nil { // it has too many rows
			silent++
			continue
		}
		markers := table.meaning().Markers
		for _, row := range table.rows {
			refuses := func(m Marker) bool { return !table.holds(m, row) }
			if len(markers) > 0 && table.isPossible(row) && row.isAccepted() == slices.ContainsFunc(markers, refuses) {
				t.Fatalf("seed %d: %v does not mean %v for %v", i, markers, conditions, table.object(row))
			}
		}
		evaluate := serverOf(t, s, conditions)
		for range objects {
			object := r.object(s)
			if r.IntN(2) == 0 {
				object["maybe"] = []any{nil, "", "x", "y"}[r.IntN(4)]
			}
			k := slices.IndexFunc(table.rows, func(row row) bool { return table.isLike(row, object) })
			if k < 0 {
				t.Fatalf("seed %d: the table of %v has no row for %v", i, conditions, object)
			}
			for j, outcome := range evaluate(object) {
				accepts := outcome == unions.Outcome{}
				known := table.rows[k].outcomes[j]
				if isAccepted([]unions.Outcome{known}) != accepts || (known.Failure != "") != (outcome.Failure != "") {
					t.Fatalf("seed %d: %s for %v: %v, and the table has %v", i, conditions[j].text(), object, outcome, known)
				}
				if accepts {
					accepted++
				} else {
					refused++
				}
			}
		}
	}
	result := fmt.Sprintf("Tables of %d random pairs of rules and junctors have the server's answers for %d random objects, %s:\n%d accept, %d refuse; %d pairs have no table.\n",
		*pairs/objects, *pairs, time.Now().UTC().Format(time.DateOnly), accepted, refused, silent)
	recordLaw(t, "tables", result)
	if accepted == 0 || refused == 0 || silent*objects*5 > *pairs {
		t.Errorf("%d answers accept, %d refuse; %d rules have no table", accepted, refused, silent)
	}
}

// recordLaw logs what a test of a law has tried, and writes it to a file of testdata if -record is set.
func recordLaw(t *testing.T, name, result string) {
	t.Helper()
	t.Log(result)
	if !*record || t.Failed() {
		return
	}
	if err := os.WriteFile("testdata/"+name+".txt", []byte(result), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDomains wants a table of each kind of read of each kind of domain to have the outcomes that the server's code
// has for values of the domain, or no table: those reads are listed.
func TestDomains(t *testing.T) {
	domains := []struct{ name, schema, without string }{
		{"required string", "required: [a], properties: {a: {type: string}}", "order whole"},
		{"optional string", "properties: {a: {type: string}}", "order whole"},
		{"string with a default", "properties: {a: {type: string, default: x}}", "order whole"},
		{"bounded string", "properties: {a: {type: string, minLength: 1, maxLength: 2}}", "order whole"},
		{"string with an enum", "properties: {a: {type: string, enum: [x, 'y', zz]}}", ""},
		{"string with a pattern", "properties: {a: {type: string, pattern: '^x*$'}}", "order whole"},
		{"nullable string", "properties: {a: {type: string, nullable: true}}", "order whole"},
		{"date", "properties: {a: {type: string, format: date}}", "equal listed fallback size order whole"},
		{"integer", "properties: {a: {type: integer}}", ""},
		{"bounded integer", "required: [a], properties: {a: {type: integer, minimum: 1, maximum: 3}}", ""},
		{"integer with a default", "properties: {a: {type: integer, default: 2}}", ""},
		{"nullable integer", "properties: {a: {type: integer, nullable: true}}", ""},
		{"boolean", "properties: {a: {type: boolean}}", ""},
		{"required boolean", "required: [a], properties: {a: {type: boolean}}", ""},
		{"list", "properties: {a: {type: array, items: {type: string}}}", ""},
		{"bounded list", "properties: {a: {type: array, minItems: 1, maxItems: 2, items: {type: string}}}", ""},
		{"map", "properties: {a: {type: object, additionalProperties: {type: string}}}", ""},
		{"object", "properties: {a: {type: object, properties: {b: {type: string}}}}", "size"},
		{"preserved object", "properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true}}", "size"},
	}
	reads := map[string]map[string]string{
		"string": {"equal": "self.a == 'x'", "listed": "self.a in ['x', '']", "fallback": "self.?a.orValue('x') == 'x'", "size": "self.a.size() > 1",
			"order": "self.a < 'x'", "whole": "self.a + 'x' == 'xx'"},
		"integer": {"equal": "self.a == 2", "listed": "self.a in [0, 3]", "fallback": "self.?a.orValue(2) == 2", "order": "self.a > 1"},
		"boolean": {"equal": "self.a == true", "whole": "self.a", "fallback": "self.?a.orValue(true)"},
		"array":   {"equal": "self.a != []", "size": "size(self.a) > 1"},
		"object":  {"size": "size(self.a) > 0"},
	}
	values := map[string][]any{
		"string": {"", "x", "y", "xx", "zz", "xxx", "2020-02-02"}, "integer": {int64(-1), int64(0), int64(1), int64(2), int64(3), int64(4)}, "boolean": {false, true},
		"array": {[]any{}, []any{"x"}, []any{"x", "y"}, []any{"x", "y", "z"}}, "object": {map[string]any{}, map[string]any{"b": "x"}},
	}
	for _, domain := range domains {
		s := schemaOf(t, "{type: object, "+domain.schema+"}")
		field := s.Property("a")
		isAccepted, err := apiserver.NewValueCheck(s.Props())
		if err != nil {
			t.Fatal(err)
		}
		objects := []map[string]any{{}, {"a": nil}}
		for _, value := range values[field.Type] {
			objects = append(objects, map[string]any{"a": value})
		}
		objects = slices.DeleteFunc(objects, func(object map[string]any) bool {
			_, isPresent := object["a"]
			return !isAccepted(object) || !isPresent && field.Default != nil || isPresent && object["a"] == nil && !field.Nullable
		})
		texts := maps.Clone(reads[field.Type])
		texts["presence"] = "has(self.a)"
		texts["optional presence"] = "!self.?a.hasValue()"
		var without []string
		for read, text := range texts {
			table := newTable(s, rulesOf(text))
			if table == nil {
				without = append(without, read)
				continue
			}
			evaluate := serverOf(t, s, rulesOf(text))
			var want, all, possible []string
			for _, object := range objects {
				want = append(want, fmt.Sprint(len(object), evaluate(object)))
			}
			for _, r := range table.rows {
				all = append(all, fmt.Sprint(len(table.object(r)), r.outcomes))
				if table.isPossible(r) {
					possible = append(possible, all[len(all)-1])
				}
			}
			isMissing := func(text string) bool { return !slices.Contains(all, text) }
			isWrong := func(text string) bool { return !slices.Contains(want, text) }
			if slices.ContainsFunc(want, isMissing) || slices.ContainsFunc(possible, isWrong) {
				t.Errorf("%s of a %s: the table has %v, %v of them for values that the schema accepts, and the server %v", read, domain.name, all, possible, want)
			}
		}
		slices.Sort(without)
		if want := strings.Fields(domain.without); !slices.Equal(without, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: there is no table of %v, want %v", domain.name, without, want)
		}
	}
}
