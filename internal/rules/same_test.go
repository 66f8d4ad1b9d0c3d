package rules

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// alikeSchemas have the same rules. They differ in what the smallest values are.
var alikeSchemas = []string{`
type: object
properties:
  box: {type: object, properties: {a: {type: string}, b: {type: string}}}
  tube: {type: object, properties: {c: {type: string}, d: {type: string}}}
  size: {type: integer}
`, `
type: object
properties:
  box: {type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}}, minProperties: 1}
  tube: {type: object, properties: {c: {type: string}, d: {type: string}}}
  size: {type: integer}
`, `
type: object
required: [box, tube]
properties:
  box: {type: object, properties: {a: {type: string}, b: {type: string}}}
  tube: {type: object, properties: {c: {type: string}, d: {type: string}}}
  size: {type: integer, minimum: 3}
  items: {type: array, items: {type: object, properties: {size: {type: integer}}}}
`}

// alikeRules read absent fields. Several have one message, also those of box and tube, and fail
// together.
func alikeRules(s *structural.Schema) []structural.Rule {
	s.XValidations = []structural.Rule{
		{Rule: "self.size != 7", Message: "wrong"},
		{Rule: "self.box.a != 'x'", Message: "wrong"},
		{Rule: "self.size != 7 || self.box.b != 'x'"},
		{Rule: "!has(oldSelf.size) || self.size == oldSelf.size"},
	}
	for i, text := range []string{"self.a != 'x'", "self.c != 'x'"} {
		s.Properties[i].Schema.XValidations = []structural.Rule{{Rule: text, Message: "wrong"}}
	}
	return s.XValidations
}

// findings returns the texts of the failures that are found in a kind.
func findings(t *testing.T, shared *Unproved, schema string) string {
	t.Helper()
	s := schemaOf(t, schema)
	rules := alikeRules(s)
	search := searchOf(s)
	search.Unproved = shared
	var out strings.Builder
	for i, rule := range rules {
		a := shared.Of(s, Inside).Rules[i]
		f, err := search.Failure(t.Context(), []structural.Edge{{Keyword: "properties", Property: "spec"}}, s, rule, a)
		if err != nil {
			t.Error(err)
		}
		if f != nil {
			fmt.Fprintf(&out, "%s: %s %v from %v: %s %t %t\n", rule.Rule, f.Read.Text, f.Value, f.Old, f.Detail, f.Accepts, f.Skips)
		}
	}
	return out.String()
}

// TestSameFindings wants the findings about a kind not to depend on the kinds before it, on the
// number of processors, or on chance. Each is about the field that the server names.
func TestSameFindings(t *testing.T) {
	var want []string
	for _, schema := range alikeSchemas {
		want = append(want, findings(t, &Unproved{}, schema))
	}
	if !strings.Contains(want[0], "self.size != 7: self.size map[] from <nil>: no such key: size") {
		t.Errorf("findings:\n%s", want[0])
	}
	if !slices.ContainsFunc(want[1:], func(text string) bool { return text != want[0] }) {
		t.Fatal("the schemas do not differ in what is found")
	}
	for _, processors := range []int{1, 8} {
		before := runtime.GOMAXPROCS(processors)
		for round := range 4 {
			shared := &Unproved{}
			var done sync.WaitGroup
			for i := range alikeSchemas {
				kind := (i*(1+round%2) + round) % len(alikeSchemas)
				done.Go(func() {
					if got := findings(t, shared, alikeSchemas[kind]); got != want[kind] {
						t.Errorf("%d processors, round %d, kind %d:\n%swant\n%s", processors, round, kind, got, want[kind])
					}
				})
				if processors == 1 {
					done.Wait()
				}
			}
			done.Wait()
		}
		runtime.GOMAXPROCS(before)
	}
}
