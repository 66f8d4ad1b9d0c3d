package apiserver

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
)

// addKeywords adds keywords to some nodes of a schema.
func (c defaulted) addKeywords(s *apiextensionsv1.JSONSchemaProps) {
	if c.IntN(3) == 0 {
		switch s.Type {
		case "string":
			s.MaxLength, s.Pattern, s.Format = ptr.To(int64(c.IntN(2))), "^a?$", []string{"", "ipv4", "unknown"}[c.IntN(3)]
		case "integer":
			s.Maximum, s.Enum = ptr.To(1.0), []apiextensionsv1.JSON{{Raw: []byte("1")}, {Raw: []byte("null")}}
		case "array":
			s.XListType, s.MaxItems = ptr.To([]string{"atomic", "set"}[c.IntN(2)]), ptr.To(int64(1))
		case "object":
			s.Required, s.XMapType = []string{"a"}, ptr.To("granular")
			s.AnyOf = []apiextensionsv1.JSONSchemaProps{{Required: []string{"b"}}, {Not: &apiextensionsv1.JSONSchemaProps{Required: []string{"in"}}}}
			if s.AdditionalProperties == nil && c.IntN(2) == 0 {
				s.XPreserveUnknownFields = ptr.To(true)
			}
		}
		s.Nullable, s.Description, s.ExternalDocs = c.IntN(2) == 0, "what it is", &apiextensionsv1.ExternalDocumentation{URL: "https://example.com"}
	}
	for name, property := range s.Properties {
		c.addKeywords(&property)
		s.Properties[name] = property
		if c.IntN(4) == 0 {
			s.Properties["a"] = property // which is then shared
		}
	}
	if s.Items != nil {
		c.addKeywords(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		c.addKeywords(s.AdditionalProperties.Schema)
	}
}

// shared returns a schema in which equal nodes are the same.
func shared(t *testing.T, known map[string]*structural.Schema, s *structural.Schema) *structural.Schema {
	t.Helper()
	if s == nil {
		return nil
	}
	key, err := json.Marshal(s.Props())
	if err != nil {
		t.Fatal(err)
	}
	if known[string(key)] == nil {
		out := *s
		out.Properties = slices.Clone(s.Properties)
		for i, p := range out.Properties {
			out.Properties[i].Schema = shared(t, known, p.Schema)
		}
		slices.Reverse(out.Properties) // the order is that of Go fields
		out.Items = shared(t, known, s.Items)
		if a := s.AdditionalProperties; a != nil {
			out.AdditionalProperties = &structural.SchemaOrBool{Schema: shared(t, known, a.Schema), Bool: a.Bool}
		}
		known[string(key)] = &out
	}
	return known[string(key)]
}

// TestKinds compares versions whose schemas share nodes with those that the server's code prepares
// from the whole schema: their models, and answers about random objects.
func TestKinds(t *testing.T) {
	typeName := regexp.MustCompile(`selfType\d+`) // the server's code names types by the time
	refused, accepted, ruled := 0, 0, 0
	for seed := range *crds / 3 {
		c := defaulted{rand.New(rand.NewPCG(uint64(seed), 21))}
		var ks Kinds
		known := map[string]*structural.Schema{}
		for range 3 {
			crd := widget(t, "type: object")
			root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
			spec, status := c.schema(4), c.schema(4)
			for _, s := range []*apiextensionsv1.JSONSchemaProps{&spec, &status} {
				c.addKeywords(s)
				if c.IntN(2) == 0 {
					c.addRules(s)
				}
			}
			root.Properties = map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "status": status}
			if c.IntN(2) == 0 {
				crd.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
			}
			model, unsupported := structural.FromProps(root)
			if len(unsupported) > 0 {
				t.Fatal(unsupported)
			}
			model = shared(t, known, model)
			want, wantErr := NewKind(crd, "v1")
			got, err := ks.New(crd, model, "v1")
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("seed %d: got %v, want %v", seed, err, wantErr)
			}
			if err != nil {
				refused++
				continue
			}
			converted, err := ks.convert(model)
			if err != nil {
				t.Fatal(err)
			}
			in, err := internal(crd)
			if err != nil {
				t.Fatal(err)
			}
			_, openapi, err := apiservervalidation.NewSchemaValidator(in.Spec.Validation.OpenAPIV3Schema)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.structural, want.structural) || !reflect.DeepEqual(got.schema, want.schema) || !reflect.DeepEqual(converted.openapi, openapi) {
				t.Fatalf("seed %d: the models differ", seed)
			}
			if (got.rules == nil) != (want.rules == nil) {
				t.Fatalf("seed %d: rules %v, want %v", seed, got.rules, want.rules)
			}
			if got.rules != nil {
				ruled++
			}
			for range 3 {
				object, stored := c.object(root), c.object(root)
				if object == nil || stored == nil {
					continue
				}
				ask := func(k *Kind) (out []any) {
					for _, do := range []func() (Answer, error){
						func() (Answer, error) { return k.Create(t.Context(), object) },
						func() (Answer, error) { return k.Update(t.Context(), object, stored) },
						func() (Answer, error) {
							if !k.HasStatus() {
								return Answer{}, nil
							}
							return k.UpdateStatus(t.Context(), object, stored)
						},
					} {
						a, err := do()
						if err != nil {
							t.Fatalf("seed %d: %v", seed, err)
						}
						var errs []string
						for _, e := range slices.Concat(a.Errors, a.Unchecked) {
							errs = append(errs, typeName.ReplaceAllString(e.Error(), "selfType"))
						}
						slices.Sort(errs)
						if errs == nil {
							accepted++
						}
						out = append(out, a.Object, errs, len(a.Defaulted), len(a.Pruned), len(a.Nulls))
					}
					return out
				}
				answers := ask(got)
				same := func() bool { return reflect.DeepEqual(answers, ask(want)) }
				// Of several errors in a comparison of maps, the server finds any.
				if !slices.ContainsFunc(make([]int, 50), func(int) bool { return same() }) {
					t.Fatalf("seed %d: got %v\nwant %v", seed, answers, ask(want))
				}
			}
		}
	}
	if ruled == 0 || accepted == 0 {
		t.Errorf("%d schemas with rules, %d accepted requests", ruled, accepted)
	}
	t.Logf("%d definitions refused, %d with rules, %d requests accepted", refused, ruled, accepted)
}

// object returns a random object of a schema, or nil.
func (c defaulted) object(s *apiextensionsv1.JSONSchemaProps) map[string]any {
	out, _ := c.value(s).(map[string]any)
	if out == nil {
		return nil
	}
	text, err := json.Marshal(out)
	if err != nil || utiljson.Unmarshal(text, &out) != nil {
		return nil
	}
	out["apiVersion"], out["kind"] = "example.com/v1", "Widget"
	out["metadata"] = map[string]any{"name": "a", "namespace": "default", "uid": "u", "resourceVersion": "1"}
	return out
}

// TestKindsConcurrently prepares and asks about versions that share nodes from several goroutines.
func TestKindsConcurrently(t *testing.T) {
	crd := widget(t, `{type: object, properties: {a: {type: string, default: x, maxLength: 2}, b: {type: object, x-kubernetes-validations: [{rule: "!has(self.c) || self.c != 'no'"}], properties: {c: {type: string}}}}}`)
	model, _ := structural.FromProps(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	var ks Kinds
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			k, err := ks.New(crd, model, "v1")
			if err != nil {
				t.Error(err)
				return
			}
			a, err := k.Create(t.Context(), map[string]any{
				"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": "default"},
				"spec": map[string]any{"b": map[string]any{"c": "no"}},
			})
			if err != nil || len(a.Errors) != 1 {
				t.Errorf("got %v, %v", a.Errors, err)
			}
		})
	}
	all.Wait()
}
