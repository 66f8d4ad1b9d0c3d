package compare

import (
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// metaSchemas returns schemas of a resource that say more or less about the fields that every
// resource has.
func metaSchemas() map[string]map[string]props {
	text := props{Type: "string"}
	short := props{Type: "string", MaxLength: ptr.To(int64(1))}
	long := props{Type: "string", MaxLength: ptr.To(int64(100))}
	meta := func(fields map[string]props) map[string]props {
		return map[string]props{"metadata": {Type: "object", Properties: fields}}
	}
	return map[string]map[string]props{
		"nothing":           {},
		"metadata":          meta(nil),
		"names":             meta(map[string]props{"name": text, "generateName": text}),
		"short name":        meta(map[string]props{"name": short}),
		"long name":         meta(map[string]props{"name": long}),
		"pattern":           meta(map[string]props{"name": {Type: "string", Pattern: "^a"}}),
		"enum":              meta(map[string]props{"name": {Type: "string", Enum: []apiextensionsv1.JSON{raw(`"a"`)}}}),
		"short generated":   meta(map[string]props{"generateName": short}),
		"apiVersion":        {"apiVersion": text, "kind": text},
		"described":         {"apiVersion": {Type: "string", Description: "x"}, "kind": text, "metadata": {Type: "object"}},
		"short kind":        {"kind": short},
		"enum of apiGroups": {"apiVersion": {Type: "string", Enum: []apiextensionsv1.JSON{raw(`"v2"`)}}},
	}
}

// TestMetadata restricts the fields that every resource and every embedded resource has, although
// schemas need not specify them. The category of each change from one schema to another one is
// compared with the server's code.
func TestMetadata(t *testing.T) {
	schemas := metaSchemas()
	names := slices.Sorted(maps.Keys(schemas))
	places := map[string]func(fields map[string]props) *apiextensionsv1.CustomResourceDefinition{
		"root": func(fields map[string]props) *apiextensionsv1.CustomResourceDefinition {
			out := base()
			for name, s := range fields {
				out.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[name] = s
			}
			return out
		},
		"embedded": func(fields map[string]props) *apiextensionsv1.CustomResourceDefinition {
			return randomDefinition(props{Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: ptr.To(true), Properties: fields})
		},
	}
	objects := map[string][]map[string]any{}
	for _, name := range []string{"a", "b", "ab", "bcd", strings.Repeat("ab", 60)} {
		for _, generate := range []string{"a", "bcd"} {
			meta := map[string]any{"name": name, "generateName": generate}
			object := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": meta}
			objects["root"] = append(objects["root"], object)
			for _, spec := range []map[string]any{{"apiVersion": "v1", "kind": "A"}, {"apiVersion": "v2", "kind": "ConfigMap"}, {"apiVersion": "v1", "kind": "ConfigMap"}, {"apiVersion": "v2", "kind": "A"}} {
				outer := maps.Clone(object)
				outer["spec"] = spec
				spec["metadata"] = meta
				objects["embedded"] = append(objects["embedded"], outer)
			}
		}
	}
	count := map[Category]int{}
	for place, definition := range places {
		for _, from := range names {
			for _, to := range names {
				if from == to || place == "root" && (to == "short kind" || to == "enum of apiGroups" || from == "short kind" || from == "enum of apiGroups") {
					continue // no object can be created
				}
				old, new := definition(schemas[from]), definition(schemas[to])
				changes, err := Definitions(t.Context(), newest(t), []*crd.Definition{subject(old)}, []*crd.Definition{subject(new)})
				if err != nil {
					t.Fatal(err)
				}
				got := Safe
				for _, c := range changes {
					got = max(got, c.Category)
				}
				before, err := apiserver.NewKind(old, "v1")
				if err != nil {
					t.Fatal(err)
				}
				after, err := apiserver.NewKind(new, "v1")
				if err != nil {
					t.Fatal(err)
				}
				want := Safe
				for _, object := range objects[place] {
					want = max(want, effect(t, before, after, object))
				}
				if got != want {
					t.Errorf("%s: from %s to %s: %s, but with the server's code it %s: %+v", place, from, to, got, want, changes)
				}
				count[got]++
			}
		}
	}
	if t.Logf("%v", count); count[Safe] < 30 || count[BreaksClients] < 30 {
		t.Errorf("too few changes: %v", count)
	}
}

// effect returns what happens to an object when the new definition replaces the old one.
func effect(t *testing.T, before, after *apiserver.Kind, object map[string]any) Category {
	t.Helper()
	stored, err := before.Create(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	if len(stored.Errors) > 0 {
		return Safe
	}
	touched := runtime.DeepCopyJSON(stored.Object)
	touched["metadata"].(map[string]any)["labels"] = map[string]any{"touched": "yes"}
	updated, err := after.Update(t.Context(), touched, stored.Object)
	if err != nil {
		t.Fatal(err)
	}
	created, err := after.Create(t.Context(), object)
	switch {
	case err != nil:
		t.Fatal(err)
	case len(updated.Errors) > 0:
		return BreaksStored
	case len(created.Errors) > 0:
		return BreaksClients
	}
	return Safe
}
