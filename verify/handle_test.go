package verify

import (
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// TestHandleAgain checks that a definition with the same bytes as an earlier one gets its answers,
// and is only prepared for other requests.
func TestHandleAgain(t *testing.T) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	v := New(target, Options{})
	text := manifestOf("{type: object, properties: {spec: {type: object, properties: {a: {type: string, default: x, maxLength: 2}}}}}")
	_, d := verifyText(t, text)
	built := 0
	again := func() *crd.Definition {
		out := &crd.Definition{Build: func() *apiextensionsv1.CustomResourceDefinition { built++; return d.CRD }}
		out.Provenance().Text = []byte(text)
		return out
	}
	answers := func(object map[string]any, of *crd.Definition) crd.Answer {
		t.Helper()
		handle, err := v.Handler()(of, "v1")
		if err != nil {
			t.Fatal(err)
		}
		answer, err := handle(t.Context(), crd.Request{Object: object})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for i, c := range []struct {
		a     string
		built int
	}{{"abc", 1}, {"abc", 1}, {"ab", 2}, {"abc", 2}} {
		object := map[string]any{"spec": map[string]any{"a": c.a}}
		want, got := answers(object, &crd.Definition{CRD: d.CRD}), answers(object, again())
		if !reflect.DeepEqual(got, want) || (len(want.Refusals) > 0) != (c.a == "abc") {
			t.Errorf("got %v, want %v", got, want)
		}
		if built != c.built {
			t.Errorf("request %d: built %d times, want %d", i, built, c.built)
		}
	}
}
