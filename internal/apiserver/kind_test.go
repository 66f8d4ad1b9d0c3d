package apiserver

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

var crdDir = flag.String("crd-folder", "", "directory of CRDs for TestKindMatchesServerOn")

var objects = flag.Int("objects", 1000, "how many random objects to compare")

// serverKind handles a kind with the server's own packages.
type serverKind struct {
	structural *structuralschema.Structural
	strategy   interface {
		PrepareForCreate(context.Context, runtime.Object)
		PrepareForUpdate(context.Context, runtime.Object, runtime.Object)
		Validate(context.Context, runtime.Object) field.ErrorList
		ValidateUpdate(context.Context, runtime.Object, runtime.Object) field.ErrorList
	}
	status interface {
		PrepareForUpdate(context.Context, runtime.Object, runtime.Object)
		ValidateUpdate(context.Context, runtime.Object, runtime.Object) field.ErrorList
	}
}

func newServerKind(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) *serverKind {
	t.Helper()
	version := crd.Spec.Versions[0].Name
	in, err := internal(crd)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := apiextensions.GetSchemaForVersion(in, version)
	if err != nil {
		t.Fatal(err)
	}
	s, err := structuralschema.NewStructural(schemas.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := defaulting.PruneDefaults(s); err != nil {
		t.Fatal(err)
	}
	validator, _, err := apiservervalidation.NewSchemaValidator(schemas.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(in, version)
	if err != nil {
		t.Fatal(err)
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if subresources != nil {
		status, scale = subresources.Status, subresources.Scale
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind}
	var statusValidator apiservervalidation.SchemaValidator
	if schema, ok := schemas.OpenAPIV3Schema.Properties["status"]; ok && status != nil {
		if statusValidator, _, err = apiservervalidation.NewSchemaValidator(&schema); err != nil {
			t.Fatal(err)
		}
	}
	strategy := customresource.NewStrategy(nil, crd.Spec.Scope == apiextensionsv1.NamespaceScoped, kind, validator, statusValidator, s, status, scale, nil)
	return &serverKind{s, strategy, customresource.NewStatusStrategy(strategy)}
}

// decode is unstructuredDefaulter and unstructuredSchemaCoercer, which are not exported.
func (k *serverKind) decode(object map[string]any) (*unstructured.Unstructured, []string, error) {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(object)}
	defaulting.Default(u.Object, k.structural)
	kind, apiVersion := u.GetKind(), u.GetAPIVersion()
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(u.Object, k.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, k.structural)
	wrong, more := objectmeta.CoerceWithOptions(nil, u.Object, k.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if wrong != nil {
		return nil, nil, wrong
	}
	u.SetKind(kind)
	u.SetAPIVersion(apiVersion)
	if found {
		if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return nil, nil, err
		}
	}
	return u, append(unknown, more...), nil
}

// object returns a random value for a schema, mostly a valid one.
func (c random) object(s *apiextensionsv1.JSONSchemaProps, depth int) any {
	if depth > 8 || c.one(40) {
		return pick[any](c, nil, "a", int64(7), 1.5, true, []any{}, map[string]any{"a": "b"})
	}
	switch s.Type {
	case "object":
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			property := s.Properties[name]
			if !c.one(3) || slices.Contains(s.Required, name) && !c.one(20) {
				out[name] = c.object(&property, depth+1)
			}
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			for _, name := range []string{"k", "l", "m"}[:c.Intn(4)] {
				out[name] = c.object(s.AdditionalProperties.Schema, depth+1)
			}
		}
		if c.one(6) {
			out["unknown"] = map[string]any{"a": int64(1)}
		}
		return out
	case "array":
		var out []any
		for range c.Intn(4) {
			if s.Items != nil {
				out = append(out, c.object(s.Items.Schema, depth+1))
			}
		}
		return out
	case "string":
		return pick[any](c, "a", "bcd", "", "2020-01-01T00:00:00Z", "abcdefgh")
	case "integer":
		return pick[any](c, int64(0), int64(3), int64(-1), int64(1)<<62)
	case "boolean":
		return c.one(2)
	}
	return pick[any](c, "a", int64(3))
}

// withDefaults gives properties of a schema defaults of their types.
func (c random) withDefaults(s *apiextensionsv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		c.withDefaults(&property)
		if name != "metadata" && len(property.XValidations) == 0 && property.Default == nil && !c.one(6) {
			switch property.Type {
			case "string":
				if property.Format == "" && len(property.Enum) == 0 {
					property.Default = &apiextensionsv1.JSON{Raw: []byte(`"abc"`)}
				}
			case "integer":
				if property.Minimum == nil && property.Maximum == nil && len(property.Enum) == 0 {
					property.Default = &apiextensionsv1.JSON{Raw: []byte("2")}
				}
			case "boolean":
				property.Default = &apiextensionsv1.JSON{Raw: []byte("true")}
			}
		}
		property.Nullable = property.Nullable || c.one(12)
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		c.withDefaults(s.Items.Schema)
	}
}

// TestKindMatchesServer compares the handling of random objects with the server's own
// packages: the stored object, dropped fields, and errors.
func TestKindMatchesServer(t *testing.T) {
	target := target(t, newest())
	counts := map[string]int{}
	for seed := 0; counts["objects"] < *objects; seed++ {
		c := newRandom(seed*3 + 1)
		c.mistakes = 0
		crd := c.crd()
		crd.Spec.Versions = crd.Spec.Versions[:1]
		crd.Spec.Versions[0].Name, crd.Spec.Versions[0].Served, crd.Spec.Versions[0].Storage = "v1", true, true
		if crd.Spec.Versions[0].Schema == nil || crd.Spec.Versions[0].Schema.OpenAPIV3Schema == nil {
			continue
		}
		root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		if spec := root.Properties["spec"]; len(spec.Properties) < 2 {
			continue // there is little to default or prune
		}
		if c.one(2) {
			status := root.Properties["spec"]
			root.Properties["status"] = *status.DeepCopy() // so that the status can be invalid
		}
		c.withDefaults(root)
		found, err := target.ValidateCreate(t.Context(), crd)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(found, func(f Finding) bool { return !f.Warning }) {
			continue
		}
		kind, err := NewKind(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		server := newServerKind(t, crd)
		var stored *unstructured.Unstructured
		for range 20 {
			object, ok := c.object(root, 0).(map[string]any)
			if !ok {
				continue
			}
			object["apiVersion"], object["kind"] = crd.Spec.Group+"/v1", crd.Spec.Names.Kind
			object["metadata"] = map[string]any{"name": "a", "namespace": "b", "resourceVersion": "1"}
			if crd.Spec.Scope != apiextensionsv1.NamespaceScoped {
				object["metadata"] = map[string]any{"name": "a", "resourceVersion": "1", "wrong": true}
			}
			if stored != nil && c.one(2) {
				// Change the stored object a little, so that most of it is ratcheted.
				for _, name := range slices.Sorted(maps.Keys(stored.Object)) {
					if value, ok := object[name]; !ok || !c.one(3) {
						object[name] = runtime.DeepCopyJSONValue(stored.Object[name])
					} else {
						object[name] = value
					}
				}
			}
			counts["objects"]++
			compareAnswers(t, kind, server, object, stored, counts)
			if kind.HasStatus() && stored != nil {
				if c.one(2) && stored.Object["status"] == nil {
					if status, ok := root.Properties["status"]; ok {
						stored.Object["status"] = c.object(&status, 1)
						if u, _, err := server.decode(stored.Object); err == nil {
							stored = u // as the server reads it
						}
					}
				}
				compareStatus(t, kind, server, object, stored, counts)
			}
			if u, _, err := server.decode(object); err == nil && c.one(2) {
				stored = u
			} else if c.one(3) {
				stored = nil
			}
		}
	}
	t.Log(counts)
	for _, category := range []string{"pruned", "defaulted", "rejected", "updates", "nulls", "ratcheted", "statuses", "statuses rejected"} {
		if counts[category] == 0 {
			t.Errorf("no objects in category %q", category)
		}
	}
}

// TestKindMatchesServerOn does the same for the CRDs in a directory.
func TestKindMatchesServerOn(t *testing.T) {
	if *crdDir == "" {
		t.Skip("no -crd-folder")
	}
	counts := map[string]int{}
	err := filepath.WalkDir(*crdDir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(data, crd); err != nil || crd.Kind != "CustomResourceDefinition" || crd.Spec.Group == "" {
			return err
		}
		for _, v := range crd.Spec.Versions {
			kind, err := NewKind(crd, v.Name)
			if err != nil {
				t.Logf("%s: %v", name, err)
				continue
			}
			counts["versions"]++
			single := crd.DeepCopy()
			single.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{v}
			server := newServerKind(t, single)
			c := newRandom(counts["versions"])
			var stored *unstructured.Unstructured
			for range 20 {
				object, ok := c.object(v.Schema.OpenAPIV3Schema, 0).(map[string]any)
				if !ok {
					continue
				}
				object["apiVersion"], object["kind"], object["metadata"] = crd.Spec.Group+"/"+v.Name, crd.Spec.Names.Kind, map[string]any{"name": "a", "resourceVersion": "1"}
				if kind.namespaced {
					object["metadata"].(map[string]any)["namespace"] = "b"
				}
				counts["objects"]++
				compareAnswers(t, kind, server, object, stored, counts)
				if stored != nil && kind.HasStatus() {
					compareStatus(t, kind, server, object, stored, counts)
				}
				if u, _, err := server.decode(object); err == nil && c.one(2) {
					stored = u
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
	if counts["objects"] == 0 {
		t.Error("no object was compared")
	}
}

func compareAnswers(t *testing.T, kind *Kind, server *serverKind, object map[string]any, stored *unstructured.Unstructured, counts map[string]int) {
	t.Helper()
	given := runtime.DeepCopyJSON(object)
	var answer Answer
	var err error
	if stored == nil {
		answer, err = kind.Create(t.Context(), object)
		// The storage layer reports this, which is not part of the strategy.
		answer.Errors = slices.DeleteFunc(answer.Errors, func(e *field.Error) bool { return strings.HasPrefix(e.Detail, "resourceVersion should not be set") })
	} else {
		counts["updates"]++
		answer, err = kind.Update(t.Context(), object, stored.Object)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(object, given) {
		t.Fatal("the given object was changed")
	}
	u, dropped, decodeErr := server.decode(object)
	if decodeErr != nil {
		if len(answer.Errors) != 1 {
			t.Fatalf("the server cannot decode: %v", decodeErr)
		}
		return
	}
	want := server.validate(t, u, stored)
	context := func() string {
		text, _ := json.Marshal(object)
		return string(text)
	}
	if !reflect.DeepEqual(answer.Object, u.Object) {
		t.Errorf("%s becomes\n%v, but on the server\n%v", context(), answer.Object, u.Object)
	}
	ours := append(texts(answer.Pruned), answer.Metadata...)
	slices.Sort(ours)
	slices.Sort(dropped)
	if !slices.Equal(ours, dropped) {
		t.Errorf("%s: dropped %q, but the server drops %q", context(), ours, dropped)
	}
	if got, texts := errorTexts(answer.Errors), errorTexts(want); !slices.Equal(got, texts) && !server.mayAnswer(t, object, stored, got) {
		t.Errorf("%s:\n%s\nbut the server reports\n%s", context(), strings.Join(got, "\n"), strings.Join(texts, "\n"))
	}
	note := func(category string, is bool) {
		if is {
			counts[category]++
		}
	}
	note("pruned", len(dropped) > 0)
	note("defaulted", len(answer.Defaulted) > 0)
	note("rejected", len(want) > 0)
	note("nulls", len(answer.Nulls) > 0)
	note("ratcheted", len(answer.Warnings) > 0)
}

// compareStatus compares the handling of a status update.
func compareStatus(t *testing.T, kind *Kind, server *serverKind, object map[string]any, stored *unstructured.Unstructured, counts map[string]int) {
	t.Helper()
	old, _, err := server.decode(stored.Object)
	if err != nil {
		return
	}
	answer, err := kind.UpdateStatus(t.Context(), object, stored.Object)
	if err != nil {
		t.Fatal(err)
	}
	counts["statuses"]++
	if len(answer.Errors) > 0 {
		counts["statuses rejected"]++
	}
	// The server compares objects in the random order of Go's maps.
	var want field.ErrorList
	for range 1000 {
		u, _, err := server.decode(object)
		if err != nil {
			return
		}
		server.status.PrepareForUpdate(t.Context(), u, old.DeepCopy())
		if want = server.status.ValidateUpdate(t.Context(), u, old.DeepCopy()); slices.Equal(errorTexts(answer.Errors), errorTexts(want)) {
			if !reflect.DeepEqual(answer.Object, u.Object) {
				t.Errorf("%v becomes\n%v, but on the server\n%v", object, answer.Object, u.Object)
			}
			return
		}
	}
	t.Errorf("status of %v over %v:\n%s\nbut the server reports\n%s", object, stored.Object, strings.Join(errorTexts(answer.Errors), "\n"), strings.Join(errorTexts(want), "\n"))
}

// validate returns the server's errors about a decoded object.
func (k *serverKind) validate(t *testing.T, u, stored *unstructured.Unstructured) field.ErrorList {
	t.Helper()
	if stored == nil {
		k.strategy.PrepareForCreate(t.Context(), u)
		unstructured.RemoveNestedField(u.Object, "metadata", "generation")
		return k.strategy.Validate(t.Context(), u)
	}
	old := stored.DeepCopy()
	k.strategy.PrepareForUpdate(t.Context(), u, old)
	unstructured.RemoveNestedField(u.Object, "metadata", "generation")
	return k.strategy.ValidateUpdate(t.Context(), u, old)
}

// mayAnswer reports whether the server returns this answer in some run. Its rules compare
// objects in the random order of Go's maps, and stop at the first difference or failure.
func (k *serverKind) mayAnswer(t *testing.T, object map[string]any, stored *unstructured.Unstructured, answer []string) bool {
	t.Helper()
	for range 1000 {
		u, _, err := k.decode(object)
		if err != nil {
			return false
		}
		if slices.Equal(errorTexts(k.validate(t, u, stored)), answer) {
			return true
		}
	}
	return false
}

func texts(paths []*structural.ObjectPath) []string {
	var out []string
	for _, p := range paths {
		out = append(out, p.String())
	}
	return out
}

// errorTexts returns the errors, sorted and without duplicates: general metadata errors are
// reported by more than the strategy.
func errorTexts(errs field.ErrorList) []string {
	var out []string
	for _, e := range errs {
		out = append(out, fmt.Sprint(e))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestKindMetadata(t *testing.T) {
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Widget", Plural: "widgets"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
			}},
		},
	}
	kind, err := NewKind(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	object := func(apiVersion, kind string, metadata map[string]any) map[string]any {
		return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	}
	good := object("example.com/v1", "Widget", map[string]any{"name": "a"})
	for _, test := range []struct {
		new, old map[string]any
		want     string
	}{
		{new: good},
		{new: object("example.com/v1", "Gadget", map[string]any{"name": "a"}), want: "kind"},
		{new: object("example.com/v2", "Widget", map[string]any{"name": "a"}), want: "apiVersion"},
		{new: object("example.com/v1", "Widget", map[string]any{"name": "A_"}), want: "metadata.name"},
		{new: object("example.com/v1", "Widget", map[string]any{}), want: "metadata.name"},
		{new: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget"}, want: "metadata.name"},
		{new: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget"}, old: good, want: "metadata.name metadata.name"},
		{new: good, old: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget"}, want: "metadata.name"},
		{new: object("example.com/v1", "Widget", map[string]any{"name": "a", "labels": map[string]any{"a": "?"}}), want: "metadata.labels"},
		{new: good, old: object("example.com/v1", "Widget", map[string]any{"name": "b"}), want: "metadata.name"},
		{new: good, old: object("example.com/v1", "Widget", map[string]any{"name": "a", "uid": "x", "generation": int64(3)})},
	} {
		answer, err := Answer{}, error(nil)
		if test.old == nil {
			answer, err = kind.Create(t.Context(), test.new)
		} else {
			answer, err = kind.Update(t.Context(), test.new, test.old)
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range answer.Errors {
			got = append(got, e.Field)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v → %v: %v", test.old, test.new, answer.Errors)
		}
	}
}
