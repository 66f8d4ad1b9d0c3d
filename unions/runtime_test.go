package unions

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
)

// abc is the union of the cases: A selects a, B selects b, C nothing.
func abc(shape string) Union {
	values := []string{"A", "B", "C"}
	if strings.Contains(shape, `""`) {
		values = append(values, "")
	}
	u := New("type", values, Member{Name: "a", Value: "A", Optional: strings.Contains(shape, "a optional")}, Member{Name: "b", Value: "B"})
	switch {
	case strings.Contains(shape, "D optional"):
	case strings.Contains(shape, "D defaulted"):
		u.Default = ptr.To("B")
	default:
		u.Required = true
	}
	return u
}

type runtimeCase struct {
	name, shape string
	opts        Options
	old, new    string
	// want is the object after normalization; the empty text is new.
	want string
	errs []string
}

func (c runtimeCase) run(t *testing.T, s *structural.Schema) {
	t.Helper()
	plan := Compile(s, c.opts)
	old, new := object(t, c.old), object(t, c.new)
	want := new
	if c.want != "" {
		want = object(t, c.want)
	}
	wanted := encoded(t, want)
	before, given := encoded(t, old), encoded(t, new)
	changed := plan.Normalize(old, new)
	if got := encoded(t, new); got != wanted || changed != (got != given) {
		t.Errorf("normalized to %s (changed %t), want %s", got, changed, wanted)
	}
	if plan.Normalize(old, new) {
		t.Errorf("not idempotent: %s", encoded(t, new))
	}
	slices.Sort(c.errs)
	if got := kinds(plan.Validate(old, new, nil)); !slices.Equal(got, c.errs) {
		t.Errorf("validated as %q, want %q", got, c.errs)
	}
	if encoded(t, old) != before {
		t.Errorf("old was written: %s", encoded(t, old))
	}
}

const storedA = `{"type":"A","a":{}}`

// TestCases is the table of the cases that every implementation must agree on,
// with each form from which the runtime reads unions.
func TestCases(t *testing.T) {
	none := []string{}
	for _, c := range []runtimeCase{
		{name: "create", new: storedA, errs: none},
		{name: "create, two members", new: `{"type":"A","a":{},"b":{}}`, errs: []string{"Forbidden b"}},
		{name: "create, swapped", new: `{"type":"B","a":{}}`, errs: []string{"Required b", "Forbidden a"}},
		{name: "create, no member", new: `{"type":"A"}`, errs: []string{"Required a"}},
		{name: "create, empty member", new: `{"type":"C"}`, errs: none},
		{name: "create, beside an empty member", new: `{"type":"C","a":{}}`, errs: []string{"Forbidden a"}},
		{name: "second member", old: storedA, new: `{"type":"A","a":{},"b":{}}`, errs: []string{"Forbidden b", "Invalid type"}},
		{name: "other member", old: storedA, new: `{"type":"A","b":{}}`, errs: []string{"Required a", "Forbidden b"}},
		{name: "member removed", old: storedA, new: `{"type":"A"}`, errs: []string{"Required a"}},
		{name: "optional member removed", shape: "a optional", old: storedA, new: `{"type":"A"}`, errs: none},
		{name: "selected anew", old: storedA, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`, errs: none},
		{name: "selected, not set", old: storedA, new: `{"type":"B","a":{}}`, want: `{"type":"B"}`, errs: []string{"Required b"}},
		{name: "to an empty member", old: storedA, new: `{"type":"C","a":{}}`, want: `{"type":"C"}`, errs: none},
		{name: "to no member", shape: `""`, old: storedA, new: `{"type":"","a":{}}`, want: `{"type":""}`, errs: none},
		{name: "empty text is no value", old: storedA, new: `{"type":"","a":{}}`, errs: []string{"NotSupported type"}},
		{name: "empty text is no value, D optional", shape: "D optional", old: storedA, new: `{"type":"","a":{}}`, errs: []string{"NotSupported type"}},
		{name: "optional D removed", shape: `D optional`, old: storedA, new: `{"a":{}}`, want: `{}`, errs: none},
		{name: "optional D with empty value removed", shape: `D optional ""`, old: storedA, new: `{"a":{}}`, want: `{}`, errs: none},
		{name: "required D removed", old: storedA, new: `{"a":{}}`, errs: []string{"Required type"}},
		{name: "required D removed, empty text is a value", shape: `""`, old: storedA, new: `{"a":{}}`, errs: []string{"Required type"}},
		{name: "D null", old: storedA, new: `{"type":null,"a":{}}`, errs: []string{"Required type"}},
		{name: "defaulted D removed", shape: "D defaulted", old: storedA, new: `{"a":{}}`, want: `{}`, errs: []string{"Required b"}},
		{name: "unknown value", old: storedA, new: `{"type":"Z","a":{},"b":{}}`, errs: []string{"NotSupported type"}},
		{name: "unknown fields", old: storedA, new: `{"type":"B","a":{},"b":{},"n":{}}`, want: `{"type":"B","b":{},"n":{}}`, errs: none},
		{name: "null member", old: storedA, new: `{"type":"B","a":null,"b":{}}`, errs: none},
		{name: "carry-over only", opts: Options{CarryOverOnly: true}, old: storedA, new: `{"type":"C","a":{},"b":{}}`, want: `{"type":"C","b":{}}`, errs: []string{"Forbidden b"}},
		{name: "not carry-over only", old: storedA, new: `{"type":"C","a":{},"b":{}}`, want: `{"type":"C"}`, errs: none},
		{name: "from empty", shape: "D optional", old: `{}`, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`, errs: none},
		{name: "stored invalid", old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{},"b":{},"other":"x"}`, errs: none},
		{name: "stored invalid, no ratcheting", opts: Options{NoRatcheting: true}, old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{},"b":{}}`, errs: []string{"Forbidden b", "Invalid type"}},
		{name: "stored invalid, change of a member's content", old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{"x":1},"b":{}}`, errs: none},
		{name: "stored unknown value", old: `{"type":"Z"}`, new: `{"type":"Z","other":"x"}`, errs: none},
		{name: "absence becomes the empty text, which is no value", shape: "D optional", old: `{}`, new: `{"type":""}`, errs: []string{"NotSupported type"}},
		{name: "D is a number", old: storedA, new: `{"type":1,"a":{}}`, errs: []string{"TypeInvalid type"}},
		{name: "member is a list", new: `{"type":"A","a":[]}`, errs: []string{"TypeInvalid a"}},
		{name: "old D is a number", old: `{"type":1,"a":{}}`, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`, errs: none},
	} {
		for _, forms := range [][]Form{{FormCEL}, {FormExtension, FormOneOf}} {
			t.Run(c.name+"/"+joinForms(forms), func(t *testing.T) {
				c.run(t, schemaFor(t, abc(c.shape), LowerOptions{Forms: forms}))
			})
		}
	}
}

// keyed is a list of s with keys name (default "none") and port.
func keyed(s *structural.Schema, keys ...string) *structural.Schema {
	items := *s
	name := &structural.Schema{Generic: structural.Generic{Type: "string", Default: &structural.JSON{Raw: []byte(`"none"`)}}}
	port := &structural.Schema{Generic: structural.Generic{Type: "integer"}}
	items.Properties = append(slices.Clone(s.Properties), structural.Property{Name: "name", Schema: name}, structural.Property{Name: "port", Schema: port})
	list := &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: &items}
	list.XListType, list.XListMapKeys = "map", keys
	return list
}

func TestPlaces(t *testing.T) {
	u := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}})
	list := func(kind string) *structural.Schema {
		out := &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: u}
		out.XListType = kind
		return out
	}
	// outer: type A -> a, whose content is a union again.
	outer := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormExtension}})
	for i, p := range outer.Properties {
		if p.Name == "a" {
			outer.Properties[i].Schema = u
		}
	}
	schema := objectSchema(
		structural.Property{Name: "parent", Schema: u},
		structural.Property{Name: "map", Schema: &structural.Schema{Generic: structural.Generic{Type: "object"}, AdditionalProperties: &structural.SchemaOrBool{Schema: u}}},
		structural.Property{Name: "byName", Schema: keyed(u, "name")},
		structural.Property{Name: "byBoth", Schema: keyed(u, "name", "port")},
		structural.Property{Name: "atomic", Schema: list("atomic")},
		structural.Property{Name: "set", Schema: list("set")},
		structural.Property{Name: "plain", Schema: list("")},
		structural.Property{Name: "outer", Schema: outer},
	)
	none := []string{}
	for _, c := range []runtimeCase{
		{name: "parent absent", old: `{}`, new: `{"parent":{"type":"B","a":{},"b":{}}}`, errs: []string{"Forbidden parent.a"}},
		{name: "parent null", old: `{"parent":null}`, new: `{"parent":{"type":"B","a":{},"b":{}}}`, errs: []string{"Forbidden parent.a"}},
		{name: "parent removed", old: `{"parent":{"type":"A","a":{}}}`, new: `{"parent":null}`, errs: none},
		{name: "parent of the wrong type", old: `{"parent":{}}`, new: `{"parent":[1]}`, errs: []string{"TypeInvalid parent"}},
		{name: "old parent of the wrong type", old: `{"parent":[]}`, new: `{"parent":{"type":"B","a":{},"b":{}}}`, errs: []string{"Forbidden parent.a"}},
		{name: "list of the wrong type", new: `{"byName":{},"map":[]}`, errs: []string{"TypeInvalid byName", "TypeInvalid map"}},
		{name: "map", old: `{"map":{"k":` + storedA + `}}`, new: `{"map":{"k":{"type":"B","a":{},"b":{}},"l":{"type":"B","a":{},"b":{}}}}`,
			want: `{"map":{"k":{"type":"B","b":{}},"l":{"type":"B","a":{},"b":{}}}}`, errs: []string{"Forbidden map[l].a"}},
		{name: "keyed, in another order", old: `{"byName":[{"name":"x","type":"A","a":{}},{"name":"y","type":"B","b":{}}]}`,
			new:  `{"byName":[{"name":"y","type":"A","a":{},"b":{}},{"name":"x","type":"A","a":{},"b":{}},{"name":"z","type":"A","b":{}}]}`,
			want: `{"byName":[{"name":"y","type":"A","a":{}},{"name":"x","type":"A","a":{},"b":{}},{"name":"z","type":"A","b":{}}]}`,
			errs: []string{"Forbidden byName[1].b", "Invalid byName[1].type", "Required byName[2].a", "Forbidden byName[2].b"}},
		{name: "keyed, default key", old: `{"byName":[{"type":"A","a":{}}]}`, new: `{"byName":[{"name":"none","type":"B","a":{},"b":{}}]}`,
			want: `{"byName":[{"name":"none","type":"B","b":{}}]}`, errs: none},
		{name: "keyed, twice in new", old: `{"byName":[{"name":"x","type":"A","a":{}}]}`,
			new:  `{"byName":[{"name":"x","type":"B","a":{},"b":{}},{"name":"x","type":"B","b":{}}]}`,
			errs: []string{"Forbidden byName[0].a"}},
		{name: "keyed, twice in old", old: `{"byName":[{"name":"x","type":"A","a":{}},{"name":"x","type":"A","a":{}}]}`,
			new: `{"byName":[{"name":"x","type":"B","a":{},"b":{}}]}`, errs: []string{"Forbidden byName[0].a"}},
		{name: "two keys", old: `{"byBoth":[{"name":"x","port":1,"type":"A","a":{}},{"name":"x","port":2,"type":"C"}]}`,
			new:  `{"byBoth":[{"name":"x","port":2,"type":"C","a":{}},{"name":"x","port":1.0,"type":"C","a":{}}]}`,
			want: `{"byBoth":[{"name":"x","port":2,"type":"C","a":{}},{"name":"x","port":1,"type":"C"}]}`, errs: []string{"Forbidden byBoth[0].a"}},
		{name: "two keys, one missing", old: `{"byBoth":[{"name":"x","type":"A","a":{}}]}`, new: `{"byBoth":[{"name":"x","type":"C","a":{}}]}`, errs: []string{"Forbidden byBoth[0].a"}},
		{name: "key is an object", old: `{"byName":[{"name":{},"type":"A","a":{}}]}`, new: `{"byName":[{"name":{},"type":"C","a":{}},1]}`,
			errs: []string{"Forbidden byName[0].a", "TypeInvalid byName[1]"}},
		{name: "atomic", old: `{"atomic":[` + storedA + `]}`, new: `{"atomic":[{"type":"B","a":{},"b":{}}]}`, errs: []string{"Forbidden atomic[0].a"}},
		{name: "set", old: `{"set":[` + storedA + `]}`, new: `{"set":[{"type":"B","a":{},"b":{}}]}`, errs: []string{"Forbidden set[0].a"}},
		{name: "unkeyed", old: `{"plain":[` + storedA + `]}`, new: `{"plain":[{"type":"B","a":{},"b":{}}]}`, errs: []string{"Forbidden plain[0].a"}},
		{name: "inner union", old: `{"outer":{"type":"A","a":` + storedA + `}}`, new: `{"outer":{"type":"A","a":{"type":"C","a":{}}}}`,
			want: `{"outer":{"type":"A","a":{"type":"C"}}}`, errs: none},
		{name: "inner union in a cleared member", old: `{"outer":{"type":"A","a":` + storedA + `}}`, new: `{"outer":{"type":"C","a":{"type":"C","a":{}}}}`,
			want: `{"outer":{"type":"C"}}`, errs: none},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, schema) })
	}
}

func TestNothingToDo(t *testing.T) {
	s := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}})
	for _, schema := range []*structural.Schema{nil, {}, s} {
		if Normalize(schema, nil, nil) || len(Validate(schema, nil, nil)) > 0 || Normalize(schema, map[string]any{}, nil) {
			t.Error("nothing must come of nothing")
		}
	}
}

// TestManyElements is linear: a quadratic look-up would take minutes.
func TestManyElements(t *testing.T) {
	s := objectSchema(structural.Property{Name: "list", Schema: keyed(schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}}), "name")})
	const count = 100_000
	before, after := make([]any, count), make([]any, count)
	for i := range count {
		name := fmt.Sprint("n", i)
		before[i] = map[string]any{"name": name, "type": "A", "a": map[string]any{}}
		after[count-1-i] = map[string]any{"name": name, "type": "B", "a": map[string]any{}, "b": map[string]any{}}
	}
	old, new := map[string]any{"list": before}, map[string]any{"list": after}
	if !Normalize(s, old, new) {
		t.Error("nothing was changed")
	}
	if errs := Validate(s, old, new); len(errs) > 0 {
		t.Error(errs[0])
	}
}

// randomObject is a random object of the union, well-formed or not.
func randomObject(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	if r.Intn(4) > 0 {
		out["type"] = []any{"A", "A", "B", "B", "C", "", "Z", nil, int64(1)}[r.Intn(9)]
	}
	for _, name := range []string{"a", "b"} {
		switch r.Intn(6) {
		case 0, 1, 2:
			out[name] = map[string]any{"x": int64(r.Intn(3))}
		case 3:
			out[name] = nil
		}
	}
	if r.Intn(2) == 0 {
		out["other"] = "o"
	}
	if depth > 0 {
		var list []any
		for range r.Intn(4) {
			element := randomObject(r, depth-1)
			if r.Intn(6) > 0 {
				element["name"] = []string{"x", "y", "none", "z"}[r.Intn(4)]
			}
			list = append(list, element)
		}
		if list != nil {
			out["list"] = list
		}
	}
	return out
}

// onlyMembersCleared reports whether after is before without some members.
func onlyMembersCleared(before, after any) bool {
	switch before := before.(type) {
	case map[string]any:
		now, ok := after.(map[string]any)
		if !ok || len(now) > len(before) {
			return false
		}
		for key, value := range before {
			left, kept := now[key]
			if !kept && key != "a" && key != "b" || kept && !onlyMembersCleared(value, left) {
				return false
			}
		}
		return true
	case []any:
		now, ok := after.([]any)
		return ok && slices.EqualFunc(before, now, onlyMembersCleared)
	}
	return before == after
}

func TestRandomObjects(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, shape := range []string{"", "D optional", `D optional ""`, "D defaulted", "a optional", `""`} {
		inner := schemaFor(t, abc(shape), LowerOptions{Forms: []Form{FormExtension, FormCEL}})
		s := *inner
		s.Properties = append(slices.Clone(inner.Properties), structural.Property{Name: "list", Schema: keyed(inner, "name")})
		for _, opts := range []Options{{}, {CarryOverOnly: true}, {NoRatcheting: true}} {
			plan := Compile(&s, opts)
			for range 4_000 {
				old, given := randomObject(r, 1), randomObject(r, 1)
				if r.Intn(10) == 0 {
					old = nil
				}
				before, new := encoded(t, old), clone(given)
				changed := plan.Normalize(old, new)
				context := fmt.Sprintf("%s %+v: %s → %s gave %s", shape, opts, before, encoded(t, given), encoded(t, new))
				if !onlyMembersCleared(given, new) || old == nil && changed || changed == (encoded(t, given) == encoded(t, new)) {
					t.Fatal(context)
				}
				if plan.Normalize(old, new) {
					t.Fatal("not idempotent: " + context)
				}
				plan.Validate(old, new, nil)
				if encoded(t, old) != before {
					t.Fatal("old was written: " + context)
				}
				// An object that was not changed since has no new errors.
				if !opts.NoRatcheting && new["type"] != any(int64(1)) && new["list"] == nil && len(plan.Validate(new, clone(new), nil)) > 0 {
					t.Fatal("not ratcheted: " + context)
				}
			}
		}
	}
}
