package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// versionPair is a kind with two versions, which the server converts itself.
type versionPair struct {
	crd     CRD
	plural  string
	kind    string
	storage string
	// kinds are the prepared versions, by name.
	kinds map[string]*apiserver.Kind
}

// TestTryVersions compares predictions for objects that are stored in another version with a real
// server: for random pairs of versions, what is read back after requests in both versions.
func TestTryVersions(t *testing.T) {
	part(t, "predictions of try for two versions")
	s := cluster(t)
	ctx := within(t)
	const pairs = 24
	var all []*versionPair
	var crds []CRD
	for i := range pairs {
		p := newVersionPair(t, i)
		all = append(all, p)
		crds = append(crds, p.crd)
	}
	t.Cleanup(func() {
		ctx, cancel := afterwards()
		defer cancel()
		each(t, crds, func(c CRD) error { return s.DeleteCRD(ctx, c.Name) })
		each(t, crds, func(c CRD) error { return s.WaitGone(ctx, c.Name) })
	})
	if len(each(t, crds, func(c CRD) error { _, err := s.CreateCRD(ctx, c); return err })) < len(crds) {
		t.FailNow()
	}
	counts := map[string]int{}
	for i, p := range all {
		t.Run(p.kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(34, uint64(i)))
			for n := range 8 {
				p.requests(t, s, r, n, counts)
			}
		})
	}
	t.Logf("%v", counts)
	for what, least := range map[string]int{"accepted": 250, "rejected": 20, "updates": 150, "dropped": 60, "defaulted": 20, "undefaulted": 20, "removed": 10, "nulls": 5} {
		if counts[what] < least {
			t.Errorf("got only %d %s", counts[what], what)
		}
	}
	suite.report.Count("requests in a version that is not the storage version, without a webhook, read back as try predicts", counts["converted"])
}

// fieldsOf returns random properties of an object.
func fieldsOf(r *rand.Rand, depth int) map[string]any {
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if r.IntN(3) == 0 {
			continue
		}
		var field map[string]any
		switch kind := r.IntN(8); {
		case kind < 3:
			field = map[string]any{"type": "string"}
			if r.IntN(2) == 0 {
				field["default"] = []string{"one", "two"}[r.IntN(2)]
			} else if r.IntN(3) == 0 {
				field["nullable"] = true
			}
			if r.IntN(4) == 0 {
				field["maxLength"] = 4
			}
		case kind < 4:
			field = map[string]any{"type": "integer"}
		case depth >= 2:
			field = map[string]any{"type": "string"}
		case kind < 5:
			field = map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
		case kind < 6:
			field = map[string]any{"type": "array", "items": objectOfFields(r, depth+1)}
		default:
			field = objectOfFields(r, depth+1)
		}
		properties[name] = field
	}
	return properties
}

// objectOfFields returns a random schema of an object.
func objectOfFields(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{"type": "object", "properties": fieldsOf(r, depth)}
	if r.IntN(5) == 0 {
		out["x-kubernetes-preserve-unknown-fields"] = true
	}
	if depth > 0 && r.IntN(4) == 0 {
		out["default"] = map[string]any{}
	}
	return out
}

// newVersionPair creates a definition with random versions v1 and v2, one of which is stored.
func newVersionPair(t *testing.T, i int) *versionPair {
	t.Helper()
	r := rand.New(rand.NewPCG(33, uint64(i)))
	p := &versionPair{plural: fmt.Sprintf("pairs%d", i), kind: fmt.Sprintf("Pair%d", i), storage: []string{"v1", "v2"}[r.IntN(2)], kinds: map[string]*apiserver.Kind{}}
	var versions []any
	for _, name := range []string{"v1", "v2"} {
		version := map[string]any{"name": name, "served": true, "storage": name == p.storage, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": objectOfFields(r, 0), "status": objectOfFields(r, 1)}},
		}}
		if r.IntN(2) == 0 {
			version["subresources"] = map[string]any{"status": map[string]any{}}
		}
		versions = append(versions, version)
	}
	group := fmt.Sprintf("pair%d.test", i)
	data, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": p.plural + "." + group},
		"spec": map[string]any{"group": group, "scope": "Namespaced", "names": map[string]any{"plural": p.plural, "kind": p.kind}, "versions": versions},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.crd = CRD{From: p.kind, Name: p.plural + "." + group, Group: group, Data: data}
	var object apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"v1", "v2"} {
		if p.kinds[name], err = apiserver.NewKind(&object, name); err != nil {
			t.Fatal(err)
		}
	}
	for name, k := range p.kinds {
		if name != p.storage {
			p.kinds[name] = k.StoredAs(p.kinds[p.storage])
		}
	}
	return p
}

// someValue returns a random value, which may have fields of either version.
func someValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n < 4 || depth > 3:
		return []string{"x", "long text", "one"}[r.IntN(3)]
	case n < 5:
		return int64(r.IntN(3))
	case n < 6:
		return nil
	case n < 7:
		return []any{someFields(r, depth+1), someFields(r, depth+1)}
	}
	return someFields(r, depth+1)
}

func someFields(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if r.IntN(3) == 0 {
			out[name] = someValue(r, depth)
		}
	}
	return out
}

// fitting returns a random value that a schema accepts, and that has some fields of its own.
func fitting(r *rand.Rand, schema *apiextensionsv1.JSONSchemaProps) any {
	switch schema.Type {
	case "string":
		return []string{"x", "one", "z"}[r.IntN(3)]
	case "integer":
		return int64(r.IntN(5))
	case "array":
		return []any{fitting(r, schema.Items.Schema), fitting(r, schema.Items.Schema)}
	}
	out := map[string]any{}
	if schema.AdditionalProperties != nil {
		return map[string]any{"a": "x", "k": "y"}
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		field, ok := schema.Properties[name]
		switch {
		case r.IntN(4) == 0:
		case ok && field.Nullable && r.IntN(2) == 0:
			out[name] = nil
		case ok:
			out[name] = fitting(r, &field)
		case r.IntN(2) == 0:
			out[name] = someValue(r, 2)
		}
	}
	return out
}

// requests creates an object in a version, and updates it in both, each time comparing what is
// read back.
func (p *versionPair) requests(t *testing.T, s *Server, r *rand.Rand, n int, counts map[string]int) {
	t.Helper()
	var object apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(p.crd.Data, &object); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("object-%d", n)
	path := func(version, rest string) string {
		return "/apis/" + p.crd.Group + "/" + version + "/namespaces/default/" + p.plural + rest
	}
	body := func(version string) map[string]any {
		out := map[string]any{"apiVersion": p.crd.Group + "/" + version, "kind": p.kind, "metadata": map[string]any{"name": name, "namespace": "default"}}
		for _, v := range object.Spec.Versions {
			if v.Name == version {
				spec := v.Schema.OpenAPIV3Schema.Properties["spec"]
				out["spec"] = fitting(r, &spec)
				if r.IntN(8) == 0 {
					out["spec"] = someFields(r, 0)
				}
			}
		}
		if r.IntN(2) == 0 {
			out["status"] = someFields(r, 2)
		}
		text, _ := json.Marshal(out)
		return objectOf(t, text)
	}
	versions := []string{"v1", "v2"}
	read := func(version string) map[string]any {
		a, err := s.Do(t.Context(), http.MethodGet, path(version, "/"+name), "", nil)
		if err != nil || !a.OK() {
			t.Fatalf("%v %s", err, a)
		}
		return objectOf(t, a.Body)
	}
	created := false
	for step := range 6 {
		version := versions[r.IntN(2)]
		given := body(version)
		var predicted apiserver.Answer
		var err error
		var got Answer
		text, _ := json.Marshal(given)
		before := ""
		if !created {
			predicted, err = p.kinds[version].Create(t.Context(), given)
			got, _ = s.Do(t.Context(), http.MethodPost, path(version, "")+"?fieldValidation=Ignore", JSON, text)
		} else {
			// Files have what was read in any version.
			stored := read(versions[r.IntN(2)])
			stored2 := read(p.storage)
			if step%2 == 0 {
				stored = stored2
			}
			given["metadata"].(map[string]any)["resourceVersion"] = stored["metadata"].(map[string]any)["resourceVersion"]
			text, _ = json.Marshal(given)
			old, _ := json.Marshal(content(stored))
			before = string(old)
			predicted, err = p.kinds[version].Update(t.Context(), given, stored)
			got, _ = s.Do(t.Context(), http.MethodPut, path(version, "/"+name)+"?fieldValidation=Ignore", JSON, text)
			counts["updates"]++
		}
		if err != nil {
			t.Fatal(err)
		}
		var errs []string
		for _, e := range predicted.Errors {
			errs = append(errs, e.Field+": "+e.ErrorBody())
		}
		wrong := func(want, have any) {
			t.Errorf("storage %s, request in %s: %s\nof %s\npredicted\n\t%v\ngot %d\n\t%v\nversions %s", p.storage, version, text, before, want, got.Code, have, p.crd.Data)
		}
		causes := tidied(got.Causes())
		if errs = tidied(errs); !slices.Equal(errs, causes) || got.OK() != (len(errs) == 0) {
			wrong(strings.Join(errs, "\n\t"), string(got.Body))
			continue
		}
		if !got.OK() {
			counts["rejected"]++
			continue
		}
		created = true
		counts["accepted"]++
		want := content(predicted.Object)
		if have := content(objectOf(t, got.Body)); !reflect.DeepEqual(want, have) {
			wrong(want, have)
		}
		if have := content(read(version)); !reflect.DeepEqual(want, have) {
			wrong(want, have)
		}
		if predicted.Storage != nil {
			counts["converted"]++
			counts["dropped"] += len(predicted.Storage.Dropped)
			counts["nulls"] += len(predicted.Storage.Nulls)
			counts["defaulted"] += len(predicted.Storage.Defaulted)
			counts["undefaulted"] += len(predicted.Storage.Undefaulted)
			counts["removed"] += len(predicted.Storage.Removed)
		}
	}
}
