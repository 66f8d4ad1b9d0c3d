package structural

import (
	"flag"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	goruntime "runtime"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

var objects = flag.Int("objects", 5_000, "how many random pairs of a schema and an object to prune and to default")

// randomObject returns a random object that follows a schema, except for mutations at every
// level: unknown fields, nulls, values of the wrong type, numbers at the limits.
func randomObject(r *rand.Rand, s *Schema, depth int) map[string]any {
	out := map[string]any{}
	if s != nil {
		for _, p := range s.Properties {
			if r.Intn(5) < 3 {
				out[p.Name] = mutatedValue(r, p.Schema, depth-1)
			}
		}
		if a := s.AdditionalProperties; a != nil {
			for range r.Intn(3) {
				out[pick(r, "x", "y", "a", "kind")] = mutatedValue(r, a.Schema, depth-1)
			}
		}
	}
	for r.Intn(3) == 0 {
		out[pick(r, "a", "b", "x", "z", "", "dotted.name", "kind", "apiVersion", "metadata")] = strayValue(r, depth-1)
	}
	return out
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.Intn(len(list))] }

// mutatedValue returns a random value that usually has the type of s.
func mutatedValue(r *rand.Rand, s *Schema, depth int) any {
	switch {
	case r.Intn(8) == 0:
		return nil
	case s == nil || r.Intn(10) == 0:
		return strayValue(r, depth)
	}
	isObject := s.Type == "object" || s.Type == "" && (len(s.Properties) > 0 || s.XEmbeddedResource)
	switch {
	case isObject && depth > 0:
		return randomObject(r, s, depth)
	case s.Type == "array" && depth > 0:
		out := []any{}
		for range r.Intn(4) {
			out = append(out, mutatedValue(r, s.Items, depth-1))
		}
		return out
	case s.Type == "integer":
		return pick[any](r, int64(1), int64(math.MaxInt64), int64(math.MinInt64), float64(1<<53+2), 1e300)
	}
	return strayValue(r, depth)
}

// strayValue returns a random value that does not follow any schema.
func strayValue(r *rand.Rand, depth int) any {
	if depth > 0 && r.Intn(2) == 0 {
		if r.Intn(2) == 0 {
			return []any{strayValue(r, depth-1), strayValue(r, depth-1)}
		}
		return map[string]any{
			pick(r, "a", "b", "name", "labels", "x"):   strayValue(r, depth-1),
			pick(r, "b", "kind", "metadata", "unseen"): strayValue(r, depth-1),
		}
	}
	return pick[any](r, nil, "a", "2006-01-02T15:04:05Z", true, int64(3), int64(math.MaxInt64), 0.5, 1.0, math.Copysign(0, -1))
}

// addDefaults adds random defaults to nodes of a tree, not all of them valid.
func addDefaults(t testing.TB, r *rand.Rand, s *Schema, root bool) {
	if s == nil {
		return
	}
	if !root && r.Intn(3) == 0 {
		s.Default = &JSON{Raw: []byte(mustJSON(t, withPlainFloats(mutatedValue(r, s, 2))))}
	}
	addDefaults(t, r, s.Items, false)
	for _, p := range s.Properties {
		addDefaults(t, r, p.Schema, false)
	}
	if a := s.AdditionalProperties; a != nil {
		addDefaults(t, r, a.Schema, false)
	}
}

// randomDefaulting returns a random schema with defaults in which every node has one parent.
func randomDefaulting(t testing.TB, r *rand.Rand) *Schema {
	var s *Schema
	if r.Intn(2) == 0 {
		s = randomStructural(r, 3, "object")
	} else {
		p := randomProps(r, 3, false, true)
		s, _ = FromProps(&p)
	}
	if s.AdditionalProperties == nil && r.Intn(12) == 0 {
		s.AdditionalProperties = &SchemaOrBool{Bool: r.Intn(2) == 0}
	}
	if r.Intn(10) == 0 {
		s.XPreserveUnknownFields = ptr.To(true)
	}
	addDefaults(t, r, s, true)
	return s
}

func texts(paths []*ObjectPath) []string {
	var out []string
	for _, p := range paths {
		out = append(out, p.String())
	}
	return out
}

// remove removes the values at the reported paths from an object.
func remove(t testing.TB, object map[string]any, paths []*ObjectPath) {
	t.Helper()
	for _, p := range paths {
		parent, found, err := find(object, p.parent)
		if err != nil || !found {
			t.Fatalf("%s is not in the object: %v", p, err)
		}
		fields := parent.(map[string]any)
		if _, found := fields[p.step.Field]; !found || p.step.Index >= 0 {
			t.Fatalf("%s is not in the object", p)
		}
		delete(fields, p.step.Field)
	}
}

// put adds the reported defaults to an object.
func put(t testing.TB, object map[string]any, done []Defaulted) {
	t.Helper()
	for _, d := range done {
		parent, found, err := find(object, d.Path.parent)
		if err != nil || !found {
			t.Fatalf("%s is not in the object: %v", d.Path, err)
		}
		value := fromJSON(t, string(d.Schema.Default.Raw))
		if step := d.Path.step; step.Index >= 0 {
			parent.([]any)[step.Index] = value
		} else {
			parent.(map[string]any)[step.Field] = value
		}
	}
}

// TestObjectsAgreeWithServer compares pruning, defaulting, and the pruning of nulls and of
// defaults with the server's own, individually and in its order, on random pairs of a schema
// and an object. The reported paths must account for the complete difference.
func TestObjectsAgreeWithServer(t *testing.T) {
	counts := map[string]int{}
	for seed := range *objects {
		r := rand.New(rand.NewSource(int64(seed)))
		s := randomDefaulting(t, r)
		server := upstream(t, s)
		object := randomObject(r, s, 4)
		agree(t, fmt.Sprintf("seed %d", seed), s, server, object, counts)
		pruneDefaultsAgrees(t, fmt.Sprintf("seed %d", seed), s, server, object, counts)
	}
	t.Logf("%d pairs: %v", *objects, counts)
	for name, percent := range map[string]int{"pruned": 20, "defaulted": 20, "nulls": 10, "pruned after defaulting": 20} {
		if counts[name]*100 < *objects*percent {
			t.Errorf("only %d of %d: %s", counts[name], *objects, name)
		}
	}
}

func agree(t testing.TB, name string, s *Schema, server *schema.Structural, object map[string]any, counts map[string]int) {
	t.Helper()
	before := mustJSON(t, s.Props())
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %s of %s\ngot  %s\nwant %s\n%s", name, what, mustJSON(t, object), mustJSON(t, got), mustJSON(t, want), before)
		}
	}
	count := func(what string, n int) {
		if n > 0 {
			counts[what]++
		}
	}

	for _, isResource := range []bool{false, true} {
		got, want, told := runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object)
		paths := Prune(s, got, isResource)
		wantPaths := pruning.PruneWithOptions(want, server, isResource, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
		same("Prune", got, want)
		same("paths of Prune", texts(paths), wantPaths)
		remove(t, told, paths)
		if !isResource && !s.XEmbeddedResource { // not reported
			for _, name := range []string{"apiVersion", "kind", "metadata"} {
				if _, specified := s.field(name); !specified && !s.preserves() {
					delete(told, name)
				}
			}
		}
		same("what Prune tells", told, want)
		same("pruning again", Prune(s, got, isResource), []*ObjectPath(nil))
		if isResource {
			count("pruned", len(paths))
		}
	}

	got, want, told := runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object)
	done := Default(s, got)
	defaulting.Default(want, server)
	same("Default", got, want)
	put(t, told, done)
	same("what Default tells", told, want)
	same("defaulting again", Default(s, got), []Defaulted(nil))
	count("defaulted", len(done))

	// Continue, in the server's order.
	count("pruned after defaulting", len(Prune(s, got, true)))
	pruning.Prune(want, server, true)
	same("Prune after Default", got, want)
	same("Default after Prune", Default(s, got), []Defaulted(nil))

	told = runtime.DeepCopyJSON(got)
	nulls := PruneNonNullableNullsWithoutDefaults(s, got)
	defaulting.PruneNonNullableNullsWithoutDefaults(want, server)
	same("nulls", got, want)
	remove(t, told, nulls)
	same("what is told of nulls", told, want)
	count("nulls", len(nulls))
	if len(Default(s, got)) > 0 || len(Prune(s, got, true)) > 0 || len(PruneNonNullableNullsWithoutDefaults(s, got)) > 0 {
		t.Fatalf("%s: the result is no fixpoint", name)
	}

	told = runtime.DeepCopyJSON(object)
	nulls, told2 := PruneNonNullableNullsWithoutDefaults(s, told), runtime.DeepCopyJSON(object)
	defaulting.PruneNonNullableNullsWithoutDefaults(told2, server)
	same("nulls of the object as it is", told, told2)
	told = runtime.DeepCopyJSON(object)
	remove(t, told, nulls)
	same("what is told of them", told, told2)
	if mustJSON(t, s.Props()) != before {
		t.Fatalf("%s: the schema has changed", name)
	}
}

func pruneDefaultsAgrees(t testing.TB, name string, s *Schema, server *schema.Structural, object map[string]any, counts map[string]int) {
	t.Helper()
	before := mustJSON(t, s.Props())
	got, err := PruneDefaults(s)
	if wantErr := defaulting.PruneDefaults(server); (err != nil) != (wantErr != nil) {
		t.Fatalf("%s: PruneDefaults says %v, the server %v\n%s", name, err, wantErr, before)
	}
	if mustJSON(t, s.Props()) != before {
		t.Fatalf("%s: the schema has changed", name)
	}
	if err != nil {
		counts["default rejected"]++
		return
	}
	if got != s {
		counts["schema with a pruned default"]++
	}
	if again := upstream(t, got); !reflect.DeepEqual(again, server) {
		t.Fatalf("%s: PruneDefaults of\n%s\ngot  %s\nwant %s", name, before, mustJSON(t, again), mustJSON(t, server))
	}
	a, b := runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object)
	Default(got, a)
	defaulting.Default(b, server)
	if !reflect.DeepEqual(a, b) {
		t.Fatalf("%s: defaulted %s, the server %s", name, mustJSON(t, a), mustJSON(t, b))
	}
}

func withDefault(typ, def string) *Schema {
	return &Schema{Generic: Generic{Type: typ, Default: &JSON{Raw: []byte(def)}}}
}

func objectOf(properties ...Property) *Schema {
	return &Schema{Generic: Generic{Type: "object"}, Properties: properties}
}

// TestPruneAllocatesNothing checks that processing an object without unknown fields, and with
// all of its defaults, does not allocate.
func TestPruneAllocatesNothing(t *testing.T) {
	leaf := &Schema{Generic: Generic{Type: "string"}}
	s := objectOf(Property{"list", &Schema{Generic: Generic{Type: "array"}, Items: objectOf(Property{"a", leaf}, Property{"b", withDefault("string", `"b"`)})}},
		Property{"map", &Schema{AdditionalProperties: &SchemaOrBool{Schema: leaf}}})
	object := map[string]any{"list": []any{map[string]any{"a": "1", "b": "2"}, "wrong"}, "map": map[string]any{"x": "1", "y": nil}, "metadata": map[string]any{"x": "1"}}
	delete(object["map"].(map[string]any), "y")
	for name, run := range map[string]func(){
		"Prune":   func() { Prune(s, object, true) },
		"Default": func() { Default(s, object) },
		"nulls":   func() { PruneNonNullableNullsWithoutDefaults(s, object) },
	} {
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// TestPruneAllocatesNoMoreThanItsResult checks that pruning allocates less than a copy of the
// remaining fields, and a few times for each path that it reports, regardless of the size of
// the object.
func TestPruneAllocatesNoMoreThanItsResult(t *testing.T) {
	s := objectOf(Property{"list", &Schema{Items: objectOf(Property{"a", &Schema{Generic: Generic{Type: "string"}}})}})
	for _, test := range []struct{ elements, unknown int }{{10, 1}, {1000, 10}, {1000, 1000}, {100_000, 10}} {
		object := func() map[string]any {
			list := make([]any, test.elements)
			for i := range list {
				list[i] = map[string]any{"a": "b", "c": "d"}
				if i >= test.unknown {
					list[i] = map[string]any{"a": "b"}
				}
			}
			return map[string]any{"list": list}
		}
		first := object()
		allocated := bytesOf(func() { Prune(s, first, true) })
		if most := bytesOf(func() { runtime.DeepCopyJSON(first) }); allocated > most {
			t.Errorf("%+v: pruning allocates %d bytes, a copy of its result %d", test, allocated, most)
		}
		objects := []map[string]any{object(), object()}
		times := testing.AllocsPerRun(1, func() {
			Prune(s, objects[0], true)
			objects = objects[1:]
		})
		if most := 12 * test.unknown; int(times) > most {
			t.Errorf("%+v: pruning allocates %v times, want at most %d", test, times, most)
		}
	}
}

// bytesOf returns the number of bytes that a function allocates.
func bytesOf(f func()) uint64 {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	f()
	goruntime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestDefaultsAreCopied checks that changing the defaults in one object does not affect
// another.
func TestDefaultsAreCopied(t *testing.T) {
	s := objectOf(Property{"a", withDefault("object", `{"b": {"c": [1]}}`)}, Property{"d", withDefault("object", `{"b": {"c": [1]}}`)})
	first, second := map[string]any{}, map[string]any{}
	Default(s, first)
	first["a"].(map[string]any)["b"].(map[string]any)["c"].([]any)[0] = "changed"
	first["a"].(map[string]any)["new"] = true
	Default(s, second)
	want := fromJSON(t, `{"a": {"b": {"c": [1]}}, "d": {"b": {"c": [1]}}}`)
	if !reflect.DeepEqual(any(second), want) || !reflect.DeepEqual(first["d"], want.(map[string]any)["d"]) {
		t.Errorf("%v and %v", first, second)
	}
}

// TestDefaultTells checks that parents are reported before children, with the position of the
// default.
func TestDefaultTells(t *testing.T) {
	inner := withDefault("integer", "9007199254740993")
	outer := objectOf(Property{"b", inner}, Property{"a-b", withDefault("string", `"x"`)})
	outer.Default = &JSON{Raw: []byte(` {} `)}
	outer.Origin = Origin{Pos: 3, Keywords: []KeywordOrigin{{"default", 7}}}
	s := objectOf(Property{"a", outer}, Property{"list", &Schema{Items: outer}}, Property{"none", withDefault("string", " null")})
	object := map[string]any{"list": []any{nil, map[string]any{"b": nil}}}
	var got []string
	for _, d := range Default(s, object) {
		got = append(got, d.Path.String()+" = "+string(d.Schema.Default.Raw))
		if len(d.Path.Steps()) == 1 && d.Schema.Origin.Of("default") != 7 {
			t.Errorf("%s: default at %v", d.Path, d.Schema.Origin.Of("default"))
		}
	}
	want := []string{
		"a =  {} ", `a.a-b = "x"`, "a.b = 9007199254740993",
		"list[0] =  {} ", `list[0].a-b = "x"`, "list[0].b = 9007199254740993", `list[1].a-b = "x"`, "list[1].b = 9007199254740993",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if object["a"].(map[string]any)["b"] != int64(9007199254740993) {
		t.Errorf("%#v", object["a"])
	}
}

// TestHostileObjects checks objects that must not cause a panic or an overflow, or lose other
// fields than requested.
func TestHostileObjects(t *testing.T) {
	const deep = 10_000
	s, list, object, untyped := &Schema{}, &Schema{}, map[string]any{}, any(map[string]any{"lost": 1})
	innermost := object
	for range deep {
		s = objectOf(Property{"a", s})
		list = &Schema{Items: list}
		object = map[string]any{"a": object}
		untyped = []any{untyped}
	}
	innermost["lost"] = nil
	full, _ := FromProps(s.Props())
	filled := &Schema{}
	for range deep / 10 {
		filled = objectOf(Property{"a", filled})
		filled.Default = &JSON{Raw: []byte(`{}`)}
	}
	if done := Default(filled, map[string]any{}); len(done) != deep/10-1 {
		t.Errorf("%d values are defaulted", len(done))
	}
	Default(full, object)
	if paths := Prune(full, object, true); len(paths) != 1 || len(paths[0].Steps()) != deep+1 || len(paths[0].String()) != 2*deep+4 {
		t.Errorf("%d paths", len(paths))
	}
	if paths := Prune(objectOf(Property{"a", list}), map[string]any{"a": untyped}, true); len(paths) != 1 || len(paths[0].Steps()) != deep+2 {
		t.Errorf("%d paths", len(paths))
	}
	PruneNonNullableNullsWithoutDefaults(full, object)
	skeleton, err := Skel(full.Props())
	if err != nil || len(PruneSkeleton(skeleton, object)) > 0 {
		t.Errorf("skeleton: %v", err)
	}

	for _, object := range []map[string]any{nil, {}, {"a": map[string]any(nil)}, {"a": []any(nil)}, {"a": struct{}{}}, {"a": map[string]any{"b": math.Inf(1)}}} {
		for _, s := range []*Schema{nil, {}, objectOf(Property{"a", objectOf(Property{"b", withDefault("string", "broken")})}), objectOf(Property{"a", withDefault("string", "1")})} {
			Default(s, object)
			PruneNonNullableNullsWithoutDefaults(s, object)
			Prune(s, object, false)
			PruneSkeleton(nil, object)
		}
	}
	if got := Prune(nil, map[string]any{"a": 1, "kind": 2}, true); !slices.Equal(texts(got), []string{"a"}) {
		t.Errorf("a nil schema prunes %v", texts(got))
	}
	if s, err := PruneDefaults(nil); s != nil || err != nil {
		t.Errorf("defaults of nothing: %v, %v", s, err)
	}
	for _, broken := range []string{"", "broken", "1 2"} {
		if _, err := PruneDefaults(objectOf(Property{"a", withDefault("string", broken)})); err == nil {
			t.Errorf("%q is a default", broken)
		}
	}
	edges := map[string]any{"a": int64(math.MaxInt64), "b": math.Copysign(0, -1), "c": math.MaxFloat64, "d": float64(1)}
	kept := runtime.DeepCopyJSON(edges)
	Prune(&Schema{AdditionalProperties: &SchemaOrBool{Bool: true}}, edges, false)
	if !reflect.DeepEqual(edges, kept) || !math.Signbit(edges["b"].(float64)) {
		t.Errorf("%v became %v", kept, edges)
	}
}

// TestPruneDefaultsOfSharedNodes checks that a node used at two positions is pruned
// separately at each of them, and that nodes that lose nothing stay identical.
func TestPruneDefaultsOfSharedNodes(t *testing.T) {
	shared := withDefault("object", `{"name": "a", "lost": 1.0, "labels": 1}`)
	shared.Properties = []Property{{"name", &Schema{Generic: Generic{Type: "string"}}}}
	kept := withDefault("string", ` "a" `)
	s := objectOf(Property{"kept", kept}, Property{"plain", shared},
		Property{"preserved", &Schema{Generic: Generic{Type: "array"}, Extensions: Extensions{XPreserveUnknownFields: ptr.To(true)}, Items: shared}},
		Property{"embedded", &Schema{Generic: Generic{Type: "object"}, Extensions: Extensions{XEmbeddedResource: true}, Properties: []Property{{"metadata", shared}}}})
	out, err := PruneDefaults(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		node *Schema
		want string
	}{
		{out.Property("plain"), `{"name":"a"}`},
		{out.Property("preserved").Items, `{"name": "a", "lost": 1.0, "labels": 1}`},
		{out.Property("embedded").Property("metadata"), `{"name":"a"}`},
		{out.Property("kept"), ` "a" `},
	} {
		if got := string(c.node.Default.Raw); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if out.Property("kept") != kept || out.Property("preserved") != s.Property("preserved") || string(shared.Default.Raw) != `{"name": "a", "lost": 1.0, "labels": 1}` {
		t.Error("nodes are copied, or changed")
	}
	if again, err := PruneDefaults(out); err != nil || again != out {
		t.Errorf("pruning defaults twice: %v", err)
	}
	// The default of the root can only be a complete object.
	if _, err := PruneDefaults(withDefault("object", `"x"`)); err == nil {
		t.Error("the root may be a string")
	}
}
