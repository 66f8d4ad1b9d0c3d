package structural

import (
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// TestUnfoldIntOrStringAgreesWithServer compares the int-or-string part with the server's own
// Unfold on random schemas.
func TestUnfoldIntOrStringAgreesWithServer(t *testing.T) {
	unfolded := 0
	for seed := range *schemas / 10 {
		r := rand.New(rand.NewSource(int64(seed)))
		var s *Schema
		if seed%2 == 0 {
			p := randomProps(r, 3, false, true)
			s, _ = FromProps(&p)
		} else {
			s = randomStructural(r, 3, "object")
		}
		before := mustJSON(t, s.Props())
		u := &unfolder{intOrString: true}
		got := upstream(t, u.schema(s))
		if want := upstream(t, s).Unfold(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n%s\ngot  %s\nwant %s", seed, before, mustJSON(t, got), mustJSON(t, want))
		}
		if after := mustJSON(t, s.Props()); after != before {
			t.Fatalf("seed %d: the argument has changed", seed)
		}
		if u.schema(s) != s {
			unfolded++
		}
	}
	t.Logf("%d of %d schemas had something to unfold", unfolded, *schemas/10)
	if unfolded*10 < *schemas/10 {
		t.Error("hardly anything to unfold")
	}
}

// TestUnfoldKeepsMeaning checks that the same objects are accepted before and after, that the
// result is structural, and that unfolding is idempotent. Embedded resources in the objects
// have the required apiVersion, since unfolding removes the schema's own restrictions on it,
// as publishing does.
func TestUnfoldKeepsMeaning(t *testing.T) {
	accepted, rejected := 0, 0
	for seed := range 600 {
		r := rand.New(rand.NewSource(int64(seed)))
		s := randomStructural(r, 3, "object")
		unfolded := Unfold(s)
		for _, v := range Check(unfolded) {
			t.Fatalf("seed %d: %s", seed, v)
		}
		if again := Unfold(unfolded); mustJSON(t, again.Props()) != mustJSON(t, unfolded.Props()) {
			t.Fatalf("seed %d: unfolding twice is not unfolding once", seed)
		}
		before, after := validator(t, s.Props()), validator(t, unfolded.Props())
		for range 20 {
			object := randomValue(r, s)
			a, b := before(object), after(object)
			if (len(a) == 0) != (len(b) == 0) {
				t.Fatalf("seed %d: %s\nbefore %v\nafter  %v\n%s", seed, mustJSON(t, object), a, b, mustJSON(t, s.Props()))
			}
			if len(a) == 0 {
				accepted++
			} else {
				rejected++
			}
		}
	}
	t.Logf("%d accepted, %d rejected", accepted, rejected)
}

const objectMetaRef = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// TestUnfoldAgreesWithPublished compares with the OpenAPI v3 that the server publishes for a
// CRD. The differences are listed in comparable.
func TestUnfoldAgreesWithPublished(t *testing.T) {
	embedded := 0
	for seed := range 500 {
		s := randomStructural(rand.New(rand.NewSource(int64(seed))), 3, "object")
		crd := testCRD(s.Props())
		document, err := builder.BuildOpenAPIV3(crd, "v1", builder.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := comparable(t, published(t, document))
		got := comparable(t, upstream(t, Unfold(s)).ToKubeOpenAPI())
		for _, name := range []string{"apiVersion", "kind", "metadata"} { // of the root
			delete(want.Properties, name)
			delete(got.Properties, name)
		}
		if a, b := mustJSON(t, got), mustJSON(t, want); a != b {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, a, b)
		}
		embedded += strings.Count(mustJSON(t, s.Props()), "x-kubernetes-embedded-resource")
	}
	t.Logf("%d embedded resources", embedded)
	if embedded < 100 {
		t.Error("hardly any embedded resources")
	}
}

func published(t testing.TB, document *spec3.OpenAPI) *spec.Schema {
	t.Helper()
	for name, s := range document.Components.Schemas {
		if strings.HasSuffix(name, ".v1.Thing") {
			return s
		}
	}
	t.Fatal("no schema of the kind")
	return nil
}

// comparable returns a copy without the parts that one side cannot have: the server publishes
// a reference to ObjectMeta, Unfold the schema itself.
func comparable(t testing.TB, s *spec.Schema) *spec.Schema {
	t.Helper()
	if s == nil {
		return nil
	}
	out := *s
	if embedded, _ := s.Extensions.GetBool("x-kubernetes-embedded-resource"); embedded {
		metadata := s.Properties["metadata"]
		if ref := metadata.Ref.String(); ref != "" && ref != objectMetaRef {
			t.Fatalf("reference to %s", ref)
		}
		reference := spec.RefSchema(objectMetaRef).WithDescription(metadata.Description)
		out.Properties = map[string]spec.Schema{"metadata": *reference}
	} else if s.Properties != nil {
		out.Properties = map[string]spec.Schema{}
	}
	for name, p := range s.Properties {
		if _, done := out.Properties[name]; !done {
			out.Properties[name] = *comparable(t, &p)
		}
	}
	if s.Items != nil {
		out.Items = &spec.SchemaOrArray{Schema: comparable(t, s.Items.Schema)}
	}
	if s.AdditionalProperties != nil {
		out.AdditionalProperties = &spec.SchemaOrBool{Schema: comparable(t, s.AdditionalProperties.Schema), Allows: s.AdditionalProperties.Allows}
	}
	out.ExtraProps = nil
	delete(out.Extensions, "x-kubernetes-group-version-kind")
	return &out
}

// TestObjectMetaAgreesWithPublished compares ObjectMeta with the definition that the server
// publishes, with references resolved.
func TestObjectMetaAgreesWithPublished(t *testing.T) {
	document, err := builder.BuildOpenAPIV3(testCRD(&apiextensionsv1.JSONSchemaProps{Type: "object"}), "v1", builder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const prefix = "#/components/schemas/"
	var plain func(s spec.Schema) spec.Schema
	plain = func(s spec.Schema) spec.Schema {
		for len(s.AllOf) == 1 { // a reference with a default
			s = s.AllOf[0]
		}
		if ref := s.Ref.String(); ref != "" {
			s = *document.Components.Schemas[strings.TrimPrefix(ref, prefix)]
		}
		s.Description, s.Default = "", nil
		kept := spec.Extensions{}
		for _, name := range []string{"x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-list-map-keys"} {
			if value, ok := s.Extensions[name]; ok {
				kept[name] = value
			}
		}
		s.Extensions = kept
		properties := map[string]spec.Schema{}
		for name, p := range s.Properties {
			properties[name] = plain(p)
		}
		s.Properties = properties
		if s.Items != nil {
			items := plain(*s.Items.Schema)
			s.Items = &spec.SchemaOrArray{Schema: &items}
		}
		if s.AdditionalProperties != nil {
			values := plain(*s.AdditionalProperties.Schema)
			s.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: &values}
		}
		return s
	}
	want := plain(*spec.RefSchema(objectMetaRef))
	if a, b := mustJSON(t, upstream(t, ObjectMeta()).ToKubeOpenAPI()), mustJSON(t, want); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

// TestUnfoldSharesWhatStays checks that a node with nothing to unfold stays the same node,
// and that a shared node stays shared.
func TestUnfoldSharesWhatStays(t *testing.T) {
	plain := &Schema{Generic: Generic{Type: "string"}}
	either := &Schema{Extensions: Extensions{XIntOrString: true}}
	s := &Schema{Generic: Generic{Type: "object"}, Properties: []Property{{"a", plain}, {"b", either}, {"c", either}}}
	out := Unfold(s)
	if out.Property("a") != plain || out.Property("b") != out.Property("c") || out.Property("b") == either {
		t.Error("nodes are copied, or not shared")
	}
	if Unfold(plain) != plain {
		t.Error("a schema without extensions is copied")
	}
	if either.ValueValidation != nil || s.Property("b") != either {
		t.Error("the argument has changed")
	}
}

// TestUnfoldUnion checks the rows of the union semantics that a schema alone determines, with
// the server's validation of the unfolded schema: A and B have a member each, C has none.
func TestUnfoldUnion(t *testing.T) {
	text := func(v *ValueValidation, x Extensions) *Schema {
		return &Schema{Generic: Generic{Type: "string"}, ValueValidation: v, Extensions: x}
	}
	values := func(list ...string) *ValueValidation {
		v := &ValueValidation{}
		for _, value := range list {
			v.Enum = append(v.Enum, JSON{[]byte(plainjson.Text(value))})
		}
		return v
	}
	onObject := []Union{{Discriminator: "type", Fields: []UnionField{{"a", "A"}, {"b", "B"}}}}
	onProperty := []UnionMember{{Value: "A", Name: "a"}, {Value: "B", Name: "b", Optional: true}, {Value: "C"}, {Value: ""}}
	for _, c := range []struct {
		name     string
		unions   []Union
		d        *Schema
		required []string
		accepted []string
		rejected []string
	}{{
		name: "on the object, closed by the enum", unions: onObject, d: text(values("A", "B", "C"), Extensions{}), required: []string{"type"},
		accepted: []string{`{"type":"A","a":""}`, `{"type":"B","b":""}`, `{"type":"C"}`},
		rejected: []string{`{"type":"A","a":"","b":""}`, `{"type":"B","a":""}`, `{"type":"A"}`, `{"type":"C","a":""}`, `{"type":"Z"}`, `{}`},
	}, {
		name: "on the object, no enum", unions: onObject, d: text(nil, Extensions{}),
		accepted: []string{`{"type":"A","a":""}`, `{}`},
		rejected: []string{`{"type":"C"}`, `{"a":""}`, `{"type":"A"}`},
	}, {
		name: "on the object, discriminator not declared", unions: onObject,
		accepted: []string{`{"type":"A","a":""}`, `{}`},
		rejected: []string{`{"type":"C"}`, `{"type":1}`, `{"a":""}`},
	}, {
		name: "on the property", d: text(nil, Extensions{XUnionMembers: onProperty}),
		accepted: []string{`{"type":"A","a":""}`, `{"type":"B","b":""}`, `{"type":"B"}`, `{"type":"C"}`, `{"type":""}`, `{}`},
		rejected: []string{`{"type":"A"}`, `{"type":"B","a":""}`, `{"type":"","b":""}`, `{"a":""}`, `{"type":"C","b":""}`, `{"type":"D"}`},
	}, {
		name: "no discriminator", unions: []Union{{}},
		accepted: []string{`{}`, `{"a":"","b":""}`},
	}} {
		t.Run(c.name, func(t *testing.T) {
			s := &Schema{Generic: Generic{Type: "object"}, Extensions: Extensions{XUnions: c.unions}}
			if c.required != nil {
				s.ValueValidation = &ValueValidation{Required: c.required}
			}
			s.Properties = []Property{{"a", text(nil, Extensions{})}, {"b", text(nil, Extensions{})}}
			if c.d != nil {
				s.Properties = append(s.Properties, Property{"type", c.d})
			}
			unfolded := Unfold(s)
			for _, v := range Check(unfolded) {
				t.Error(v)
			}
			if again := Unfold(unfolded); mustJSON(t, again.Props()) != mustJSON(t, unfolded.Props()) {
				t.Error("unfolding twice is not unfolding once")
			}
			if !reflect.DeepEqual(unfolded.XUnions, s.XUnions) {
				t.Error("the extension is gone")
			}
			validate := validator(t, unfolded.Props())
			for _, object := range c.accepted {
				if errs := validate(fromJSON(t, object)); len(errs) > 0 {
					t.Errorf("%s is rejected: %v", object, errs)
				}
			}
			for _, object := range c.rejected {
				if len(validate(fromJSON(t, object))) == 0 {
					t.Errorf("%s is accepted", object)
				}
			}
		})
	}
}

// TestUnfoldUnionBesideOneOf checks that an existing oneOf is kept, and that both unions of
// an object are enforced.
func TestUnfoldUnionBesideOneOf(t *testing.T) {
	leaf := &Schema{Generic: Generic{Type: "string"}}
	s := &Schema{
		Generic: Generic{Type: "object"},
		Extensions: Extensions{XUnions: []Union{
			{Discriminator: "d", Fields: []UnionField{{"a", "A"}}},
			{Discriminator: "e", Fields: []UnionField{{"b", "B"}}},
		}},
		ValueValidation: &ValueValidation{OneOf: []NestedValueValidation{{ValueValidation: ValueValidation{Required: []string{"x"}}}}},
	}
	for _, name := range []string{"a", "b", "d", "e", "x"} {
		s.Properties = append(s.Properties, Property{name, leaf})
	}
	out := Unfold(s)
	if len(out.OneOf) != 1 || len(out.AllOf) != 2 {
		t.Fatalf("oneOf has %d, allOf %d branches", len(out.OneOf), len(out.AllOf))
	}
	validate := validator(t, out.Props())
	for object, accepted := range map[string]bool{
		`{"x":"","d":"A","a":"","e":"B","b":""}`: true,
		`{"d":"A","a":"","e":"B","b":""}`:        false,
		`{"x":"","d":"A","e":"B","b":""}`:        false,
		`{"x":"","d":"A","a":"","e":"B"}`:        false,
	} {
		if errs := validate(fromJSON(t, object)); (len(errs) == 0) != accepted {
			t.Errorf("%s: %v", object, errs)
		}
	}
	if names := slices.Collect(func(yield func(string) bool) {
		for _, p := range out.Properties {
			if !yield(p.Name) {
				return
			}
		}
	}); !slices.Equal(names, []string{"a", "b", "d", "e", "x"}) {
		t.Errorf("properties %v", names)
	}
	var _ *schema.Structural = upstream(t, out)
}
