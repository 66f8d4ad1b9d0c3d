package verify

import (
	"reflect"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/test/crdfields"
)

// TestConcurrent verifies the same definitions several times at once, with two versions of
// Kubernetes: no call changes them, and all find the same. The race detector finds writes.
func TestConcurrent(t *testing.T) {
	read, _ := Read(crd.File{Name: "crd.json", Data: []byte(crdfields.Base)})
	broken, _ := Read(crd.File{Name: "broken.yaml", Data: []byte(manifestOf("type: object\nproperties: {a: {type: string, pattern: \"(\"}, b: {}}"))})
	built := *read[0]
	object := built.CRD
	built.CRD = nil
	built.Build = func() *apiextensionsv1.CustomResourceDefinition { return object }
	definitions := []*crd.Definition{read[0], broken[0], &built}
	before := make([]crd.Definition, len(definitions))
	for i, d := range definitions {
		before[i] = *d
	}
	var want [2]diag.List
	var verifiers [2]*Verifier
	for i, version := range apiserver.Versions()[:2] {
		target, err := apiserver.NewTarget(version)
		if err != nil {
			t.Fatal(err)
		}
		verifiers[i] = New(target, Options{})
		if want[i], err = verifiers[i].Check(t.Context(), definitions); err != nil {
			t.Fatal(err)
		}
		if len(want[i]) < 2 {
			t.Fatalf("got only %v", want[i])
		}
	}
	var calls sync.WaitGroup
	for n := range 8 {
		calls.Go(func() {
			got, err := verifiers[n%2].Check(t.Context(), definitions)
			if err != nil || !reflect.DeepEqual(got, want[n%2]) {
				t.Errorf("got %v, %v\nwant %v", got, err, want[n%2])
			}
			for _, d := range definitions {
				if _, err := verifiers[n%2].One(t.Context(), d); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	for i, d := range definitions {
		if d.CRD != before[i].CRD || d.Provenance().Accepted != before[i].Provenance().Accepted {
			t.Errorf("definition %d was changed", i)
		}
	}
}
