package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// TestRequests compares apiserver.Kind with the server for metadata and status, which the
// server's registry and storage process before and after validation.
func TestRequests(t *testing.T) {
	part(t, "metadata and status")
	s := cluster(t)
	ctx := within(t)
	const text = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.requests.test}
spec:
  group: requests.test
  names: {kind: Job, plural: jobs, singular: job, listKind: JobList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.count}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, default: 3, maximum: 9}}}
          status: {type: object, properties: {phase: {type: string, default: New}, count: {type: integer, maximum: 9}}}
`
	var object apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	crd := CRD{From: "requests", Name: object.Name, Group: object.Spec.Group, Data: data}
	installed(t, s, crd)
	kind, err := apiserver.NewKind(&object, "v1")
	if err != nil {
		t.Fatal(err)
	}
	const path = "/apis/requests.test/v1/namespaces/default/jobs"
	send := func(method, path string, object map[string]any) Answer {
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Do(ctx, method, path+"?fieldValidation=Ignore", JSON, body)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	parse := func(text string) map[string]any {
		body, err := yaml.YAMLToJSON([]byte("apiVersion: requests.test/v1\nkind: Job\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		return objectOf(t, body)
	}
	created := send(http.MethodPost, path, parse("metadata: {name: stored}\nspec: {size: 4}"))
	if !created.OK() {
		t.Fatal(created)
	}
	const owner = "{apiVersion: v1, kind: Pod, name: p, uid: u}"
	requests := []struct{ name, object, method, subresource string }{
		{"a generated name", "metadata: {generateName: a-}", http.MethodPost, ""},
		{"a long generated name", "metadata: {generateName: " + strings.Repeat("a", 70) + "}", http.MethodPost, ""},
		{"a bad generated name", "metadata: {generateName: A-}", http.MethodPost, ""},
		{"no name", "metadata: {labels: {a: b}}", http.MethodPost, ""},
		{"a resource version", "metadata: {name: c4, resourceVersion: '7'}", http.MethodPost, ""},
		{"a resource version of an invalid object", "metadata: {name: c5, resourceVersion: '7'}\nspec: {size: 10}", http.MethodPost, ""},
		{"a resource version that is none", "metadata: {name: c6, resourceVersion: '0'}", http.MethodPost, ""},
		{"a resource version that is no number", "metadata: {name: c7, resourceVersion: seven}", http.MethodPost, ""},
		{"a deletion timestamp", "metadata: {name: c8, deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 5, selfLink: /a}", http.MethodPost, ""},
		{"managed fields that are wrong", "metadata: {name: c9, managedFields: [{operation: Nonsense}]}", http.MethodPost, ""},
		{"managed fields of another type", "metadata: {name: c10, managedFields: nonsense}", http.MethodPost, ""},
		{"a uid", "metadata: {name: c11, uid: x, creationTimestamp: '2020-01-01T00:00:00Z'}", http.MethodPost, ""},
		{"a status", "metadata: {name: c12}\nstatus: {count: 4}", http.MethodPost, ""},
		{"a wrong status", "metadata: {name: c13}\nspec: {}\nstatus: {count: 10}", http.MethodPost, ""},
		{"a status without anything", "metadata: {name: c14}\nstatus: {}", http.MethodPost, ""},
		{"a status on an update", "metadata: {name: stored, resourceVersion: CURRENT}\nspec: {size: 5}\nstatus: {count: 4}", http.MethodPut, ""},
		{"another resource version", "metadata: {name: stored, resourceVersion: '1'}\nspec: {size: 10}", http.MethodPut, ""},
		{"managed fields on an update", "metadata: {name: stored, resourceVersion: CURRENT, managedFields: [{operation: Nonsense}]}\nspec: {size: 6}", http.MethodPut, ""},
		{"the status alone", "metadata: {name: stored, resourceVersion: CURRENT, labels: {a: b}}\nspec: {size: 10}\nstatus: {count: 4}", http.MethodPut, "/status"},
		{"a wrong status alone", "metadata: {name: stored, resourceVersion: CURRENT}\nstatus: {count: 10}", http.MethodPut, "/status"},
		{"no status", "metadata: {name: stored, resourceVersion: CURRENT}", http.MethodPut, "/status"},
		{"a duplicate owner", "metadata: {name: c15, ownerReferences: [" + owner + ", " + owner + "]}", http.MethodPost, ""},
		{"a duplicate owner on an update", "metadata: {name: stored, resourceVersion: CURRENT, ownerReferences: [" + owner + ", " + owner + "]}", http.MethodPut, ""},
		{"a duplicate owner next to a status", "metadata: {name: stored, resourceVersion: CURRENT, ownerReferences: [" + owner + ", " + owner + "]}", http.MethodPut, "/status"},
		{"finalizers", "metadata: {name: c16, finalizers: [c, a.b, d.e/f, orphan, c]}", http.MethodPost, ""},
		{"wrong finalizers", "metadata: {name: c17, finalizers: ['!', a.b]}", http.MethodPost, ""},
		{"finalizers on an update", "metadata: {name: stored, resourceVersion: CURRENT, finalizers: [c, d.e/f]}", http.MethodPut, ""},
		{"the same finalizers", "metadata: {name: stored, resourceVersion: CURRENT, finalizers: [c, d.e/f]}", http.MethodPut, ""},
		{"a wrong finalizer on an update", "metadata: {name: stored, resourceVersion: CURRENT, finalizers: ['!', c]}", http.MethodPut, ""},
		{"no finalizers", "metadata: {name: stored, resourceVersion: CURRENT}", http.MethodPut, ""},
		{"another uid", "metadata: {name: stored, resourceVersion: CURRENT, uid: another}", http.MethodPut, ""},
		{"another uid of the status", "metadata: {name: stored, resourceVersion: CURRENT, uid: another}\nstatus: {}", http.MethodPut, "/status"},
		{"a deletion timestamp on an update", "metadata: {name: stored, resourceVersion: CURRENT, deletionTimestamp: '2020-01-01T00:00:00Z'}", http.MethodPut, ""},
		{"a grace period on an update", "metadata: {name: stored, resourceVersion: CURRENT, deletionGracePeriodSeconds: 5}", http.MethodPut, ""},
		{"a creation timestamp on an update", "metadata: {name: stored, resourceVersion: CURRENT, creationTimestamp: '2020-01-01T00:00:00Z', generation: 77}", http.MethodPut, ""},
		{"another namespace", "metadata: {name: stored, resourceVersion: CURRENT, namespace: default, labels: {'!': a}, annotations: {'!': a}}", http.MethodPut, ""},
		{"a scale", "metadata: {name: stored, resourceVersion: CURRENT}\nspec: {replicas: 7}", http.MethodPut, "/scale"},
		{"a scale without a version", "metadata: {name: stored}\nspec: {replicas: 6}\nstatus: {replicas: 3}", http.MethodPut, "/scale"},
		{"an empty scale", "metadata: {name: stored}", http.MethodPut, "/scale"},
		{"a scale that is too large", "metadata: {name: stored}\nspec: {replicas: 10}", http.MethodPut, "/scale"},
		{"a negative scale", "metadata: {name: stored}\nspec: {replicas: -1}", http.MethodPut, "/scale"},
		{"another resource version of the scale", "metadata: {name: stored, resourceVersion: '1'}\nspec: {replicas: 1}", http.MethodPut, "/scale"},
		{"another uid of the scale", "metadata: {name: stored, uid: another}\nspec: {replicas: 1}", http.MethodPut, "/scale"},
		{"another resource version of the status", "metadata: {name: stored, resourceVersion: '1'}\nstatus: {}", http.MethodPut, "/status"},
	}
	for i, c := range requests {
		t.Run(c.name, func(t *testing.T) {
			a, err := s.Do(ctx, http.MethodGet, path+"/stored", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			stored := objectOf(t, a.Body)
			version := stored["metadata"].(map[string]any)["resourceVersion"].(string)
			object := parse(strings.ReplaceAll(c.object, "CURRENT", "'"+version+"'"))
			var got Answer
			var predicted apiserver.Answer
			switch {
			case c.method == http.MethodPost:
				predicted, err = kind.Create(ctx, object)
				got = send(c.method, path, object)
				if got.OK() { // a finalizer would keep it
					name := objectOf(t, got.Body)["metadata"].(map[string]any)["name"].(string)
					if a, err := s.Do(ctx, http.MethodPatch, path+"/"+name, MergePatch, []byte(`{"metadata": {"finalizers": null}}`)); err != nil || !a.OK() {
						t.Error(a, err)
					}
				}
			case c.subresource == "":
				predicted, err = kind.Update(ctx, object, stored)
				got = send(c.method, path+"/stored", object)
			case c.subresource == "/scale":
				object["apiVersion"], object["kind"] = "autoscaling/v1", "Scale"
				predicted, err = kind.UpdateScale(ctx, object, stored)
				got = send(c.method, path+"/stored/scale", object)
			default:
				predicted, err = kind.UpdateStatus(ctx, object, stored)
				got = send(c.method, path+"/stored"+c.subresource, object)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.OK() != (len(predicted.Errors) == 0) {
				t.Fatalf("%d: predicted %v, got %s", i, predicted.Errors, got)
			}
			if !slices.Equal(tidied(predicted.Warnings), tidied(got.Warnings)) {
				t.Errorf("predicted the warnings %q, got %q", predicted.Warnings, got.Warnings)
			}
			if !got.OK() {
				var errs []string
				for _, e := range predicted.Errors {
					errs = append(errs, e.Field+": "+e.ErrorBody())
					if message := got.Status().Message; got.Code != http.StatusUnprocessableEntity && !saysDetail(message, e.Detail) {
						t.Errorf("predicted %v, got %s", e, message)
					}
				}
				if got.Code == http.StatusUnprocessableEntity && exactWords(s) && !slices.Equal(tidied(errs), tidied(withoutSuffix(got.Causes(), object))) {
					t.Errorf("predicted %q, got %q", errs, got.Causes())
				}
				return
			}
			if c.subresource == "/scale" { // the response is a Scale
				if a, err = s.Do(ctx, http.MethodGet, path+"/stored", "", nil); err != nil {
					t.Fatal(err)
				}
				got.Body = a.Body
			}
			want, have := content(predicted.Object), content(objectOf(t, got.Body))
			for _, object := range []map[string]any{want, have} {
				meta := object["metadata"].(map[string]any)
				if name := meta["name"].(string); meta["generateName"] != nil {
					meta["name"] = name[:len(name)-5] // the rest is random
				}
				meta["namespace"] = "default"
			}
			wanted, _ := json.Marshal(want)
			if has, _ := json.Marshal(have); !slices.Equal(wanted, has) {
				t.Errorf("predicted\n\t%s\nstored\n\t%s", wanted, has)
			}
		})
	}
	suite.report.Count("requests with the metadata and status that try predicts", len(requests))
}

// saysDetail reports whether a message contains a detail. In a conflict of UIDs, the server
// inserts how it stores objects.
func saysDetail(message, detail string) bool {
	start, end, _ := strings.Cut(detail, ": Precondition failed")
	return strings.Contains(message, start) && strings.HasSuffix(message, end)
}
