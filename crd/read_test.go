package crd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
)

// TestNew wants the same definition from an object of the type, without its kind as clients return
// it, from an unstructured one, and from a file with other documents.
func TestNew(t *testing.T) {
	typed := &apiextensionsv1.CustomResourceDefinition{}
	loose := &unstructured.Unstructured{}
	for _, target := range []any{typed, &loose.Object} {
		if err := yaml.Unmarshal([]byte(widgetCRD), target); err != nil {
			t.Fatal(err)
		}
	}
	want := typed.DeepCopy()
	typed.TypeMeta.Kind = ""
	typed.TypeMeta.APIVersion = ""
	name := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(name, []byte("apiVersion: v1\nkind: Node\n---\n"+widgetCRD), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := crd.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []runtime.Object{typed, loose} {
		d, err := crd.New(object)
		if err != nil {
			t.Fatal(err)
		}
		if pos, _ := d.Position("spec"); pos.File != "" || pos.Line != 0 {
			t.Errorf("%T has the position %#v", object, pos)
		}
		all = append(all, d)
	}
	for i, d := range all {
		got, err := d.Object()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			text, _ := json.Marshal(got)
			t.Errorf("%d: got %s", i, text)
		}
		got.Spec.Group = "changed"
		if d.CRD.Spec.Group != "example.com" || d.Schema("v1") == nil || d.Schema("v2") != nil || !d.CheckSize {
			t.Errorf("%d: got %v, %v", i, d.CRD, d.Schema("v1"))
		}
		nodes := 0
		for range d.Nodes() {
			nodes++
			if nodes == 1 {
				continue
			}
			break
		}
		if nodes != 2 {
			t.Errorf("%d nodes", nodes)
		}
	}
}
