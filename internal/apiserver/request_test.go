package apiserver

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// TestNamespaceOfClusterScoped checks that the namespace is removed on create and update.
func TestNamespaceOfClusterScoped(t *testing.T) {
	crd := widget(t, "{type: object}")
	crd.Spec.Scope = apiextensionsv1.ClusterScoped
	kind, err := NewKind(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	object := func(namespace string) map[string]any {
		return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": namespace}}
	}
	for namespace, ignored := range map[string]int{"default": 1, "": 0} {
		for _, old := range []map[string]any{nil, {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}}, object("default")} {
			a, err := kind.Create(t.Context(), object(namespace))
			if old != nil {
				a, err = kind.Update(t.Context(), object(namespace), old)
			}
			if err != nil || len(a.Errors) > 0 || len(a.Ignored) != ignored || fmt.Sprint(a.Object["metadata"]) != "map[name:a]" {
				t.Errorf("%q, old %v: %v %v %v %v", namespace, old, err, a.Errors, a.Ignored, a.Object)
			}
		}
	}
}

// TestKindRequests checks the handling of metadata and status by the server's registry,
// which e2e/requests_test.go compares with a real server.
func TestKindRequests(t *testing.T) {
	crd := widget(t, "{type: object, properties: {size: {type: integer, default: 3}}}")
	crd.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
		Scale: &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.size", StatusReplicasPath: ".status.size"}}
	root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	root.Properties["status"] = props{Type: "object", Properties: map[string]props{"phase": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"New"`)}}}}
	kind, err := NewKind(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	object := func(text string) map[string]any {
		data, err := yaml.YAMLToJSON([]byte("apiVersion: example.com/v1\nkind: Widget\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]any{}
		if err := utiljson.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	const stored = "metadata: {name: a, namespace: default, resourceVersion: '7'}\nspec: {size: 4}\nstatus: {phase: Old}"
	owner := func(uid string) string { return "{apiVersion: v1, kind: Pod, name: p, uid: " + uid + "}" }
	for _, c := range []struct {
		name, object, old, subresource string
		// want is part of the stored object and warnings, or of the errors.
		want, ignored, defaulted string
	}{
		{name: "a generated name", object: "metadata: {generateName: a-}", want: "name:a-xxxxx"},
		{name: "a long generated name", object: "metadata: {generateName: " + strings.Repeat("a", 70) + "}", want: "name:" + strings.Repeat("a", 58) + "xxxxx"},
		{name: "no name", object: "metadata: {labels: {a: b}}", want: "name or generateName is required"},
		{name: "a resource version", object: "metadata: {name: a, resourceVersion: '7'}", want: "resourceVersion should not be set on objects to be created"},
		{name: "a resource version of zero", object: "metadata: {name: a, resourceVersion: '0'}", want: "name:a "},
		{name: "a deletion timestamp", object: "metadata: {name: a, deletionTimestamp: '2020-01-01T00:00:00Z'}", want: "metadata:map[name:a]", ignored: "metadata.deletionTimestamp"},
		{name: "managed fields that are wrong", object: "metadata: {name: a, managedFields: [{operation: Nonsense}]}", want: "name:a"},
		{name: "managed fields of another type", object: "metadata: {name: a, managedFields: nonsense}", want: "cannot unmarshal string into Go struct field"},
		{name: "a status", object: "metadata: {name: a}\nspec: {}\nstatus: {}", want: "spec:map[size:3]]", ignored: "status", defaulted: "spec.size"},

		{name: "an update", object: "metadata: {name: a}\nspec: {}\nstatus: {phase: New}", old: stored, want: "spec:map[size:3] status:map[phase:Old]", ignored: "status", defaulted: "spec.size"},
		{name: "the same status", object: "metadata: {name: a}\nstatus: {phase: Old}", old: stored, want: "status:map[phase:Old]"},
		{name: "the same resource version", object: "metadata: {name: a, resourceVersion: '7'}", old: stored, want: "name:a"},
		{name: "another resource version", object: "metadata: {name: a, resourceVersion: '8'}", old: stored, want: `on widgets.example.com "a": the object has been modified`},
		{name: "an update of the status", object: "metadata: {name: a}\nspec: {}\nstatus: {}", old: stored, subresource: "status", want: "spec:map[size:4] status:map[phase:New]", defaulted: "status.phase"},
		{name: "of another resource version", object: "metadata: {name: a, resourceVersion: '8'}\nstatus: {}", old: stored, subresource: "status", want: "the object has been modified"},

		{name: "a duplicate owner", object: "metadata: {name: a, ownerReferences: [" + owner("u") + ", " + owner("v") + ", " + owner("u") + "]}", want: "uid:v]]]] [.metadata.ownerReferences contains duplicate entries; "},
		{name: "finalizers", object: "metadata: {name: a, finalizers: [c, a.b, d.e/f, orphan, c]}",
			want: `[metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers metadata.finalizers: "c": prefer a domain-qualified finalizer name to`},
		{name: "a new finalizer", object: "metadata: {name: a, finalizers: [old, new]}", old: "metadata: {name: a, finalizers: [old]}", want: `[metadata.finalizers: "new": prefer`},
		{name: "a wrong finalizer on an update", object: "metadata: {name: a, finalizers: ['!']}", old: stored, want: `metadata.finalizers: Invalid value: "!"`},
		{name: "another uid", object: "metadata: {name: a, uid: x}", old: "metadata: {name: a, uid: z}", want: "Precondition failed: UID in precondition: x, UID in object meta: z"},
		{name: "a deletion timestamp on an update", object: "metadata: {name: a, deletionTimestamp: '2020-01-01T00:00:00Z'}", old: stored, want: "metadata.deletionTimestamp: Invalid value"},
		{name: "another deletion timestamp", object: "metadata: {name: a, deletionTimestamp: '2020-01-01T00:00:00Z'}", old: "metadata: {name: a, deletionTimestamp: '2021-01-01T00:00:00Z'}", want: "map[deletionTimestamp:2021"},
		{name: "a scale", object: "metadata: {name: a}\nspec: {replicas: 7}", old: stored, subresource: "scale", want: "spec:map[size:7] status:map[phase:Old]"},
		{name: "an empty scale", object: "metadata: {name: a}", old: stored, subresource: "scale", want: "spec:map[size:0]"},
		{name: "a negative scale", object: "metadata: {name: a}\nspec: {replicas: -1}", old: stored, subresource: "scale", want: "should be a non-negative integer"},
		{name: "a scale of another version", object: "metadata: {name: a, resourceVersion: '8'}", old: stored, subresource: "scale", want: "the object has been modified"},
		{name: "a scale of another type", object: "metadata: {name: a}\nspec: {replicas: many}", old: stored, subresource: "scale", want: "replicas"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a Answer
			switch {
			case c.old == "":
				a, err = kind.Create(t.Context(), object(c.object))
			case c.subresource == "":
				a, err = kind.Update(t.Context(), object(c.object), object(c.old))
			case c.subresource == "scale":
				a, err = kind.UpdateScale(t.Context(), object(c.object), object(c.old))
			default:
				a, err = kind.UpdateStatus(t.Context(), object(c.object), object(c.old))
			}
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(a.Object, a.Warnings)
			if len(a.Errors) > 0 {
				got = a.Errors.ToAggregate().Error()
			}
			if !strings.Contains(got+" ", c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			var ignored, defaulted []string
			for _, path := range a.Ignored {
				ignored = append(ignored, path.String())
			}
			for _, d := range a.Defaulted {
				defaulted = append(defaulted, d.Path.String())
			}
			if len(a.Errors) == 0 && strings.Join(ignored, " ") != c.ignored || len(a.Errors) == 0 && strings.Join(defaulted, " ") != c.defaulted {
				t.Errorf("ignored %q, defaulted %q", ignored, defaulted)
			}
		})
	}
}
