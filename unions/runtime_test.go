package unions

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
)

// abc returns the union of the cases: A selects a, B selects b, C selects none.
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

// keyed returns the schema of a list of s with keys, such as name (default "none") and port.
func keyed(s *structural.Schema, keys ...string) *structural.Schema {
	items := *s
	name := &structural.Schema{Generic: structural.Generic{Type: "string", Default: &structural.JSON{Raw: []byte(`"none"`)}}}
	port := &structural.Schema{Generic: structural.Generic{Type: "integer"}}
	items.Properties = append(slices.Clone(s.Properties), structural.Property{Name: "name", Schema: name}, structural.Property{Name: "port", Schema: port})
	list := &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: &items}
	list.XListType, list.XListMapKeys = "map", keys
	return list
}

func TestNothingToDo(t *testing.T) {
	s := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}})
	for _, schema := range []*structural.Schema{nil, {}, s} {
		if Normalize(schema, nil, nil) || len(Validate(schema, nil, nil)) > 0 || Normalize(schema, map[string]any{}, nil) {
			t.Error("got changes or errors without a union")
		}
	}
}

// TestFieldInTwoMembers checks that all members are processed if a field is the member for two
// values, or the discriminator as well: the number of present fields must not be used then.
func TestFieldInTwoMembers(t *testing.T) {
	s := schemaFor(t, New("type", []string{"A", "B", "C", "D"}), LowerOptions{Forms: []Form{FormExtension}})
	s.Properties[0].Schema.XUnionMembers = []structural.UnionMember{{Value: "A", Name: "type"}, {Value: "B", Name: "b"}, {Value: "C", Name: "b"}, {Value: "D", Name: "d"}}
	for new, want := range map[string][]string{
		`{"type":"A","d":{}}`:        {"Forbidden d"},
		`{"type":"D","b":{},"d":{}}`: {"Forbidden b", "Forbidden b", "Forbidden type"},
		`{"type":"B","b":{},"d":{}}`: {"Forbidden b", "Forbidden d", "Forbidden type"},
	} {
		if got := kinds(Validate(s, nil, object(t, new))); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", new, got, want)
		}
	}
	for old, want := range map[string]string{`{"type":"C"}`: `{"type":"A"}`, `{"type":"A"}`: `{"d":{},"type":"A"}`} {
		new := object(t, `{"type":"A","d":{}}`)
		if Normalize(s, object(t, old), new); encoded(t, new) != want {
			t.Errorf("%s: got %s, want %s", old, encoded(t, new), want)
		}
	}
}

// TestFewFields checks objects with any number of the union's fields, with other fields and
// with null: every member must be found, however fields are counted.
func TestFewFields(t *testing.T) {
	s := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}})
	for _, c := range []struct {
		old, new, want string
		errs           []string
	}{
		{`{"type":"A"}`, `{"type":"C","b":{}}`, `{"type":"C"}`, nil},
		{`{"type":"A"}`, `{"type":"C","a":null,"b":{}}`, `{"a":null,"type":"C"}`, nil},
		{`{"type":"A"}`, `{"type":"B","a":{},"b":null}`, `{"b":null,"type":"B"}`, []string{"Required b"}},
		{`{"type":"C"}`, `{"type":"A","b":{},"other":"x"}`, `{"other":"x","type":"A"}`, []string{"Required a"}},
		{`{"type":"A","a":{}}`, `{"type":"A","a":null,"b":{}}`, `{"a":null,"b":{},"type":"A"}`, []string{"Forbidden b", "Required a"}},
		{`{"type":"A","a":{}}`, `{"type":null,"a":{},"b":{}}`, `{"a":{},"b":{},"type":null}`, []string{"Required type"}},
		{``, `{"type":"B","b":{},"a":{}}`, `{"a":{},"b":{},"type":"B"}`, []string{"Forbidden a"}},
		{``, `{"type":"A","a":{},"b":null}`, `{"a":{},"b":null,"type":"A"}`, nil},
	} {
		old, new := object(t, c.old), object(t, c.new)
		Normalize(s, old, new)
		if errs := kinds(Validate(s, old, new)); encoded(t, new) != c.want || !slices.Equal(errs, append([]string{}, c.errs...)) {
			t.Errorf("%s → %s: got %s, %q", c.old, c.new, encoded(t, new), errs)
		}
	}
}

// TestManyElements checks that processing is linear: a quadratic search would take minutes.
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
		t.Error("got no change")
	}
	if errs := Validate(s, old, new); len(errs) > 0 {
		t.Error(errs[0])
	}
}

// randomObject returns a random object of the union, valid or not.
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

func TestRandomObjects(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, shape := range []string{"", "D optional", `D optional ""`, "D defaulted", "a optional", `""`} {
		inner := schemaFor(t, abc(shape), LowerOptions{Forms: []Form{FormExtension, FormCEL}})
		s := *inner
		s.Properties = append(slices.Clone(inner.Properties), structural.Property{Name: "list", Schema: keyed(inner, "name")})
		names := memberNames(&s, map[string]bool{})
		for _, opts := range []Options{{}, {CarryOverOnly: true}, {NoRatcheting: true}} {
			plan := Compile(&s, opts)
			for range 4_000 {
				old, given := randomObject(r, 1), randomObject(r, 1)
				if r.Intn(10) == 0 {
					old = nil
				}
				before, new := encoded(t, old), clone(given)
				changed := plan.Normalize(old, new)
				context := func() string {
					return fmt.Sprintf("%s %+v: %s → %s gave %s", shape, opts, before, encoded(t, given), encoded(t, new))
				}
				if !onlyMembersCleared(names, given, new) || old == nil && changed || changed == reflect.DeepEqual(given, new) {
					t.Fatal(context())
				}
				if plan.Normalize(old, new) {
					t.Fatal("not idempotent: " + context())
				}
				plan.Validate(old, new, nil)
				if encoded(t, old) != before {
					t.Fatal("the old object was modified: " + context())
				}
				// An unchanged object has no new errors.
				if !opts.NoRatcheting && new["type"] != any(int64(1)) && new["list"] == nil && len(plan.Validate(new, clone(new), nil)) > 0 {
					t.Fatal("not ratcheted: " + context())
				}
			}
		}
	}
}

// TestDeepNesting processes 10,000 levels of objects, with and without a schema.
func TestDeepNesting(t *testing.T) {
	const depth = 10_000
	s := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}})
	plain := s
	old, new := object(t, storedA), object(t, `{"type":"C","a":{},"b":{}}`)
	for range depth {
		s = objectSchema(structural.Property{Name: "in", Schema: s})
		old, new = map[string]any{"in": old}, map[string]any{"in": new}
	}
	if errs := Validate(s, old, new); len(errs) != 2 || len(errs[0].Field) != depth*len("in.")+1 {
		t.Errorf("got %d errors", len(errs))
	}
	if !Normalize(s, old, new) || Normalize(s, old, new) {
		t.Error("not normalized")
	}
	if errs := Validate(s, old, new); len(errs) > 0 {
		t.Errorf("got %d errors", len(errs))
	}
	new = map[string]any{"type": "B", "b": map[string]any{"in": new}, "unknown": new}
	if Normalize(plain, new, new) || len(Validate(plain, nil, new)) > 0 {
		t.Error("values without a schema must not be visited")
	}
}
