package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type props = apiextensionsv1.JSONSchemaProps

// rule returns a rule without a message.
func rule(text string) apiextensionsv1.ValidationRule {
	return apiextensionsv1.ValidationRule{Rule: text}
}

// withProps returns a CRD whose spec has the schema.
func withProps(t testing.TB, spec props) *crd {
	out := widget(t, "type: object")
	out.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	return out
}

// nested wraps a schema n times.
func nested(inner props, n int, wrap func(props) props) props {
	for range n {
		inner = wrap(inner)
	}
	return inner
}

func inItems(s props) props {
	return props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &s}}
}

func inProperty(s props) props {
	return props{Type: "object", Properties: map[string]props{"a": s}}
}

func inMap(s props) props {
	return props{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &s}}
}

func inNot(s props) props { return props{Not: &s} }

func TestCyclesAreRejected(t *testing.T) {
	self := props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{}}
	self.Items.Schema = &self
	not := props{}
	not.Not = &not
	tree := props{Type: "object"}
	tree.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &tree}
	tree.Not = &tree
	tree.AdditionalItems = &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &tree}
	for name, schema := range map[string]props{"items": self, "not": not, "a tree": tree} {
		t.Run(name, func(t *testing.T) {
			crd := withProps(t, schema)
			for _, old := range []*apiextensionsv1.CustomResourceDefinition{nil, widget(t, "type: object")} {
				report, err := target(t, DefaultVersion).Check(context.Background(), crd, old)
				if err != nil {
					t.Fatal(err)
				}
				if len(report.Findings) != 1 || report.Findings[0].Source != Decoder {
					t.Errorf("got %v", report.Findings)
				}
			}
			if _, err := target(t, DefaultVersion).ValidateUpdate(context.Background(), widget(t, "type: object"), crd); err == nil {
				t.Error("no error for an impossible old object")
			}
		})
	}
}

// decodes reports whether the server's JSON decoder accepts the CRD.
func decodes(t *testing.T, crd *crd) bool {
	t.Helper()
	text, err := json.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	return json.Unmarshal(text, new(apiextensionsv1.CustomResourceDefinition)) == nil
}

// TestNestingLimit checks that the deepest schemas that are validated are those that the
// decoder accepts.
func TestNestingLimit(t *testing.T) {
	for name, c := range map[string]struct {
		wrap  func(props) props
		depth int
		// slow is set if decoding takes time quadratic in the depth.
		slow bool
	}{
		// The decoder allows 10,000 levels. The CRD, spec, versions, v1, schema,
		// openAPIV3Schema, properties and spec take eight; each property takes two.
		"items":                {inItems, 9992, true},
		"properties":           {inProperty, 4996, false},
		"additionalProperties": {inMap, 9992, true},
		"not":                  {inNot, 9992, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, more := range []int{0, 1} {
				crd := withProps(t, nested(props{Type: "string"}, c.depth+more, c.wrap))
				if !c.slow && decodes(t, crd) != (more == 0) {
					t.Errorf("%d more: decoder accepts it: %t", more, more != 0)
				}
				findings, err := target(t, DefaultVersion).ValidateCreate(context.Background(), crd)
				if err != nil {
					t.Fatal(err)
				}
				if rejected := len(findings) == 1 && findings[0].Source == Decoder; rejected != (more == 1) {
					t.Errorf("%d more: %d findings", more, len(findings))
				}
			}
		})
	}
}

// TestDeepRulesTerminate checks deeply nested types, which take CEL very long.
func TestDeepRulesTerminate(t *testing.T) {
	for name, wrap := range map[string]func(props) props{"items": inItems, "properties": inProperty, "additionalProperties": inMap, "not": inNot} {
		for _, depth := range []int{90, 300, 3000} {
			for _, mistake := range []bool{false, true} {
				spec := nested(props{Type: "string"}, depth, wrap)
				spec.XValidations = apiextensionsv1.ValidationRules{rule("self == oldSelf")}
				spec.Default = &apiextensionsv1.JSON{Raw: []byte("{}")}
				spec.UniqueItems = mistake
				crd := withProps(t, spec)
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				report, err := target(t, DefaultVersion).Check(ctx, crd, crd)
				cancel()
				if err != nil {
					t.Fatalf("%s %d: %v", name, depth, err)
				}
				limited := slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Source == Limit })
				// Properties that no rule uses do not count.
				if want := depth > maxTypeNesting && (name == "items" || name == "additionalProperties"); limited != want {
					t.Errorf("%s %d: %d findings, limited %t", name, depth, len(report.Findings), limited)
				}
			}
		}
	}
}

func TestLargeSchemasAreRejected(t *testing.T) {
	crd := withProps(t, props{Type: "object", Description: strings.Repeat("x", maxRequestBytes)})
	findings, err := target(t, DefaultVersion).ValidateCreate(context.Background(), crd)
	if err != nil || len(findings) != 1 || !strings.Contains(findings[0].String(), "Request entity too large: limit is 3145728") {
		t.Errorf("got %v, %v", findings, err)
	}
	// A tree of shared nodes is exponentially large.
	spec := props{Type: "string"}
	for range 64 {
		spec = props{Type: "object", Properties: map[string]props{"a": spec, "b": spec}}
		shared := spec
		spec.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &shared}
	}
	findings, err = target(t, DefaultVersion).ValidateCreate(context.Background(), withProps(t, spec))
	if err != nil || len(findings) != 1 || findings[0].Source != Decoder {
		t.Errorf("got %v, %v", findings, err)
	}
}

// TestPanicsOfTheServer checks CRDs on which the server's code panics: there is a finding
// for the path, and all findings of the server without it.
func TestPanicsOfTheServer(t *testing.T) {
	const free = "{type: object, properties: {any: {type: object, additionalProperties: true}, bad: {type: string, uniqueItems: true}}"
	selecting := func(c *crd, path string) *crd {
		c.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.any"}, {JSONPath: path}}
		return c
	}
	for _, c := range []struct {
		name string
		crd  *crd
		path string
		// without removes the path from the CRD.
		without func(*crd)
	}{
		{"a schema that cannot be converted", selecting(widget(t, `{type: object, $ref: "#/x"}`), ".spec.a"), "spec.versions[0].selectableFields[0].jsonPath", noSelection},
		{"with rules", selecting(widget(t, `{type: object, $schema: x, x-kubernetes-validations: [{rule: "true"}]}`), ".spec.a"), "spec.versions[0].selectableFields[0].jsonPath", noSelection},
		{"two versions", selecting(second(t, widget(t, `{type: object, id: x}`), "type: object"), ".spec.a"), "spec.versions[0].selectableFields[0].jsonPath", noSelection},
		{"no schema", selecting(func() *crd {
			c := widget(t, "type: object")
			c.Spec.Versions[0].Schema.OpenAPIV3Schema = nil
			return c
		}(), ".spec.a"), "spec.versions[0].selectableFields[0].jsonPath", noSelection},
		{"selecting what has no schema", selecting(widget(t, free+"}"), ".spec.any.a.b"), "spec.versions[0].selectableFields[1].jsonPath", noSelection},
		{"a rule about what has no schema", widget(t, free+`, x-kubernetes-validations: [{rule: "self.nothing", fieldPath: ".any.a.b"}, {rule: "1", fieldPath: ".bad"}, {rule: "true", fieldPath: ".no"}]}`),
			"spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath", func(c *crd) {
				c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].XValidations[0].FieldPath = ""
			}},
		{"a default with such a rule", widget(t, `{type: object, default: {}, properties: {any: {type: object, additionalProperties: true}}, x-kubernetes-validations: [{rule: "true", fieldPath: ".any['a'].b"}]}`),
			"spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath", func(c *crd) {
				c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].XValidations[0].FieldPath = ""
			}},
		{"a rule below a number", widget(t, `{type: integer, x-kubernetes-validations: [{rule: "true"}], items: {type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == 'a'"}]}}}}`),
			"spec.versions[0].schema.openAPIV3Schema.properties[spec].items.properties[a].x-kubernetes-validations", func(c *crd) {
				c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Items.Schema.Properties["a"] = props{Type: "string"}
			}},
		{"a rule below an integer or string", widget(t, `{type: array, x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: "true"}], items: {type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == 'a'"}]}}}}`),
			"spec.versions[0].schema.openAPIV3Schema.properties[spec].items.properties[a].x-kubernetes-validations", func(c *crd) {
				c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Items.Schema.Properties["a"] = props{Type: "string"}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := guard(func() error { newServer().create(t, c.crd); return nil }); err == nil {
				t.Error("the server does not panic")
			}
			report, err := target(t, DefaultVersion).Check(context.Background(), c.crd, nil)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, r := range report.Rules {
				if seen[r.Path] {
					t.Errorf("duplicate rule %s", r.Path)
				}
				seen[r.Path] = true
			}
			findings := report.Findings
			found := slices.IndexFunc(findings, func(f Finding) bool { return f.Source == Panic })
			if found < 0 || !slices.Contains(findings[found].Paths, c.path) || !strings.Contains(findings[found].String(), "internal error") {
				t.Fatalf("got %v", findings)
			}
			findings = slices.DeleteFunc(findings, func(f Finding) bool { return f.Source == Panic })
			c.without(c.crd)
			same(t, newServer().create(t, c.crd), responseOf(findings))
		})
	}
}

func noSelection(c *crd) { c.Spec.Versions[0].SelectableFields = nil }

// TestPathsNearPanics compares findings about paths on which the server does not panic.
func TestPathsNearPanics(t *testing.T) {
	c := widget(t, `{type: object, id: x}`)
	for _, path := range []string{"", "x", "..", ".[", ".a[", "['a'", ".spec[0]", "[0]"} {
		c.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: path}}
		var want response
		panics := guard(func() error { want = newServer().create(t, c); return nil })
		findings, err := target(t, DefaultVersion).ValidateCreate(context.Background(), c)
		if err != nil {
			t.Fatalf("%q: %v, %v", path, findings, err)
		}
		if panics == nil {
			same(t, want, responseOf(findings))
		} else if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Source == Panic }) {
			t.Errorf("%q: %v", path, findings)
		}
	}
}

func TestFailuresAreErrors(t *testing.T) {
	if err := guard(func() error { panic("trouble") }); err == nil || !strings.Contains(err.Error(), "panicked: trouble") {
		t.Errorf("got %v", err)
	}
	raw := widget(t, "type: object")
	raw.Spec.Versions[0].Schema.OpenAPIV3Schema.Default = &apiextensionsv1.JSON{Raw: []byte("{")}
	for name, c := range map[string]*crd{"no CRD": nil, "no JSON": raw} {
		if findings, err := target(t, DefaultVersion).ValidateCreate(context.Background(), c); err == nil {
			t.Errorf("%s: got %v", name, findings)
		}
		if findings, err := target(t, DefaultVersion).ValidateUpdate(context.Background(), widget(t, "type: object"), c); err == nil {
			t.Errorf("%s as old: got %v", name, findings)
		}
	}
	// An empty object is invalid, not an error.
	if findings, err := target(t, DefaultVersion).ValidateCreate(context.Background(), &crd{}); err != nil || len(findings) < 5 {
		t.Errorf("got %v, %v", findings, err)
	}
}

// countdown is a context that is canceled after a number of calls of Err.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestContextCanceled cancels the context at every check.
func TestContextCanceled(t *testing.T) {
	crd := second(t, withSchema(t, manyRules(11)), "type: object\nproperties: {spec: {type: object, x-kubernetes-validations: [{rule: \"self == self\"}]}}")
	target := target(t, DefaultVersion)
	ends := 0
	for n := int64(0); ; n++ {
		ctx := &countdown{Context: context.Background()}
		ctx.left.Store(n)
		report, err := target.Check(ctx, crd, nil)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || len(report.Findings) > 0 || len(report.Rules) > 0 {
			t.Fatalf("after %d checks: %v, %v", n, err, report)
		}
		ends++
	}
	if ends < 10 {
		t.Errorf("only %d checks", ends)
	}
	// Nothing unfinished may remain in the cache.
	if findings, err := target.ValidateCreate(context.Background(), crd); err != nil || len(findings) == 0 {
		t.Errorf("got %v, %v", findings, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if err := target.compile(done, []*job{{}, {}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestOrderIsStable checks the same CRD many times in parallel.
func TestOrderIsStable(t *testing.T) {
	crd := withSchema(t, manyRules(15))
	delete(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties, "a3")
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["b"] = props{Type: "text", Format: "x"}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["c"] = props{Type: "text", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &props{}}}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["d"] = props{Type: "object", XValidations: apiextensionsv1.ValidationRules{{Rule: "self.x"}, {Rule: "1"}}}
	target := target(t, DefaultVersion)
	texts := make([]string, 20)
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() {
			report, err := target.Check(context.Background(), crd, nil)
			for _, f := range report.Findings {
				texts[i] += f.String() + "\n"
			}
			for _, r := range report.Rules {
				texts[i] += fmt.Sprintf("%s %s %v\n", r.Path, r.Error, r.Causes)
			}
			texts[i] += fmt.Sprint(err)
		})
	}
	all.Wait()
	if got := slices.Compact(slices.Clone(texts)); len(got) != 1 {
		t.Errorf("got %s\nand %s", got[0], got[1])
	}
}
