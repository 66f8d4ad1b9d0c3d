package rules

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

var pairs = flag.Int("pairs", 10_000, "the number of pairs of rules and objects that TestReadsMatchServer tries")

// randomSchema has a field of each sort, of which as many as possible occur in conditions.
const randomSchema = `
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
`

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

func (r *author) rule() string { return r.condition(1 + r.IntN(4)) }

// object returns a random value of the schema.
func (r *author) object() map[string]any {
	text := func() any { return r.one("", "x", "y") }
	out := map[string]any{"r": text()}
	may := func(name string, value func() any) {
		if r.IntN(2) == 0 {
			out[name] = value()
		}
	}
	item := func(required any) map[string]any {
		out := map[string]any{"r": required}
		if r.IntN(2) == 0 {
			out["a"] = text()
		}
		return out
	}
	may("a", text)
	may("b", text)
	may("count", func() any { return int64(r.IntN(4)) })
	may("open", func() any { return r.IntN(2) == 0 })
	may("o", func() any { return item(int64(r.IntN(4))) })
	may("l", func() any {
		list := []any{}
		for range r.IntN(3) {
			list = append(list, item(text()))
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

// TestReadsMatchServer compares the analysis of random rules with the server's evaluation of random
// objects: no rule that is said to read nothing absent fails with "no such key". It wants both
// answers to be frequent, and most rules that may fail to do so.
func TestReadsMatchServer(t *testing.T) {
	s := schemaOf(t, randomSchema)
	const objects = 20
	var safe, unsafe, confirmed int
	for i := range *pairs / objects {
		r := &author{Rand: rand.New(rand.NewPCG(uint64(i), 41))}
		text := r.rule()
		rule := structural.Rule{Rule: text}
		analysis := Reads(rule, s)
		if analysis == nil {
			t.Fatalf("%s does not parse", text)
		}
		evaluator, err := apiserver.NewRuleEvaluator(s, rule, false)
		if err != nil {
			t.Fatal(err)
		}
		fails := false
		for range objects {
			object := r.object()
			outcome := evaluator.Evaluate(t.Context(), object, nil)
			absent := strings.HasPrefix(outcome.Failure, noKey)
			fails = fails || absent
			if !absent && outcome.Failure != "" {
				t.Fatalf("%s: %s", text, outcome.Failure)
			}
			if absent && len(analysis.Failing) == 0 {
				t.Fatalf("seed %d: %s is said to be safe, and fails for %v: %s", i, text, object, outcome.Failure)
			}
		}
		switch {
		case len(analysis.Failing) == 0:
			safe++
		case fails:
			unsafe++
			confirmed++
		default:
			unsafe++
		}
	}
	t.Logf("%d rules are safe; %d may fail, of which %d do", safe, unsafe, confirmed)
	if safe == 0 || unsafe == 0 || confirmed*100 < unsafe*70 {
		t.Errorf("%d rules are safe; %d may fail, of which %d do", safe, unsafe, confirmed)
	}
}
