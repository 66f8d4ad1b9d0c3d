package compare

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

var randomPairs = flag.Int("pairs", 1500, "how many random pairs of definitions to compare")

type props = apiextensionsv1.JSONSchemaProps

// random generates schemas, changes of them, and objects.
type random struct{ *rand.Rand }

func (c random) one(in int) bool { return c.IntN(in) == 0 }

func pick[T any](c random, in ...T) T { return in[c.IntN(len(in))] }

func raw(text string) apiextensionsv1.JSON { return apiextensionsv1.JSON{Raw: []byte(text)} }

var fieldNames = []string{"a", "b", "c"}

func (c random) schema(depth int) props {
	var s props
	kinds := []string{"string", "string", "integer", "number", "boolean", "either"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "object", "array", "keyed", "map")
	}
	switch s.Type = pick(c, kinds...); s.Type {
	case "either":
		s.Type, s.XIntOrString = "", true
	case "array", "keyed":
		items := c.schema(depth - 1)
		if s.Type == "keyed" {
			items = props{Type: "object", Properties: map[string]props{"a": {Type: "string"}, "b": c.schema(depth - 1)}, Required: []string{"a"}}
			s.XListType, s.XListMapKeys = ptr.To("map"), []string{"a"}
		} else if items.Type != "array" && items.Type != "object" && c.one(3) {
			s.XListType = ptr.To("set")
			items.Nullable = false
		}
		s.Type, s.Items = "array", &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}
	case "map":
		values := c.schema(depth - 1)
		s.Type, s.AdditionalProperties = "object", &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &values}
	case "object":
		s.Properties = map[string]props{}
		for _, name := range fieldNames[:1+c.IntN(3)] {
			s.Properties[name] = c.schema(depth - 1)
		}
	}
	for range c.IntN(3) {
		c.keyword(&s)
	}
	return s
}

// keyword sets or removes a keyword that applies to the type.
func (c random) keyword(s *props) {
	limit := func() *int64 { return pick(c, nil, ptr.To(int64(c.IntN(4)))) }
	edits := []func(){func() { s.Nullable = !s.Nullable && s.XListType == nil }, func() { s.Description += "x" }}
	add := func(more ...func()) { edits = append(edits, more...) }
	switch {
	case s.Type == "string":
		add(func() { s.MaxLength = limit() }, func() { s.MinLength = limit() }, func() { s.Pattern = pick(c, "", "^a", "^b") },
			func() { s.Format = pick(c, "", "date", "nope") },
			func() {
				s.AllOf = pick(c, nil, []props{{MaxLength: limit(), MinLength: limit(), Pattern: pick(c, "", "^a")}})
			},
			func() {
				s.Enum = pick(c, nil, []apiextensionsv1.JSON{raw(`"a"`), raw(`"b"`)}, []apiextensionsv1.JSON{raw(`"b"`), raw(`"a"`), raw(`"abc"`)})
			},
			func() { s.Default = pick(c, nil, ptr.To(raw(`"a"`)), ptr.To(raw(`"b"`))) },
			func() { s.AnyOf = pick(c, nil, []props{{MaxLength: ptr.To(int64(1))}, {Pattern: "^b"}}) },
			func() { s.Not = pick(c, nil, &props{Pattern: "c$"}) },
			func() {
				s.MaxLength = ptr.To(int64(9))
				s.XValidations = apiextensionsv1.ValidationRules{{Rule: pick(c, "self.size() < 3", "self != 'a'", "self.split('a')[1] == 'b'", "int(self) > 1", "self == oldSelf", "self in ['a', 'bc']")}}
			})
	case s.Type == "integer", s.Type == "number":
		bound := func() *float64 { return pick(c, nil, ptr.To(float64(c.IntN(4)))) }
		add(func() { s.Maximum, s.ExclusiveMaximum = bound(), false }, func() { s.Minimum, s.ExclusiveMinimum = bound(), false },
			func() { s.ExclusiveMaximum = s.Maximum != nil }, func() { s.ExclusiveMinimum = s.Minimum != nil },
			func() { s.MultipleOf = pick(c, nil, ptr.To(1.0), ptr.To(2.0), ptr.To(4.0)) },
			func() { s.Format = pick(c, "", "int32", "int64", "double") },
			func() {
				s.AllOf = pick(c, nil, []props{{Maximum: ptr.To(2.0)}}, []props{{Minimum: bound(), Maximum: bound()}})
			},
			func() { s.Default = pick(c, nil, ptr.To(raw("1")), ptr.To(raw("2"))) })
	case s.Type == "array":
		add(func() { s.MaxItems = limit() }, func() { s.MinItems = limit() })
	case s.AdditionalProperties != nil:
		add(func() { s.MaxProperties = limit() }, func() { s.MinProperties = limit() })
	case s.Type == "object":
		add(func() { s.MaxProperties = limit() }, func() { s.MinProperties = limit() },
			func() { s.Required = pick(c, nil, []string{"a"}, []string{"b"}, []string{"a", "b"}) },
			func() { s.XPreserveUnknownFields = pick(c, nil, ptr.To(true)) },
			func() { s.Default = pick(c, nil, ptr.To(raw("{}"))) },
			func() { s.OneOf = pick(c, nil, []props{{Required: []string{"a"}}, {Required: []string{"b"}}}) },
			func() { s.Not = pick(c, nil, &props{Required: []string{"b"}}) },
			func() {
				s.AllOf = pick(c, nil, []props{{Required: []string{"a"}, MinProperties: limit()}}, []props{{Properties: map[string]props{"a": {MaxLength: limit(), Maximum: ptr.To(3.0)}}}})
			},
			func() {
				s.XValidations = pick(c, nil, apiextensionsv1.ValidationRules{{Rule: "true"}}, apiextensionsv1.ValidationRules{{Rule: "self == oldSelf"}},
					apiextensionsv1.ValidationRules{{Rule: pick(c, "!has(self.c)", "!has(self.c) || has(self.b)", "has(self.a) ? !has(self.b) : true", "!has(self.b) || has(oldSelf.b)", "!self.?c.hasValue()")}})
			})
	case s.XIntOrString:
		add(func() { s.AnyOf = pick(c, nil, []props{{Type: "integer"}, {Type: "string"}}) }, func() { s.MaxLength = limit() })
	}
	pick(c, edits...)()
}

// change makes one change to a schema.
func (c random) change(s *props, depth int) {
	switch {
	case len(s.Properties) > 0 && !c.one(4):
		name := pick(c, slices.Sorted(maps.Keys(s.Properties))...)
		child := s.Properties[name]
		c.change(&child, depth-1)
		s.Properties[name] = child
	case s.Items != nil && !c.one(4):
		c.change(s.Items.Schema, depth-1)
	case s.AdditionalProperties != nil && !c.one(4):
		c.change(s.AdditionalProperties.Schema, depth-1)
	case c.one(8):
		*s = c.schema(max(depth, 0))
	case len(s.Properties) > 0 && c.one(3):
		if name := pick(c, fieldNames...); c.one(2) {
			delete(s.Properties, name)
		} else {
			s.Properties[name] = c.schema(0)
		}
	case len(s.Enum) > 1 && c.one(2):
		s.Enum = s.Enum[:len(s.Enum)-1]
	case len(s.AnyOf) > 1 && s.Type != "" && c.one(2):
		s.AnyOf = s.AnyOf[1:]
	case s.Type == "integer" && c.one(4):
		s.Type = "number"
	case s.Type == "array" && s.XListType == nil && c.one(4):
		s.XListType = ptr.To("atomic")
	default:
		c.keyword(s)
	}
}

// value returns a value that a schema may accept.
func (c random) value(s *props, depth int) any {
	switch {
	case s.Nullable && c.one(5):
		return nil
	case len(s.Enum) > 0 && !c.one(6):
		var out any
		if json.Unmarshal(pick(c, s.Enum...).Raw, &out) == nil {
			return out
		}
	case s.XIntOrString:
		return pick[any](c, int64(c.IntN(5)), "a", "abc")
	}
	switch s.Type {
	case "string":
		return pick(c, "a", "b", "abc", "bc", "", "aaaa", "2020-01-01")
	case "integer":
		return int64(c.IntN(6))
	case "number":
		return pick[any](c, int64(c.IntN(6)), 0.5, 1.5)
	case "boolean":
		return c.one(2)
	case "array":
		out := []any{}
		for range c.IntN(4) {
			out = append(out, c.value(s.Items.Schema, depth-1))
		}
		return out
	case "object":
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			child := s.Properties[name]
			if slices.Contains(s.Required, name) || c.one(2) {
				out[name] = c.value(&child, depth-1)
			}
		}
		if s.AdditionalProperties != nil {
			for _, name := range []string{"k", "l", "m"}[:c.IntN(4)] {
				out[name] = c.value(s.AdditionalProperties.Schema, depth-1)
			}
		}
		if s.XPreserveUnknownFields != nil && c.one(2) {
			out[pick(c, "a", "b", "c", "z")] = pick[any](c, "a", int64(7), map[string]any{"in": "a"})
		}
		return out
	}
	return "a"
}

func randomDefinition(spec props) *apiextensionsv1.CustomResourceDefinition {
	crd := base()
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties = map[string]props{"spec": spec, "free": {Type: "string"}}
	return crd
}

// TestRandom compares categories with the server's code. After a safe change, the server
// must accept and keep what it accepted and kept before. After one that only breaks
// clients, it must accept updates of stored objects that do not touch the changed fields.
func TestRandom(t *testing.T) {
	target := newest(t)
	counts := map[string]int{}
	for seed := range *randomPairs {
		c := random{rand.New(rand.NewPCG(uint64(seed), 1))}
		spec := c.schema(3)
		old := randomDefinition(spec)
		if findings, err := target.ValidateCreate(t.Context(), old); err != nil || slices.ContainsFunc(findings, func(f apiserver.Finding) bool { return !f.Warning }) {
			counts["rejected definitions"]++
			continue
		}
		new := old.DeepCopy()
		changed := new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		for range 1 + c.IntN(2) {
			c.change(&changed, 2)
		}
		new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = changed
		changes, err := Definitions(t.Context(), target, []*crd.Definition{subject(old)}, []*crd.Definition{subject(new)})
		if err != nil {
			t.Fatal(err)
		}
		worst := Safe
		for _, change := range changes {
			worst = max(worst, change.Category)
		}
		counts[worst.String()]++
		if worst == BreaksStored {
			continue
		}
		r := randomRun{t: t, random: c, counts: counts, changes: changes, model: subject(old).Schemas[0]}
		if r.old, err = apiserver.NewKind(old, "v1"); err != nil {
			t.Fatal(err)
		}
		if r.new, err = apiserver.NewKind(new, "v1"); err != nil {
			t.Fatal(err)
		}
		for range 12 {
			from := pick(c, &spec, &changed)
			if message := r.object(worst, c.value(from, 3), c.value(from, 3)); message != "" {
				oldSpec, _ := json.Marshal(spec)
				newSpec, _ := json.Marshal(changed)
				var reported []string
				for _, change := range changes {
					reported = append(reported, fmt.Sprintf("%s %s: %s", change.Kind, change.Field, change.Category))
				}
				t.Fatalf("seed %d: %s\nold %s\nnew %s\n%s", seed, message, oldSpec, newSpec, strings.Join(reported, "\n"))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[name], name)
	}
	for _, name := range []string{"safe", "breaks clients", "accepted objects", "updates", "updates inside"} {
		if counts[name] < *randomPairs/30 {
			t.Errorf("only %d %s", counts[name], name)
		}
	}
}

// randomRun is a pair of definitions with the server's code for each.
type randomRun struct {
	t *testing.T
	random
	counts   map[string]int
	changes  []Change
	model    *structural.Schema
	old, new *apiserver.Kind
}

// object creates and updates an object that the old definition may accept. It returns a
// message if the server contradicts the category.
func (r randomRun) object(worst Category, spec, other any) string {
	ctx := r.t.Context()
	object := func(spec any) map[string]any {
		return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "free": "a", "spec": spec}
	}
	sent := object(spec)
	before, err := r.old.Create(ctx, sent)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(before.Errors) > 0 {
		return ""
	}
	r.counts["accepted objects"]++
	if len(before.Nulls)+len(before.Pruned) > 0 {
		sent = before.Object // clients do not rely on dropped fields
	}
	if worst == Safe {
		after, err := r.new.Create(ctx, sent)
		if err != nil {
			r.t.Fatal(err)
		}
		if len(after.Errors) > 0 {
			return fmt.Sprintf("%s is rejected: %v", textOf(sent), after.Errors)
		}
		if !reflect.DeepEqual(r.seen(after.Object), r.seen(before.Object)) {
			return fmt.Sprintf("%s is stored as %s", textOf(sent), textOf(after.Object))
		}
	}
	touched := runtime.DeepCopyJSON(before.Object)
	touched["free"] = "b"
	if message := r.update(before.Object, touched); message != "" {
		return message
	}
	r.counts["updates"]++
	// Make another change that the old definition allows, outside the changed fields.
	changed, err := r.old.Update(ctx, object(other), before.Object)
	if err != nil {
		r.t.Fatal(err)
	}
	if edited := r.oneField(before.Object, changed.Object); len(changed.Errors) == 0 && edited != nil {
		if again, err := r.old.Update(ctx, edited, before.Object); err == nil && len(again.Errors) == 0 {
			r.counts["updates inside"]++
			return r.update(before.Object, again.Object)
		}
	}
	return ""
}

// update updates a stored object under the new definition.
func (r randomRun) update(stored, object map[string]any) string {
	after, err := r.new.Update(r.t.Context(), object, stored)
	if err != nil {
		r.t.Fatal(err)
	}
	switch {
	case len(after.Errors) > 0:
		return fmt.Sprintf("the update of %s to %s is rejected: %v", textOf(stored), textOf(object), after.Errors)
	case !reflect.DeepEqual(r.seen(after.Object), r.seen(object)):
		return fmt.Sprintf("the update of %s to %s is stored as %s", textOf(stored), textOf(object), textOf(after.Object))
	}
	return ""
}

// seen returns the object as a client of the old definition sees it.
func (r randomRun) seen(object map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(object)
	structural.Prune(r.model, out, true)
	return out
}

var indexRegexp = regexp.MustCompile(`\[\d+\]`)

// oneField returns a copy of object in which one field has the value of other. The field is
// not affected by the changes. It returns nil if there is none.
func (r randomRun) oneField(object, other map[string]any) map[string]any {
	type edit func()
	var edits []edit
	out := runtime.DeepCopyJSON(object)
	var visit func(at string, a, b any, set func(any))
	visit = func(at string, a, b any, set func(any)) {
		if reflect.DeepEqual(a, b) {
			return
		}
		x, ok := a.(map[string]any)
		y, also := b.(map[string]any)
		if ok && also {
			for _, name := range slices.Sorted(maps.Keys(x)) {
				if value, has := y[name]; has {
					visit(at+"."+name, x[name], value, func(v any) { x[name] = v })
				}
			}
			return
		}
		if list, ok := a.([]any); ok {
			others, ok := b.([]any)
			for i := range min(len(list), len(others)) {
				visit(fmt.Sprintf("%s[%d]", at, i), list[i], others[i], func(v any) { list[i] = v })
			}
			if ok && len(list) == len(others) {
				return
			}
		}
		field := indexRegexp.ReplaceAllString(at, "[*]")
		if strings.HasSuffix(field, "[*].a") {
			return // with another key it is a different, new element
		}
		for _, change := range r.changes {
			if change.Category != Safe && overlap(field, change.Field) {
				return
			}
		}
		edits = append(edits, func() { set(b) })
	}
	visit("", out, runtime.DeepCopyJSON(other), func(any) {})
	if len(edits) == 0 {
		return nil
	}
	pick(r.random, edits...)()
	return out
}

// overlap reports whether one of two fields contains the other; names of map entries match
// any name.
func overlap(a, b string) bool {
	split := func(field string) []string { return strings.Split(strings.ReplaceAll(field, "[*]", ".[*]"), ".") }
	x, y := split(a), split(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] && x[i] != "*" && y[i] != "*" {
			return false
		}
	}
	return true
}

func textOf(object map[string]any) string {
	data, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
