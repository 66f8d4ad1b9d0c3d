package structural

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

type props = apiextensionsv1.JSONSchemaProps

// randomAny returns a random schema that specifies fields in all ways that JSONSchemaProps
// allows. If restricted, it satisfies the KEP's Restriction 1: at each depth of the tree,
// values are either structs or maps.
func randomAny(r *rand.Rand, depth int, restricted bool) props {
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	sub := func() props { return randomAny(r, depth-1, restricted) }
	p := props{Type: pick(r, "", "", "object", "array", "string"), Nullable: rarely(10), Pattern: pick(r, "", "^a"), Description: pick(r, "", "text")}
	if rarely(10) {
		p.XPreserveUnknownFields = ptr.To(rarely(2))
	}
	if depth == 0 {
		return p
	}
	isMap := depth%3 == 0
	if (!restricted || !isMap) && !rarely(3) {
		p.Properties = map[string]props{}
		for range 1 + r.Intn(3) {
			p.Properties[pick(r, "a", "b", "c")] = sub()
		}
	}
	if (!restricted || isMap) && rarely(3) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: rarely(2)}
		if rarely(2) {
			p.AdditionalProperties.Allows = true
			p.AdditionalProperties.Schema = ptr.To(sub())
		}
	}
	if !restricted && rarely(4) {
		p.PatternProperties = map[string]props{pick(r, "^[ab]$", "x+"): sub()}
	}
	if rarely(3) {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{}
		if restricted || rarely(2) {
			p.Items.Schema = ptr.To(sub())
		} else {
			p.Items.JSONSchemas = []props{sub(), sub()}
		}
	}
	if !restricted && rarely(4) {
		p.AdditionalItems = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: ptr.To(sub())}
	}
	junctor := func() props {
		n := randomAny(r, depth, restricted)
		if rarely(2) {
			n.Items, n.AdditionalItems = nil, nil
		}
		return n
	}
	switch r.Intn(9) {
	case 0:
		p.AllOf = []props{junctor()}
	case 1:
		p.AnyOf = []props{junctor(), {Type: p.Type}}
	case 2:
		p.OneOf = []props{{Type: "string"}}
	case 3:
		p.Not = ptr.To(junctor())
	}
	return p
}

// literally implements the KEP's skel step by step: skel of all junctors, drop, merge.
func literally(p *props) *Skeleton {
	out := &Skeleton{
		Type: p.Type, Nullable: p.Nullable,
		PreservesUnknownFields: p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields,
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		child := p.Properties[name]
		out.Properties = append(out.Properties, SkeletonProperty{name, literally(&child)})
	}
	for _, name := range slices.Sorted(maps.Keys(p.PatternProperties)) {
		child := p.PatternProperties[name]
		out.PatternProperties = append(out.PatternProperties, SkeletonPattern{regexp.MustCompile(name), literally(&child)})
	}
	if a := p.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = literally(a.Schema)
	} else if a != nil && a.Allows {
		out.AdditionalProperties = &Skeleton{}
	}
	if p.Items != nil {
		for i := range p.Items.JSONSchemas {
			out.Items = append(out.Items, literally(&p.Items.JSONSchemas[i]))
		}
		if p.Items.Schema != nil {
			out.AdditionalItems = literally(p.Items.Schema)
		}
	}
	if a := p.AdditionalItems; a != nil && a.Schema != nil {
		out.AdditionalItems = merge(out.AdditionalItems, literally(a.Schema))
	}
	all := []*Skeleton{out}
	for _, junctor := range plainJunctors(nil, p) {
		all = append(all, literally(junctor))
	}
	return merge(all...)
}

// merge implements the KEP's merge on skeletons; nil means undefined.
func merge(list ...*Skeleton) *Skeleton {
	list = slices.DeleteFunc(list, func(s *Skeleton) bool { return s == nil })
	if len(list) < 2 {
		return append(list, nil)[0]
	}
	out := &Skeleton{Type: list[0].Type}
	properties, patterns := map[string]*Skeleton{}, map[string]*Skeleton{}
	for _, s := range list {
		if s.Type != out.Type {
			out.Type = ""
		}
		out.Nullable = out.Nullable || s.Nullable
		out.PreservesUnknownFields = out.PreservesUnknownFields || s.PreservesUnknownFields
		for _, p := range s.Properties {
			properties[p.Name] = merge(properties[p.Name], p.Skeleton)
		}
		for _, p := range s.PatternProperties {
			patterns[p.Pattern.String()] = merge(patterns[p.Pattern.String()], p.Skeleton)
		}
		for i, item := range s.Items {
			if i == len(out.Items) {
				out.Items = append(out.Items, nil)
			}
			out.Items[i] = merge(out.Items[i], item)
		}
		out.AdditionalProperties = merge(out.AdditionalProperties, s.AdditionalProperties)
		out.AdditionalItems = merge(out.AdditionalItems, s.AdditionalItems)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		out.Properties = append(out.Properties, SkeletonProperty{name, properties[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(patterns)) {
		out.PatternProperties = append(out.PatternProperties, SkeletonPattern{regexp.MustCompile(name), patterns[name]})
	}
	return out
}

// size returns the number of schemas plus the number of other keywords that a skeleton keeps.
func size(p *props) int {
	n := 1
	for _, set := range []bool{p.Type != "", p.Nullable, p.XPreserveUnknownFields != nil} {
		if set {
			n++
		}
	}
	for _, child := range below(p) {
		n += size(child)
	}
	return n
}

// below returns all direct subschemas of p; true is represented by an empty schema.
func below(p *props) []*props {
	out := plainJunctors(nil, p)
	for _, fields := range []map[string]props{p.Properties, p.PatternProperties} {
		for _, child := range fields {
			out = append(out, &child)
		}
	}
	for _, a := range []*apiextensionsv1.JSONSchemaPropsOrBool{p.AdditionalProperties, p.AdditionalItems} {
		if a != nil {
			out = append(out, orEmpty(a.Schema))
		}
	}
	if p.Items != nil {
		for i := range p.Items.JSONSchemas {
			out = append(out, &p.Items.JSONSchemas[i])
		}
		if p.Items.Schema != nil {
			out = append(out, p.Items.Schema)
		}
	}
	return out
}

// fromText parses the printed form of a skeleton.
func fromText(t testing.TB, text string) *props {
	t.Helper()
	var p props
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return &p
}

// pruneDirectly implements the KEP's alternative: a recursion over the schema and the object
// together, without a skeleton and with the JSON Schema semantics of each keyword. schemas
// are all schemas that apply to the value.
func pruneDirectly(value any, schemas []*props, preserves bool) {
	for i := 0; i < len(schemas); i++ {
		schemas = plainJunctors(schemas, schemas[i])
	}
	for _, s := range schemas {
		preserves = preserves || s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			var of []*props
			for _, s := range schemas {
				child, named := s.Properties[name]
				if named {
					of = append(of, &child)
				}
				for pattern, child := range s.PatternProperties {
					if regexp.MustCompile(pattern).MatchString(name) {
						of, named = append(of, &child), true
					}
				}
				if a := s.AdditionalProperties; a != nil && !named && (a.Allows || a.Schema != nil) {
					of = append(of, orEmpty(a.Schema))
				}
			}
			if len(of) > 0 {
				pruneDirectly(field, of, false)
			} else if !preserves {
				delete(value, name)
			}
		}
	case []any:
		for i, element := range value {
			var of []*props
			for _, s := range schemas {
				n := 0
				if s.Items != nil && s.Items.Schema != nil {
					of = append(of, s.Items.Schema)
				} else if s.Items != nil {
					if n = len(s.Items.JSONSchemas); i < n {
						of = append(of, &s.Items.JSONSchemas[i])
					}
				}
				if a := s.AdditionalItems; a != nil && a.Schema != nil && i >= n {
					of = append(of, a.Schema)
				}
			}
			pruneDirectly(element, of, preserves)
		}
	}
}

// isWithin reports whether all fields of a are in b.
func isWithin(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		fields, ok := b.(map[string]any)
		for name, field := range a {
			other, found := fields[name]
			ok = ok && found && isWithin(field, other)
		}
		return ok
	case []any:
		elements, ok := b.([]any)
		ok = ok && len(elements) == len(a)
		for i := 0; ok && i < len(a); i++ {
			ok = isWithin(a[i], elements[i])
		}
		return ok
	}
	return reflect.DeepEqual(a, b)
}

func anyValue(r *rand.Rand, depth int) any {
	if depth == 0 || r.Intn(6) == 0 {
		return strayValue(r, 0)
	}
	if r.Intn(4) == 0 {
		return []any{anyValue(r, depth-1), anyValue(r, depth-1), anyValue(r, depth-1)}
	}
	out := map[string]any{}
	for range 1 + r.Intn(5) {
		out[pick(r, "a", "b", "c", "x", "z")] = anyValue(r, depth-1)
	}
	return out
}

// TestSkeleton checks the KEP's claims on random schemas: the skeleton equals its definition,
// is not larger than the schema, prints as a schema with the same skeleton, and keeps
// everything that the schema specifies; and under Restriction 1, nothing else.
func TestSkeleton(t *testing.T) {
	merged, pruned, more := 0, 0, 0
	for seed := range *objects {
		r := rand.New(rand.NewSource(int64(seed)))
		restricted := seed%2 == 0
		p := randomAny(r, 3, restricted)
		s, err := Skel(&p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.String(), literally(&p).String(); got != want {
			t.Fatalf("seed %d: %s\ngot  %s\nwant %s", seed, mustJSON(t, p), got, want)
		}
		printed := fromText(t, s.String())
		if a, b := size(printed), size(&p); a > b {
			t.Fatalf("seed %d: size %d of the skeleton, %d of the schema\n%s\n%s", seed, a, b, mustJSON(t, p), s)
		} else if a < b {
			merged++
		}
		if again, err := Skel(printed); err != nil || again.String() != s.String() {
			t.Fatalf("seed %d: %v, the skeleton of\n%s\nis\n%s", seed, err, s, again)
		}
		object := map[string]any{"a": anyValue(r, 3), "b": anyValue(r, 2), "x": anyValue(r, 2)}
		got, direct, told := runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object)
		paths := PruneSkeleton(s, got)
		pruneDirectly(direct, []*props{&p}, false)
		if remove(t, told, paths); mustJSON(t, told) != mustJSON(t, got) {
			t.Fatalf("seed %d: %v are told of\n%s\n%s", seed, texts(paths), mustJSON(t, object), mustJSON(t, got))
		}
		same := mustJSON(t, direct) == mustJSON(t, got)
		if !isWithin(direct, got) || restricted && !same {
			t.Fatalf("seed %d: %s\nby %s\ngot  %s\nwant %s", seed, mustJSON(t, object), mustJSON(t, p), mustJSON(t, got), mustJSON(t, direct))
		}
		if len(paths) > 0 {
			pruned++
		}
		if !same {
			more++
		}
		if len(PruneSkeleton(s, got)) > 0 {
			t.Fatalf("seed %d: pruning twice is not pruning once", seed)
		}
	}
	t.Logf("of %d schemas %d have a smaller skeleton; %d objects are pruned, %d keep more than is specified", *objects, merged, pruned, more)
	if min(merged, pruned)*5 < *objects || more*100 < *objects {
		t.Error("one side is hardly tested")
	}
}

// TestSkeletonAccepts checks a property of the KEP that holds for structural schemas: if a
// schema accepts a value, its skeleton does. For them, pruning with the skeleton also equals
// the server's, except for metadata.
func TestSkeletonAccepts(t *testing.T) {
	accepted, weaker := 0, 0
	for seed := range 700 {
		r := rand.New(rand.NewSource(int64(seed)))
		s := randomStructural(r, 3, "object")
		skeleton, err := Skel(s.Props())
		if err != nil {
			t.Fatal(err)
		}
		full, bare := validator(t, s.Props()), validator(t, fromText(t, skeleton.String()))
		for range 25 {
			object := randomValue(r, s)
			errs := full(object)
			switch weak := bare(object); {
			case len(errs) == 0 && len(weak) > 0:
				t.Fatalf("seed %d: %s is accepted, but not by the skeleton: %v\n%s\n%s", seed, mustJSON(t, object), weak, mustJSON(t, s.Props()), skeleton)
			case len(errs) == 0:
				accepted++
			case len(weak) == 0:
				weaker++
			}
		}
		if strings.Contains(mustJSON(t, s.Props()), "embedded-resource") {
			continue
		}
		object := randomObject(r, s, 4)
		a, b := runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object)
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			delete(a, name)
			delete(b, name)
		}
		if x, y := texts(Prune(s, a, false)), texts(PruneSkeleton(skeleton, b)); !slices.Equal(x, y) || mustJSON(t, a) != mustJSON(t, b) {
			t.Fatalf("seed %d: Prune %v, PruneSkeleton %v\n%s\n%s", seed, x, y, mustJSON(t, object), skeleton)
		}
	}
	t.Logf("%d objects are accepted by both, %d by the skeleton alone", accepted, weaker)
	if min(accepted, weaker) < 1500 {
		t.Error("one side is hardly tested")
	}
}

func TestSkelOfWhatIsNoPattern(t *testing.T) {
	p := &props{Not: &props{Properties: map[string]props{"a": {PatternProperties: map[string]props{"(": {}}}}}}
	if _, err := Skel(p); err == nil || !strings.Contains(err.Error(), "patternProperties") {
		t.Errorf("no error, but %v", err)
	}
	if s, err := Skel(nil); err != nil || s.String() != "{}" {
		t.Errorf("%s, %v", s, err)
	}
}

// wide returns a schema with about n nodes, many of which are in junctors.
func wide(n int) *props {
	p := props{Type: "object", Properties: map[string]props{}}
	for i := 0; i < n; i += 10 {
		child := props{Type: "object", Properties: map[string]props{"a": {Type: "string", MaxLength: ptr.To(int64(3))}, "b": {Type: "integer"}}}
		child.AllOf = []props{{AnyOf: []props{{Properties: map[string]props{"a": {Pattern: "^a"}}}, {Properties: map[string]props{"c": {}}}}}}
		child.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &props{Type: "string"}}
		p.Properties[fmt.Sprintf("field%d", i)] = child
	}
	return &p
}

// deepJunctors returns a schema with about n nodes, half of them junctors within each other, and
// the others fields of the innermost: merging from the inside out would process these each time.
func deepJunctors(n int) *props {
	p := &props{Properties: map[string]props{}}
	for i := range n / 2 {
		p.Properties[fmt.Sprintf("field%d", i)] = props{Type: "string"}
	}
	for range n / 2 {
		p = &props{AllOf: []props{*p}}
	}
	return p
}

// TestSkelIsLinear compares the allocations for two sizes, of which one is ten times the other:
// those of a quadratic algorithm would be a hundred times as many.
func TestSkelIsLinear(t *testing.T) {
	for _, shape := range skelShapes() {
		allocations := func(n int) float64 {
			p := shape.make(n)
			return testing.AllocsPerRun(1, func() {
				if _, err := Skel(p); err != nil {
					t.Fatal(err)
				}
			})
		}
		if small, large := allocations(1_000), allocations(10_000); large > 20*small {
			t.Errorf("%s: 1,000 nodes take %.0f allocations, 10,000 nodes %.0f", shape.name, small, large)
		}
	}
}

type skelShape struct {
	name string
	make func(n int) *props
}

// skelShapes returns functions that make schemas with about n nodes.
func skelShapes() []skelShape { return []skelShape{{"wide", wide}, {"deep", deepJunctors}} }

// BenchmarkSkel measures the time per node, which must be the same at each size for the KEP's
// O(size(s)).
func BenchmarkSkel(b *testing.B) {
	for _, shape := range skelShapes() {
		for _, n := range []int{100, 1_000, 10_000, 100_000} {
			p := shape.make(n)
			nodes := size(p)
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Skel(p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
			})
		}
	}
}

// BenchmarkObjects measures the processing of an object with a thousand containers, as in a
// request.
func BenchmarkObjects(b *testing.B) {
	leaf := func() *Schema { return &Schema{Generic: Generic{Type: "string"}} }
	container := objectOf(Property{"protocol", withDefault("string", `"TCP"`)})
	for i := range 20 {
		container.Properties = append(container.Properties, Property{fmt.Sprintf("field%d", i), leaf()})
	}
	s := objectOf(Property{"list", &Schema{Generic: Generic{Type: "array"}, Items: container}})
	clean, dirty := []any{}, []any{}
	for range 1000 {
		full := map[string]any{"protocol": "UDP"}
		for i := range 20 {
			full[fmt.Sprintf("field%d", i)] = "text"
		}
		part := maps.Clone(full)
		delete(part, "protocol")
		part["unknown"] = "text"
		clean, dirty = append(clean, full), append(dirty, part)
	}
	run := func(name string, list []any, f func(object map[string]any) int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				object := map[string]any{"list": list}
				if f(object) < 0 {
					b.Fatal()
				}
			}
		})
	}
	run("prune nothing", clean, func(o map[string]any) int { return len(Prune(s, o, true)) })
	run("default nothing", clean, func(o map[string]any) int { return len(Default(s, o)) })
	run("both, copied", dirty, func(o map[string]any) int {
		o = runtime.DeepCopyJSON(o)
		return len(Default(s, o)) + len(Prune(s, o, true))
	})
	run("copying", dirty, func(o map[string]any) int { return len(runtime.DeepCopyJSON(o)) })
}

// plainJunctors appends the schemas directly below the junctors of p.
func plainJunctors(list []*props, p *props) []*props {
	for _, junctor := range appendJunctors(nil, placedProps{p, nil}) {
		list = append(list, junctor.JSONSchemaProps)
	}
	return list
}

// TestSkeletonSources checks that each node of a skeleton names the schemas that it comes
// from, with their types.
func TestSkeletonSources(t *testing.T) {
	s, err := Skel(&props{
		Properties: map[string]props{"a": {Type: "string"}},
		AnyOf:      []props{{Properties: map[string]props{"a": {Type: "integer"}}}},
		Not:        &props{PatternProperties: map[string]props{"^b": {Type: "object"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := func(s *Skeleton) (out string) {
		for _, source := range s.Sources {
			out += fmt.Sprintf("%s %q; ", source.Path, source.Type)
		}
		return out
	}
	for _, c := range []struct{ got, want string }{
		{text(s), ` ""; .anyOf[0] ""; .not ""; `},
		{text(s.Properties[0].Skeleton), `.properties[a] "string"; .anyOf[0].properties[a] "integer"; `},
		{text(s.PatternProperties[0].Skeleton), `.not.patternProperties[^b] "object"; `},
	} {
		if c.got != c.want {
			t.Errorf("sources %s, want %s", c.got, c.want)
		}
	}
}
