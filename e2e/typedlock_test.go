package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// The forms of a required discriminator in Go, as in testdata/crd/union-required-discriminator.txtar.
type (
	lockKind  string
	plainPart struct {
		Kind lockKind `json:"kind"`
		A    *string  `json:"a,omitempty"`
	}
	omittedPart struct {
		Kind lockKind `json:"kind,omitempty"`
		A    *string  `json:"a,omitempty"`
	}
	zeroPart struct {
		Kind lockKind `json:"kind,omitzero"`
		A    *string  `json:"a,omitempty"`
	}
	pointerPart struct {
		Kind *lockKind `json:"kind"`
		A    *string   `json:"a,omitempty"`
	}
	lockSpec struct {
		Plain   *plainPart   `json:"plain,omitempty"`
		Marked  *plainPart   `json:"marked,omitempty"`
		Omitted *omittedPart `json:"omitted,omitempty"`
		Zero    *zeroPart    `json:"zero,omitempty"`
		Pointer *pointerPart `json:"pointer,omitempty"`
	}
	lockWidget struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`

		Spec lockSpec `json:"spec"`
	}
)

// TestTypedClientLock stores objects before their required discriminator exists, and updates them
// with a typed client: reading into a Go type, changing a label or removing a finalizer, and
// writing it. The server and schemagen try must agree.
func TestTypedClientLock(t *testing.T) {
	part(t, "typed clients of objects older than the discriminator")
	s := cluster(t)
	crd := inGroup(t, caseCRD(t, "union-required-discriminator"), "lock.test")
	installed(t, s, beforeDiscriminators(t, crd))
	path := func(name string) string {
		if name != "" {
			name = "/" + name
		}
		return "/apis/lock.test/v1/namespaces/default/widgets" + name
	}
	forms := map[string]bool{"plain": true, "marked": true, "omitted": false, "zero": false, "pointer": false}
	for form := range forms {
		body := `{"apiVersion": "lock.test/v1", "kind": "Widget", "metadata": {"name": "` + form + `", "namespace": "default", "finalizers": ["lock.test/keep"]}, "spec": {"` + form + `": {"a": "x"}}}`
		if a, err := s.Do(t.Context(), http.MethodPost, path(""), JSON, []byte(body)); err != nil || !a.OK() {
			t.Fatalf("%s: %v %s", form, err, a)
		}
	}
	t.Cleanup(func() { // the definition is deleted after its objects
		ctx, cancel := afterwards()
		defer cancel()
		for form := range forms {
			if a, err := s.Do(ctx, http.MethodPatch, path(form), MergePatch, []byte(`{"metadata": {"finalizers": null}}`)); err != nil || !a.OK() {
				t.Errorf("%s: %v %s", form, err, a)
			}
		}
	})
	if err := s.ReplaceCRD(within(t), crd); err != nil {
		t.Fatal(err)
	}
	wrong := []byte(`{"apiVersion": "lock.test/v1", "kind": "Widget", "metadata": {"name": "wrong"}, "spec": {"plain": {"kind": "C"}}}`)
	for poll := (poller{}); ; {
		a, err := s.Do(t.Context(), http.MethodPost, path("")+"?dryRun=All", JSON, wrong)
		if err == nil && a.Code == http.StatusUnprocessableEntity {
			break
		}
		if late := poll.next(within(t)); late != nil {
			t.Fatalf("the rules do not take effect: %v %s", err, a)
		}
	}
	kind := kindOf(t, crd)
	rows := 0
	for form, locks := range forms {
		for _, change := range []struct {
			name string
			edit func(w *lockWidget)
		}{
			{"nothing", func(*lockWidget) {}},
			{"a label", func(w *lockWidget) { w.Labels = map[string]string{"a": "b"} }},
			{"a finalizer", func(w *lockWidget) { w.Finalizers = nil }},
		} {
			t.Run(form+"/"+change.name, func(t *testing.T) {
				before, err := s.Do(t.Context(), http.MethodGet, path(form), "", nil)
				if err != nil || !before.OK() {
					t.Fatalf("%v %s", err, before)
				}
				var widget lockWidget
				if err := json.Unmarshal(before.Body, &widget); err != nil {
					t.Fatal(err)
				}
				change.edit(&widget)
				sent, err := json.Marshal(widget)
				if err != nil {
					t.Fatal(err)
				}
				predicted, err := kind.Update(t.Context(), objectOf(t, sent), objectOf(t, before.Body))
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Do(t.Context(), http.MethodPut, path(form), JSON, sent)
				if err != nil || got.OK() == locks || got.OK() != (len(predicted.Errors) == 0) {
					t.Fatalf("sent %s\npredicted %v\ngot %v %d %s", sent, predicted.Errors, err, got.Code, got.Body)
				}
				if want := "spec." + form + `.kind: Unsupported value: ""`; locks && !strings.Contains(string(got.Body), strings.ReplaceAll(want, `"`, `\"`)) {
					t.Errorf("got %s, want %s", got.Body, want)
				}
				rows++
			})
		}
	}
	suite.report.Count("updates by typed clients of objects that are older than their required discriminator, in five Go forms, as try predicts", rows)
}

// beforeDiscriminators removes rules, enums and required fields from a definition.
func beforeDiscriminators(t *testing.T, crd CRD) CRD {
	t.Helper()
	out := withoutRules(t, crd)
	var object any
	if err := yaml.Unmarshal(out.Data, &object); err != nil {
		t.Fatal(err)
	}
	var drop func(value any)
	drop = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			delete(v, "required")
			delete(v, "enum")
			for _, inner := range v {
				drop(inner)
			}
		case []any:
			for _, inner := range v {
				drop(inner)
			}
		}
	}
	drop(object)
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	out.Data = data
	return out
}
