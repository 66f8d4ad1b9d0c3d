package apiserver

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

func rulesOf(t testing.TB, version string, crd *crd) []Rule {
	t.Helper()
	rules, err := target(t, version).Rules(context.Background(), crd)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestRules(t *testing.T) {
	crd := widget(t, `
type: object
properties:
  name: {type: string, maxLength: 10, x-kubernetes-validations: [{rule: "self == oldSelf"}]}
  open: {type: array, items: {type: object, additionalProperties: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: "self != ''"}]}}}
  shut: {type: array, maxItems: 6, items: {type: object, maxProperties: 7, additionalProperties: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: "self != ''"}]}}}
x-kubernetes-validations:
- {rule: "self.name.size() > 2", messageExpression: "'no ' + self.name"}
- {rule: "self.name > 2", messageExpression: "self.name + 1"}
- {rule: "self.name == 'a'", messageExpression: "self.name + 1"}`)
	second(t, crd, "{type: object, properties: {spec: {x-kubernetes-validations: [{rule: self.a}]}}}")
	const root = "spec.versions[0].schema.openAPIV3Schema.properties[spec]."
	var got []string
	for _, r := range rulesOf(t, DefaultVersion, crd) {
		cardinality := "unbounded"
		if r.MaxCardinality != nil {
			cardinality = strconv.FormatUint(*r.MaxCardinality, 10)
		}
		got = append(got, fmt.Sprintf("%s %s: skipped %t, errors %t %t, oldSelf %t, %d × %s = %d, message %d",
			r.Version, strings.TrimPrefix(r.Path, root), r.Skipped, r.Error != "", r.MessageError != "", r.UsesOldSelf, r.CallCost, cardinality, r.Cost, r.MessageCost))
	}
	want := []string{
		"v1 x-kubernetes-validations[0]: skipped false, errors false false, oldSelf false, 4 × 1 = 4, message 7",
		"v1 x-kubernetes-validations[1]: skipped false, errors true false, oldSelf false, 0 × 1 = 0, message 0",
		"v1 x-kubernetes-validations[2]: skipped false, errors false true, oldSelf false, 3 × 1 = 3, message 0",
		"v1 properties[name].x-kubernetes-validations[0]: skipped false, errors false false, oldSelf true, 6 × 1 = 6, message 0",
		"v1 properties[open].items.additionalProperties.x-kubernetes-validations[0]: skipped false, errors false false, oldSelf false, 1 × unbounded = 1048576, message 0",
		"v1 properties[shut].items.additionalProperties.x-kubernetes-validations[0]: skipped false, errors false false, oldSelf false, 1 × 42 = 42, message 0",
		"v2 spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]: skipped true, errors false false, oldSelf false, 0 × 1 = 0, message 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRandomRuleCosts compares rules with the server's compiler on whole schemas.
func TestRandomRuleCosts(t *testing.T) {
	target, compared := target(t, DefaultVersion), 0
	env := environment.MustBaseEnvSet(compatibilityOf(35))
	for seed := range *crds {
		c := random{Rand: rand.New(rand.NewSource(int64(seed))), rulesIn: 2}
		crd := c.crd()
		rules, err := target.Rules(context.Background(), crd)
		if err != nil {
			t.Fatal(err)
		}
		in, err := internal(crd)
		if err != nil {
			t.Fatal(err)
		}
		var want []Rule
		for _, v := range crd.Spec.Versions {
			schema, err := apiextensions.GetSchemaForVersion(in, v.Name)
			if err != nil {
				t.Fatal(err)
			}
			want = compileWhole(t, env, schema.OpenAPIV3Schema, validation.RootCELContext(schema.OpenAPIV3Schema), want)
		}
		if len(want) != len(rules) {
			t.Fatalf("seed %d: %d rules, want %d", seed, len(rules), len(want))
		}
		for i, r := range rules {
			if r.Skipped {
				continue
			}
			compared++
			w := want[i]
			w.Version, w.Path, w.Causes, w.Occurrences, w.Cost = r.Version, r.Path, r.Causes, r.Occurrences, r.Cost
			if r.MaxCardinality != nil && w.MaxCardinality != nil && *r.MaxCardinality == *w.MaxCardinality {
				w.MaxCardinality = r.MaxCardinality
			}
			if fmt.Sprintf("%+v", w) != fmt.Sprintf("%+v", r) {
				t.Errorf("seed %d: got %+v\nwant %+v", seed, r, w)
			}
			if r.Cost != multiply(r.CallCost, r.Occurrences) {
				t.Errorf("seed %d: %d × %d = %d", seed, r.CallCost, r.Occurrences, r.Cost)
			}
		}
	}
	if compared < *crds {
		t.Errorf("only %d rules were compared", compared)
	}
}

func compileWhole(t *testing.T, env *environment.EnvSet, s *apiextensions.JSONSchemaProps, at *validation.CELSchemaContext, out []Rule) []Rule {
	t.Helper()
	// Paths are ordered: a node's own rules, then additionalProperties, items and
	// properties.
	if len(s.XValidations) > 0 {
		info, err := at.TypeInfo()
		if err != nil {
			t.Fatal(err)
		}
		results, err := cel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, env, cel.NewExpressionsEnvLoader())
		for i, rule := range s.XValidations {
			r := Rule{Text: rule.Rule, MessageText: rule.MessageExpression, MaxCardinality: at.MaxCardinality}
			if err != nil {
				r.Error = err.Error()
				out = append(out, r)
				continue
			}
			if e := results[i].Error; e != nil {
				r.Error = stripTypeNumbers(e.Detail)
			}
			if e := results[i].MessageExpressionError; e != nil {
				r.MessageError = stripTypeNumbers(e.Detail)
			}
			r.UsesOldSelf, r.CallCost, r.MessageCost = results[i].UsesOldSelf, results[i].MaxCost, results[i].MessageExpressionMaxCost
			out = append(out, r)
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		out = compileWhole(t, env, a.Schema, at.ChildAdditionalPropertiesContext(a.Schema), out)
	}
	if s.Items != nil && s.Items.Schema != nil {
		out = compileWhole(t, env, s.Items.Schema, at.ChildItemsContext(s.Items.Schema), out)
	}
	for _, name := range sortedKeys(s.Properties) {
		child := s.Properties[name]
		out = compileWhole(t, env, &child, at.ChildPropertyContext(&child, name), out)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestEqualRulesAreCompiledOnce counts compilations over versions and CRDs that are checked
// in parallel.
func TestEqualRulesAreCompiledOnce(t *testing.T) {
	const spec = `
type: object
properties:
  a: {type: string, description: %q, x-kubernetes-validations: [{rule: "self.size() > %d"}, {rule: "self != ''"}]}
  b: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}
  c: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: "self != ''"}]}
  %s: {type: integer}
x-kubernetes-validations: [{rule: "self.a != self.b"}]`
	target := target(t, DefaultVersion)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			crd := widget(t, fmt.Sprintf(spec, "one", 2, fmt.Sprintf("d%d", i)))
			second(t, crd, "type: object\nproperties:\n  spec:\n"+indent(fmt.Sprintf(spec, "two", 3, "d"), 4))
			report, err := target.Check(context.Background(), crd, nil)
			if err != nil || len(report.Findings) > 0 || len(report.Rules) != 10 {
				t.Errorf("got %d rules, %v, %v", len(report.Rules), report.Findings, err)
			}
		})
	}
	all.Wait()
	// size > 2, size > 3, != '' on a long and on a short string, and a != b.
	if got := target.compiled.compilations.Load(); got != 5 {
		t.Errorf("%d compilations, want 5", got)
	}
}

// TestSizesDistinguishTypes checks that how often a node fits into a request depends on
// fields that its rule does not use.
func TestSizesDistinguishTypes(t *testing.T) {
	rules := rulesOf(t, DefaultVersion, widget(t, `
type: object
properties:
  a: {type: array, items: {type: object, properties: {x: {type: integer}}, x-kubernetes-validations: [{rule: "has(self.x)"}]}}
  b: {type: array, items: {type: object, properties: {x: {type: integer}, long: {type: string}}, required: [long], x-kubernetes-validations: [{rule: "has(self.x)"}]}}`))
	if a, b := rules[0].Occurrences, rules[1].Occurrences; a != 3145728/3 || b != 3145728/13 {
		t.Errorf("got %d and %d", a, b)
	}
}

func TestLargest(t *testing.T) {
	for most := range int64(40) {
		for limit := range int64(45) {
			if got, want := largest(most, func(n int64) bool { return n <= limit }), min(most, limit); got != want {
				t.Errorf("up to %d of %d: got %d", limit, most, got)
			}
		}
	}
}

// TestCausesOfCosts sets the limits that causes propose: with them the server must accept
// the CRD, and with limits that are larger by one it must not.
func TestCausesOfCosts(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		// want are paths below spec, with the keyword.
		want []string
		// alone are the indexes of causes whose limit alone suffices.
		alone []int
	}{
		{
			name:  "a string",
			spec:  `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.a.matches('a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z+(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)')"}]}`,
			want:  []string{"properties[a] maxLength"},
			alone: []int{0},
		},
		{
			name:  "only the list that the rule uses",
			spec:  `{type: object, properties: {a: {type: array, items: {type: string, maxLength: 10}}, b: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: "self.a.all(x, self.a.all(y, x == y))"}]}`,
			want:  []string{"properties[a] maxItems"},
			alone: []int{0},
		},
		{
			name:  "a map",
			spec:  `{type: object, additionalProperties: {type: integer}, x-kubernetes-validations: [{rule: "self.all(k, self.all(l, self[k] >= self[l]))"}]}`,
			want:  []string{"maxProperties"},
			alone: []int{0},
		},
		{
			name: "a list and its strings",
			spec: `{type: object, properties: {a: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: "self.a.all(x, self.a.all(y, x == y || x.contains(y)))"}]}`,
			want: []string{"properties[a] maxItems", "properties[a].items maxLength"},
		},
		{
			name:  "an enclosing list",
			spec:  `{type: array, items: {type: object, maxProperties: 10, additionalProperties: {type: string, maxLength: 100, x-kubernetes-validations: [{rule: "self.matches('^a+b+$')"}]}}}`,
			want:  []string{"maxItems"},
			alone: []int{0},
		},
		{
			name: "enclosing lists",
			spec: `{type: array, items: {type: array, items: {type: string, maxLength: 100, x-kubernetes-validations: [{rule: "self.matches('^a+b+$')"}]}}}`,
			want: []string{"items maxItems", "maxItems"},
		},
		{
			name:  "limits that are too high",
			spec:  `{type: array, maxItems: 100000, items: {type: string, maxLength: 10000, x-kubernetes-validations: [{rule: "self.contains('a')"}]}}`,
			want:  []string{"maxItems", "items maxLength"},
			alone: []int{0, 1},
		},
		{
			name:  "an int or string",
			spec:  `{type: array, maxItems: 50, items: {x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: "type(self) == string && self.matches('^a+b+$')"}]}}`,
			want:  []string{"items maxLength"},
			alone: []int{0},
		},
		{
			name: "a message",
			spec: `{type: object, properties: {a: {type: array, items: {type: string, maxLength: 3}}}, x-kubernetes-validations: [{rule: "true", messageExpression: "self.a.exists(x, self.a.exists(y, x == y)) ? 'a' : 'b'"}]}`,
			want: []string{"properties[a] maxItems"}, alone: []int{0},
		},
		{
			name: "bytes, between fields whose names are escaped",
			spec: `{type: object, properties: {x-y: {type: object, properties: {in: {type: array, items: {type: string, format: byte}}}}}, x-kubernetes-validations: [{rule: "self.x__dash__y.__in__.all(x, self.x__dash__y.__in__.all(y, x == y))"}]}`,
			want: []string{"properties[x-y].properties[in] maxItems", "properties[x-y].properties[in].items maxLength"}, alone: []int{0},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			crd := widget(t, c.spec)
			var rule Rule
			for _, r := range rulesOf(t, newest(), crd) {
				rule = r
			}
			const root = "spec.versions[0].schema.openAPIV3Schema.properties[spec]"
			var got []string
			for _, cause := range rule.Causes {
				got = append(got, strings.TrimLeft(strings.TrimPrefix(cause.Path, root)+" "+cause.Keyword, ". "))
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			s := newServer()
			passes := func(set map[int]int64) bool {
				edited := crd.DeepCopy()
				for i, limit := range set {
					setLimit(t, edited, rule.Causes[i], limit)
				}
				return len(s.create(t, edited).errors) == 0
			}
			joint := func(more int64) map[int]int64 {
				out := map[int]int64{}
				for i, cause := range rule.Causes {
					out[i] = cause.JointBound + more
				}
				return out
			}
			for i, cause := range rule.Causes {
				if enough := slices.Contains(c.alone, i); enough != (cause.Bound > 0) {
					t.Errorf("cause %d: bound %d", i, cause.Bound)
				} else if enough && (!passes(map[int]int64{i: cause.Bound}) || passes(map[int]int64{i: cause.Bound + 1})) {
					t.Errorf("cause %d: %d is not the largest limit that passes", i, cause.Bound)
				} else if !enough && passes(map[int]int64{i: 1}) {
					t.Errorf("cause %d: 1 passes", i)
				}
				if cause.JointBound < 1 {
					t.Errorf("cause %d: joint bound %d", i, cause.JointBound)
				}
			}
			if !passes(joint(0)) || passes(joint(1)) {
				t.Errorf("%v are not the largest limits that pass", joint(0))
			}
		})
	}
}

// setLimit sets a limit at the path of a cause.
func setLimit(t *testing.T, crd *crd, cause Cause, limit int64) {
	t.Helper()
	const root = "spec.versions[0].schema.openAPIV3Schema"
	rest, ok := strings.CutPrefix(cause.Path, root)
	if !ok {
		t.Fatal(cause.Path)
	}
	var down func(s *props, steps []string)
	down = func(s *props, steps []string) {
		if len(steps) == 0 {
			switch cause.Keyword {
			case "maxItems":
				s.MaxItems = &limit
			case "maxProperties":
				s.MaxProperties = &limit
			case "maxLength":
				s.MaxLength = &limit
			}
			return
		}
		switch step := steps[0]; step {
		case ".items":
			down(s.Items.Schema, steps[1:])
		case ".additionalProperties":
			down(s.AdditionalProperties.Schema, steps[1:])
		default:
			name := strings.TrimSuffix(strings.TrimPrefix(step, ".properties["), "]")
			child := s.Properties[name]
			down(&child, steps[1:])
			s.Properties[name] = child
		}
	}
	down(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, regexp.MustCompile(`\.properties\[[^]]*\]|\.items|\.additionalProperties`).FindAllString(rest, -1))
}

// TestCausesUnderTheTotal checks that rules that only exceed the limit together are also
// explained.
func TestCausesUnderTheTotal(t *testing.T) {
	crd := withSchema(t, manyRules(11))
	rules := rulesOf(t, newest(), crd)
	var total uint64
	for _, r := range rules {
		total += r.Cost
		if r.RuleShare() > 1 || r.SchemaShare() != float64(r.Cost)/1e8 {
			t.Errorf("shares %f, %f", r.RuleShare(), r.SchemaShare())
		}
	}
	if total <= SchemaCostLimit {
		t.Fatalf("total %d", total)
	}
	for i, r := range rules {
		if len(r.Causes) == 0 || r.Causes[0].Bound == 0 {
			t.Fatalf("rule %d has causes %v", i, r.Causes)
		}
		edited := crd.DeepCopy()
		setLimit(t, edited, r.Causes[0], r.Causes[0].Bound)
		if resp := newServer().create(t, edited); len(resp.errors) > 0 {
			t.Errorf("rule %d, with %v: %q", i, r.Causes[0], resp.errors)
		}
	}
}

func TestMultiplySaturates(t *testing.T) {
	for _, c := range [][3]uint64{{0, math.MaxUint64, 0}, {2, math.MaxUint64, math.MaxUint64}, {math.MaxUint64, 1, math.MaxUint64}, {3, 4, 12}} {
		if got := multiply(c[0], c[1]); got != c[2] {
			t.Errorf("%d × %d = %d", c[0], c[1], got)
		}
	}
}
