package apiserver

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
)

var crds = flag.Int("crds", 300, "how many random CRDs to compare")

// random generates CRDs with rules, most of them valid.
type random struct {
	*rand.Rand
	// mistakes is the inverse of the probability of a mistake; 0 means none.
	mistakes int
	// rulesIn is the inverse of the probability that a node has rules. If rules are rare,
	// other extensions are not used either, because the server requires structural schemas
	// for them.
	rulesIn int
}

func (c random) extends() bool { return c.rulesIn < 100 }

// newRandom returns the generator for one CRD: with no, some or many mistakes, and with or
// nearly without rules.
func newRandom(seed int) random {
	return random{rand.New(rand.NewSource(int64(seed))), []int{0, 150, 30}[seed%3], []int{3, 3, 100}[seed/3%3]}
}

func (c random) mistake() bool   { return c.mistakes > 0 && c.Intn(c.mistakes) == 0 }
func (c random) one(in int) bool { return c.Intn(in) == 0 }
func (c random) limit() *int64 {
	return []*int64{nil, ptr.To(int64(3)), ptr.To(int64(100)), ptr.To(int64(5000))}[c.Intn(4)]
}
func pick[T any](c random, in ...T) T { return in[c.Intn(len(in))] }

func (c random) schema(depth int) apiextensionsv1.JSONSchemaProps {
	var s apiextensionsv1.JSONSchemaProps
	kinds := []string{"string", "integer", "boolean"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "array", "map")
	}
	s.Type = pick(c, kinds...)
	switch s.Type {
	case "string":
		s.MaxLength = c.limit()
		s.Format = pick(c, "", "", "", "date-time", "byte", "duration", "wrong")
		if c.one(5) {
			s.Enum = []apiextensionsv1.JSON{{Raw: []byte(`"a"`)}, {Raw: []byte(`"bcd"`)}}
		}
	case "array":
		s.MaxItems = c.limit()
		items := c.schema(depth - 1)
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}
		if c.extends() && c.one(4) {
			s.XListType = ptr.To(pick(c, "atomic", "set", "map"))
			if *s.XListType == "map" && items.Type == "object" && items.AdditionalProperties == nil && !c.mistake() {
				s.XListMapKeys = []string{"key"}
				items.Properties["key"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
				items.Required = append(items.Required, "key")
			} else if *s.XListType == "map" && !c.mistake() {
				s.XListType = nil
			}
		}
	case "map":
		s.Type = "object"
		s.MaxProperties = c.limit()
		values := c.schema(depth - 1)
		s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &values}
	case "object":
		s.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		for _, name := range []string{"a", "b", "c", "in", "x-y", "0"}[:1+c.Intn(6)] {
			s.Properties[name] = c.schema(depth - 1)
			if c.one(4) {
				s.Required = append(s.Required, name)
			}
		}
		if c.one(6) {
			s.Default = &apiextensionsv1.JSON{Raw: []byte(pick(c, "{}", "{}", `{"a":null}`, `{"zzz":1}`))}
		}
	}
	if c.extends() && c.one(10) {
		s.XIntOrString, s.Type, s.Properties, s.Items, s.AdditionalProperties, s.Format = true, "", nil, nil, nil, ""
		s.Default, s.Required, s.XListType, s.XListMapKeys = nil, nil, nil, nil
	}
	if c.extends() && c.one(25) && s.Type == "object" && s.AdditionalProperties == nil {
		s.XEmbeddedResource, s.XPreserveUnknownFields = true, ptr.To(true)
	}
	if c.mistake() {
		pick(c,
			func() { s.Type = "" },
			func() { s.UniqueItems = true },
			func() { s.Items = nil },
			func() { s.Schema = "x" },
			func() { s.Ref = ptr.To("#") },
			func() { s.XListType = ptr.To("bag") },
			func() { s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{} },
			func() {
				s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{JSONSchemas: []props{c.schema(0), c.schema(0)}}
			},
			func() { s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: c.one(2)} },
			func() { s.AdditionalItems = &apiextensionsv1.JSONSchemaPropsOrBool{Schema: ptr.To(c.schema(0))} },
			func() { s.Definitions = map[string]props{"d": c.schema(1)} },
			func() { s.PatternProperties = map[string]props{"p": c.schema(1)} },
			func() {
				s.Dependencies = map[string]apiextensionsv1.JSONSchemaPropsOrStringArray{"d": {Schema: ptr.To(c.schema(1))}}
			},
			func() { s.Nullable = true },
			func() { s.Not = ptr.To(c.schema(1)) },
			func() { s.AnyOf = []apiextensionsv1.JSONSchemaProps{{Type: "string"}} },
			func() { s.AllOf = []apiextensionsv1.JSONSchemaProps{{XValidations: c.rules(&s)}} },
			func() { s.XPreserveUnknownFields = ptr.To(false) },
			func() { s.Default = &apiextensionsv1.JSON{Raw: []byte(pick(c, `1`, `"a"`, `{}`, `[]`))} },
		)()
	}
	if c.one(c.rulesIn) {
		s.XValidations = c.rules(&s)
	}
	return s
}

// rules returns rules for values of a schema.
func (c random) rules(s *apiextensionsv1.JSONSchemaProps) apiextensionsv1.ValidationRules {
	var out apiextensionsv1.ValidationRules
	for range 1 + c.Intn(3) {
		r := apiextensionsv1.ValidationRule{Rule: c.rule(s)}
		if c.one(6) {
			r.MessageExpression = pick(c, "'a'", "'a' + string(self)", "self.a", "1")
		}
		if c.one(8) {
			r.OptionalOldSelf = ptr.To(c.one(2))
		}
		if c.one(8) {
			r.FieldPath = pick(c, ".a", ".b", ".a.b", "['x-y']")
		}
		if c.mistake() {
			r.Message = pick(c, " ", "a\nb")
		}
		if c.mistake() {
			r.Rule = pick(c, "", " ", "true &&\ntrue")
		}
		if c.mistake() {
			r.Reason = ptr.To(apiextensionsv1.FieldValueErrorReason("x"))
		}
		out = append(out, r)
	}
	return out
}

func (c random) rule(s *apiextensionsv1.JSONSchemaProps) string {
	if c.one(12) {
		return pick(c, "self ==", "self.nothing", "1", "self.all(x, x == 1)", "self.size() > 1")
	}
	if c.one(5) {
		return pick(c, "self == oldSelf", "oldSelf.hasValue() || true", "true")
	}
	switch {
	case s.Type == "string" && s.Format != "date-time" && s.Format != "duration":
		return pick(c, "self.size() > 2", "self.contains('a')", "self.matches('^a+$')", "self.startsWith('a')")
	case s.Type == "array":
		return pick(c, "self.all(x, x == x)", "self.all(x, self.exists(y, x == y))", "self.size() < 3")
	case s.Type == "object" && s.AdditionalProperties != nil:
		return pick(c, "self.all(k, k.size() < 5)", "self.all(k, self[k] == self[k])", "self.size() < 3")
	case s.Type == "object":
		names := slices.Sorted(maps.Keys(s.Properties))
		if len(names) == 0 {
			return "true"
		}
		name := pick(c, names...)
		return fmt.Sprintf(pick(c, "has(self.%s)", "self.%[1]s == self.%[1]s", "self.%s.size() > 1"), strings.ReplaceAll(name, "-", "__dash__"))
	}
	return "self == self"
}

func (c random) crd() *apiextensionsv1.CustomResourceDefinition {
	out := &apiextensionsv1.CustomResourceDefinition{}
	out.Name = "widgets.example.com"
	out.Spec.Group, out.Spec.Scope = "example.com", "Namespaced"
	out.Spec.Names.Plural, out.Spec.Names.Kind = "widgets", "Widget"
	if c.mistake() {
		out.Name = "x.example.com"
	}
	for i := range 1 + c.Intn(2) {
		spec := c.schema(3)
		root := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec}}
		if c.one(c.rulesIn) {
			root.XValidations = c.rules(&root)
		}
		v := apiextensionsv1.CustomResourceDefinitionVersion{
			Name: fmt.Sprintf("v%d", i+1), Served: true, Storage: i == 0 != c.mistake(),
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
		}
		if c.one(2) {
			v.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		}
		if c.one(5) {
			v.SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.a"}}
		}
		out.Spec.Versions = append(out.Spec.Versions, v)
		if i == 0 && c.one(3) {
			again := v
			again.Name, again.Storage = "v9", false
			out.Spec.Versions = append(out.Spec.Versions, again)
		}
	}
	return out
}

// TestRandomCRDs compares findings about random CRDs with the server's.
func TestRandomCRDs(t *testing.T) {
	s, target := newServer(), target(t, newest())
	counts := map[string]int{}
	for seed := range *crds {
		c := newRandom(seed)
		crd := c.crd()
		before := crd.DeepCopy()
		var want response
		panics := guard(func() error { want = s.create(t, crd); return nil })
		report, err := target.Check(context.Background(), crd, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if panics != nil {
			counts["panics"]++
			if !slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Source == Panic }) {
				t.Errorf("seed %d: the server panics, but there is no finding", seed)
			}
			continue
		}
		same(t, withoutTies(want), withoutTies(responseOf(report.Findings)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if !apiequality.Semantic.DeepEqual(before, crd) {
			t.Fatalf("seed %d: the CRD was changed", seed)
		}
		count(counts, want, report)
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[name], name)
	}
	for _, name := range []string{"accepted", "rejected", "rejected for CEL only", "with skipped rules", "with all rules compiled and other errors", "over the total"} {
		if counts[name] < *crds/100 {
			t.Errorf("only %d CRDs are %s", counts[name], name)
		}
	}
}

// withoutTies removes the errors about the most expensive rules: among rules of equal cost,
// the server picks any.
func withoutTies(s response) response {
	s.errors = slices.DeleteFunc(slices.Clone(s.errors), func(text string) bool { return strings.HasSuffix(text, contributed) })
	return s
}

func count(counts map[string]int, want response, report Report) {
	if len(want.errors) == 0 {
		counts["accepted"]++
		return
	}
	counts["rejected"]++
	skipped := slices.ContainsFunc(report.Rules, func(r Rule) bool { return r.Skipped })
	other := slices.ContainsFunc(want.errors, func(text string) bool {
		return !strings.Contains(text, "compilation failed") && !strings.Contains(text, "exceed") && !strings.Contains(text, "contributed")
	})
	switch {
	case skipped:
		counts["with skipped rules"]++
	case other && len(report.Rules) > 0:
		counts["with all rules compiled and other errors"]++
	case !other:
		counts["rejected for CEL only"]++
	}
	if slices.ContainsFunc(want.errors, func(text string) bool { return strings.Contains(text, totalCost) }) {
		counts["over the total"]++
	}
}

// edit makes a small change to a CRD.
func (c random) edit(crd *apiextensionsv1.CustomResourceDefinition) {
	v := &crd.Spec.Versions[c.Intn(len(crd.Spec.Versions))]
	root := v.Schema.OpenAPIV3Schema
	spec := root.Properties["spec"]
	pick(c,
		func() {},
		func() {},
		func() {},
		func() {},
		func() {},
		func() { spec.Description = "changed" },
		func() { spec = c.schema(2) },
		func() { spec.XValidations = append(spec.XValidations, c.rules(&spec)...) },
		func() { spec.XValidations = append(spec.XValidations, c.rules(&spec)...) },
		func() { root.Properties["more"] = c.schema(2) },
		func() { root.XValidations = nil },
		func() { crd.Spec.Scope = "Cluster" },
		func() { crd.Spec.Names.Kind = "Gadget" },
		func() { crd.Spec.Group = "example.org" },
		func() { crd.Spec.Versions = crd.Spec.Versions[:1] },
		func() { crd.Spec.Versions[0].Name = "v5" },
		func() { crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: "Webhook"} },
	)()
	if root.Properties["spec"].Type != "" || spec.Type != "" {
		root.Properties["spec"] = spec
	}
}

// TestRandomUpdates compares findings about random updates with the server's. Old objects
// may be invalid, as if an older server had accepted them.
func TestRandomUpdates(t *testing.T) {
	s, target := newServer(), target(t, newest())
	counts := map[string]int{}
	for seed := range *crds {
		c := newRandom(seed)
		old := c.crd()
		crd := old.DeepCopy()
		for range 1 + c.Intn(2) {
			c.edit(crd)
		}
		before := []any{crd.DeepCopy(), old.DeepCopy()}
		var want response
		panics := guard(func() error { want = s.update(t, crd, s.stored(t, old)); return nil })
		report, err := target.Check(context.Background(), crd, old)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if panics != nil {
			if !slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Source == Panic }) {
				t.Errorf("seed %d: the server panics, but there is no finding", seed)
			}
			continue
		}
		same(t, withoutTies(want), withoutTies(responseOf(report.Findings)))
		if !apiequality.Semantic.DeepEqual(before, []any{crd, old}) {
			t.Errorf("an object was changed")
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		count(counts, want, report)
		created := s.create(t, crd)
		if len(want.errors) == 0 && len(created.errors) > 0 {
			counts["accepted, but not as a create"]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[name], name)
	}
	for _, name := range []string{"accepted", "rejected", "with skipped rules", "accepted, but not as a create"} {
		if counts[name] < *crds/300 {
			t.Errorf("only %d updates are %s", counts[name], name)
		}
	}
}
