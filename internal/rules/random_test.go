package rules

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

var (
	pairs  = flag.Int("pairs", 4_000, "the number of pairs of rules and objects that TestReadsMatchServer tries")
	record = flag.Bool("record", false, "rewrite testdata/random.txt")
)

// author writes random rules.
type author struct {
	*rand.Rand
	variables []string
}

func (r *author) one(texts ...string) string { return texts[r.IntN(len(texts))] }

func (r *author) text() string {
	texts := []string{"self.a", "self.b", "self.r", "'x'", "self.?a.orValue('')", "self.?b.orValue('x')", "self.o.a", "self.?o.a.orValue('y')", "self.m['k']"}
	for _, v := range r.variables {
		texts = append(texts, v+".a", v+".a", v+".r", v+".?a.orValue('')")
	}
	return r.one(texts...)
}

func (r *author) condition(depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		leaves := []string{
			"has(self.a)", "has(self.b)", "has(self.o)", "has(self.l)", "has(self.m)", "has(self.o.a)", "has(self.open)", "self.?a.hasValue()",
			"'k' in self.m", "has(self.m.k)", "self.open", "self.count > 1", "self.d > 1", "self.o.r > 1", "self.?open.orValue(false)", "has(self.a) == has(self.b)",
			"(!has(self.o) || self.o.r > 1)", "(has(self.o) || self.o.r > 1)", "(has(self.b) && self.b == 'x')", "(!has(self.b) || self.a == 'x')",
			"(has(self.m) && 'k' in self.m && self.m['k'] == 'x')", "(!has(self.m) || 'k' in self.m || self.m['k'] == 'x')",
			"has(self.a) != has(self.o)", r.text() + " == " + r.text(), r.text() + " != " + r.text(), r.text() + ".size() > 0", "size(self.l) > 0",
		}
		for _, v := range r.variables {
			leaves = append(leaves, "has("+v+".a)", "has("+v+".a)")
		}
		return r.one(leaves...)
	}
	a := r.condition(depth - 1)
	switch r.IntN(10) {
	case 0, 1, 2:
		return "(" + a + " && " + r.condition(depth-1) + ")"
	case 3, 4, 5:
		return "(" + a + " || " + r.condition(depth-1) + ")"
	case 6:
		return "!(" + a + ")"
	case 7:
		return "(" + a + " ? " + r.condition(depth-1) + " : " + r.condition(depth-1) + ")"
	}
	v := fmt.Sprintf("v%d", len(r.variables))
	r.variables = append(r.variables, v)
	body := r.condition(depth - 1)
	r.variables = r.variables[:len(r.variables)-1]
	list := r.one("self.l", "self.?l.orValue([])", "self.l.filter(f, has(f.a))", "self.l.filter(f, f.r == 'x')")
	return list + "." + r.one("all", "exists", "exists_one") + "(" + v + ", " + body + ")"
}

// rule returns a random rule; one of four is about updates.
func (r *author) rule() string {
	rule := r.condition(1 + r.IntN(4))
	if r.IntN(4) == 0 {
		rule = strings.Replace(rule, "self.b", "oldSelf.b", 1) + " || oldSelf.r != self.r"
	}
	return rule
}

// schema returns a random schema with a field of each sort, of which as many as possible occur in
// conditions. r is always required.
func (r *author) schema() string {
	required := func(names ...string) string {
		out := []string{"r"}
		for _, name := range names {
			if r.IntN(6) == 0 {
				out = append(out, name)
			}
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	return `
type: object
required: ` + required("a", "b", "count", "open", "o", "l", "m") + `
properties:
  r: {type: string, maxLength: 3}
  d: {type: integer, default: 1}
  a: {type: string, maxLength: 3}
  b: {type: string, maxLength: 3}
  count: {type: integer}
  open: {type: boolean}
  o:
    type: object
    required: ` + required("a") + `
    properties:
      r: {type: integer}
      a: {type: string, maxLength: 3}
  l:
    type: array
    maxItems: 3
    items:
      type: object
      required: ` + required("a") + `
      properties:
        r: {type: string, maxLength: 3}
        a: {type: string, maxLength: 3}
  m: {type: object, maxProperties: 3, additionalProperties: {type: string, maxLength: 3}}
`
}

// object returns a random value of a schema.
func (r *author) object(s *structural.Schema) map[string]any {
	text := func() any { return r.one("", "x", "y") }
	out := map[string]any{"r": text()}
	may := func(name string, value func() any) {
		if s.Requires(name) || r.IntN(2) == 0 {
			out[name] = value()
		}
	}
	item := func(s *structural.Schema, required any) map[string]any {
		out := map[string]any{"r": required}
		if s.Requires("a") || r.IntN(2) == 0 {
			out["a"] = text()
		}
		return out
	}
	may("a", text)
	may("b", text)
	may("count", func() any { return int64(r.IntN(4)) })
	may("open", func() any { return r.IntN(2) == 0 })
	may("o", func() any { return item(property(s, "o").Schema, int64(r.IntN(4))) })
	may("l", func() any {
		list := []any{}
		for range r.IntN(3) {
			list = append(list, item(property(s, "l").Schema.Items, text()))
		}
		return list
	})
	may("m", func() any {
		out := map[string]any{"other": text()}
		if r.IntN(2) == 0 {
			out["k"] = text()
		}
		return out
	})
	out["d"] = int64(r.IntN(3))
	return out
}

// mutant is an analysis that gets another rule or schema, and so believes what is not true.
type mutant struct {
	belief string
	change func(rule, schema string) (string, string)
}

// The first ones are found by few rules.
var mutants = []mutant{
	{"|| is &&", func(rule, schema string) (string, string) {
		return strings.ReplaceAll(rule, "||", "&&"), schema
	}},
	{"a field is required", func(rule, schema string) (string, string) {
		return rule, strings.Replace(schema, "[r", "[a, r", 1)
	}},
	{"has() is its contrary", func(rule, schema string) (string, string) {
		return strings.ReplaceAll(rule, "has(self.o)", "!has(self.o)"), schema
	}},
	{"has() is about another field", func(rule, schema string) (string, string) {
		return strings.ReplaceAll(rule, "has(self.b)", "has(self.a)"), schema
	}},
	{"a field of elements is required", func(rule, schema string) (string, string) {
		before, items, _ := strings.Cut(schema, "items:")
		return rule, before + "items:" + strings.Replace(items, "[r", "[a, r", 1)
	}},
	{"a field has a default", func(rule, schema string) (string, string) {
		return rule, strings.Replace(schema, "b: {", "b: {default: x, ", 1)
	}},
	{"in is its contrary", func(rule, schema string) (string, string) {
		return strings.ReplaceAll(rule, "'k' in self.m", "!('k' in self.m)"), schema
	}},
	{"a value is one before the update", func(rule, schema string) (string, string) {
		return strings.ReplaceAll(rule, "oldSelf", "self"), schema
	}},
}

// isSafe reports whether a rule is said to read nothing absent.
func isSafe(t *testing.T, rule, schema string) bool {
	t.Helper()
	a := Reads(structural.Rule{Rule: rule}, schemaOf(t, schema), Inside)
	if a == nil {
		t.Fatalf("%s does not parse", rule)
	}
	return len(a.Failing) == 0
}

// failureFor evaluates a rule for random objects, and describes the last failure because of something
// absent.
func (r *author) failureFor(t *testing.T, rule string, s *structural.Schema) (failure string) {
	t.Helper()
	evaluator, err := (&apiserver.RuleEvaluators{}).New(s, structural.Rule{Rule: rule}, false)
	if err != nil {
		t.Fatal(err)
	}
	for range objectsOfRule {
		object := r.object(s)
		var old any
		if apiserver.UsesOldSelf(rule) {
			old = r.object(s)
		}
		outcome := evaluator.Evaluate(t.Context(), object, old)
		switch {
		case strings.HasPrefix(outcome.Failure, noKey):
			failure = fmt.Sprintf("%s for %v, before it %v", outcome.Failure, object, old)
		case outcome.Failure != "":
			t.Fatalf("%s: %s", rule, outcome.Failure)
		}
	}
	return failure
}

// objectsOfRule is the number of objects that a random rule is evaluated for.
const objectsOfRule = 20

// TestReadsMatchServer compares the analysis of random rules of random schemas with the server's
// evaluation of random objects: no rule that is said to read nothing absent fails with "no such
// key". It wants both answers to be frequent, most rules that may fail to do so, and the comparison to
// find an analysis that believes what is not true.
func TestReadsMatchServer(t *testing.T) {
	safe, unsafe, confirmed := 0, 0, 0
	found := make([]int, len(mutants))
	for seed := range *pairs / objectsOfRule {
		r := &author{Rand: rand.New(rand.NewPCG(uint64(seed), 41))}
		schema := r.schema()
		rule := r.rule()
		failure := r.failureFor(t, rule, schemaOf(t, schema))
		isSaid := isSafe(t, rule, schema)
		switch {
		case isSaid && failure != "":
			t.Fatalf("seed %d: %s is said to be safe in%sand fails: %s", seed, rule, schema, failure)
		case isSaid:
			safe++
		case failure != "":
			unsafe++
			confirmed++
			for i, m := range mutants {
				changed, changedSchema := m.change(rule, schema)
				if isSafe(t, changed, changedSchema) {
					found[i]++
				}
			}
		default:
			unsafe++
		}
	}
	if safe == 0 || unsafe == 0 || confirmed*100 < unsafe*65 {
		t.Errorf("%d rules are safe, %d may fail, and %d of them do", safe, unsafe, confirmed)
	}
	var result strings.Builder
	fmt.Fprintf(&result, "%d random triples of rule, schema and object, %d rules from seed 0 on, %s:\n",
		*pairs, *pairs/objectsOfRule, time.Now().UTC().Format(time.DateOnly))
	fmt.Fprintf(&result, "%d rules are safe, %d may fail, and %d of them do; no safe rule fails.\n", safe, unsafe, confirmed)
	for i, m := range mutants {
		isFrequent := i < 4 || *pairs >= 100_000
		if found[i] == 0 && isFrequent {
			t.Errorf("no rule shows that an analysis is wrong which believes that %s", m.belief)
		}
		fmt.Fprintf(&result, "Rules that show the mistake of an analysis which believes that %s: %d\n", m.belief, found[i])
	}
	t.Log(result.String())
	if *record {
		if err := os.WriteFile("testdata/random.txt", []byte(result.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
