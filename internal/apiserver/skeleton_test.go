package apiserver

import (
	"reflect"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

// TestSkeletonKind compares, on random objects of structural schemas, pruning by the skeleton
// with that of the server: answers are equal except for the differences.
func TestSkeletonKind(t *testing.T) {
	target := target(t, newest())
	counts := map[string]int{}
	for seed := 0; counts["objects"] < *objects; seed++ {
		c := newRandom(seed*5 + 2)
		c.mistakes = 0
		crd := c.crd()
		crd.Spec.Versions = crd.Spec.Versions[:1]
		v := &crd.Spec.Versions[0]
		v.Name, v.Served, v.Storage = "v1", true, true
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		spec := v.Schema.OpenAPIV3Schema.Properties["spec"]
		spec.Properties = map[string]apiextensionsv1.JSONSchemaProps{
			"closed":   {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{}},
			"embedded": {Type: "object", XEmbeddedResource: true, Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object"}}},
			"either": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}}, AnyOf: []apiextensionsv1.JSONSchemaProps{
				{Properties: map[string]apiextensionsv1.JSONSchemaProps{"unknown": {}}},
			}},
			"own": *spec.DeepCopy(),
		}
		v.Schema.OpenAPIV3Schema.Properties["spec"] = spec
		found, err := target.ValidateCreate(t.Context(), crd)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(found, func(f Finding) bool { return !f.Warning }) {
			continue
		}
		server, err := NewKind(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		proposed, err := NewSkeletonKind(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			object, ok := c.object(v.Schema.OpenAPIV3Schema, 0).(map[string]any)
			if !ok {
				continue
			}
			object["apiVersion"], object["kind"], object["metadata"] = crd.Spec.Group+"/v1", crd.Spec.Names.Kind, map[string]any{"name": "a"}
			if spec, ok := object["spec"].(map[string]any); ok {
				spec["closed"], spec["embedded"] = map[string]any{"a": int64(1)}, map[string]any{"kind": "A", "b": int64(1)}
			}
			counts["objects"]++
			comparePruning(t, server, proposed, object, counts)
		}
	}
	t.Log(counts)
	for _, category := range []string{"equal", "dropped", "kept"} {
		if counts[category] == 0 {
			t.Errorf("no objects in category %q", category)
		}
	}
}

func comparePruning(t *testing.T, server, proposed *Kind, object map[string]any, counts map[string]int) {
	t.Helper()
	want, err := server.Create(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proposed.Create(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Differences) == 0 {
		counts["equal"]++
		if !reflect.DeepEqual(got.Object, want.Object) || !slices.Equal(texts(got.Pruned), texts(want.Pruned)) {
			t.Errorf("got %v, the server has %v", got, want)
		}
		return
	}
	drops := func(a Answer, path *structural.ObjectPath) bool {
		return slices.Contains(texts(a.Pruned), path.String())
	}
	for _, d := range got.Differences {
		dropped := len(d.Specified) > 0
		if drops(want, d.Path) != dropped || drops(got, d.Path) == dropped {
			t.Errorf("%s is dropped by the server: %t, and by the proposal: %t; specified by %v", d.Path, drops(want, d.Path), drops(got, d.Path), d.Specified)
		}
		if dropped {
			counts["dropped"]++
		} else {
			counts["kept"]++
		}
	}
}
