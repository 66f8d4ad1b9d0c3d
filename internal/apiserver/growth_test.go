package apiserver

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/schemagen/schemagen/structural"
)

// TestGrowth prepares every version of a CRD, and of one with four times as many: the memory allocated
// must grow with their number, not with its square. Versions are equal, or differ from each other.
func TestGrowth(t *testing.T) {
	definition := func(n int, differ bool) *crd {
		out := widget(t, `type: object
properties:
  spec:
    type: object
    properties: {a: {type: string}, b: {type: string}, c: {type: integer, default: 1}, d: {type: array, items: {type: string}}}
  status: {type: object, properties: {a: {type: string}, b: {type: string}}}
`)
		first := out.Spec.Versions[0]
		first.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		out.Spec.Versions = nil
		for i := range n {
			v := first.DeepCopy()
			v.Name, v.Storage = fmt.Sprintf("v%d", i+1), i == 0
			if differ {
				v.Schema.OpenAPIV3Schema.Description = v.Name
			}
			out.Spec.Versions = append(out.Spec.Versions, *v)
		}
		return out
	}
	for _, constructor := range []struct {
		name string
		new  func(ks *Kinds, c *crd, i int) (*Kind, error)
	}{
		{"NewKind", func(_ *Kinds, c *crd, i int) (*Kind, error) { return NewKind(c, c.Spec.Versions[i].Name) }},
		{"NewSkeletonKind", func(_ *Kinds, c *crd, i int) (*Kind, error) { return NewSkeletonKind(c, c.Spec.Versions[i].Name) }},
		{"Kinds.New", func(ks *Kinds, c *crd, i int) (*Kind, error) {
			model, _ := structural.FromProps(c.Spec.Versions[i].Schema.OpenAPIV3Schema)
			return ks.New(c, model, c.Spec.Versions[i].Name)
		}},
	} {
		for _, differ := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s differ=%t", constructor.name, differ), func(t *testing.T) {
				prepared := func(n int) float64 {
					c := definition(n, differ)
					ks := &Kinds{}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					for i := range n {
						k, err := constructor.new(ks, c, i)
						if err != nil || !k.HasStatus() {
							t.Fatal(k, err)
						}
					}
					runtime.ReadMemStats(&after)
					return float64(after.TotalAlloc - before.TotalAlloc)
				}
				prepared(20) // what is only done once
				if growth := prepared(80) / prepared(20); growth > 5 {
					t.Errorf("4 times as many versions take %.1f times the memory", growth)
				}
			})
		}
	}
}

// TestVersionsOfRandomCRDs compares each version of random CRDs with what the server's code gets for it from
// the whole CRD, whose equal versions it converts to a common schema: the structural schema and the
// subresources. A version that the CRD does not have is refused.
func TestVersionsOfRandomCRDs(t *testing.T) {
	counts := map[string]int{}
	for seed := range *crds {
		c := newRandom(seed).crd()
		in, err := internal(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.Spec.Versions {
			schemas, err := apiextensions.GetSchemaForVersion(in, v.Name)
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := structuralschema.NewStructural(schemas.OpenAPIV3Schema)
			if wantErr == nil {
				wantErr = defaulting.PruneDefaults(want)
			}
			subresources, err := apiextensions.GetSubresourcesForVersion(in, v.Name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := NewKind(c, v.Name)
			switch {
			case (err == nil) != (wantErr == nil):
				t.Errorf("seed %d, %s: got %v, want %v", seed, v.Name, err, wantErr)
			case err != nil:
				counts["refused"]++
			case !reflect.DeepEqual(got.structural, want):
				t.Errorf("seed %d, %s: the structural schemas differ", seed, v.Name)
			case got.hasStatus != (subresources != nil && subresources.Status != nil):
				t.Errorf("seed %d, %s: status %t, want the subresources %v", seed, v.Name, got.hasStatus, subresources)
			default:
				counts["equal"]++
				if len(c.Spec.Versions) > 1 && in.Spec.Validation != nil {
					counts["common schema"]++
				}
			}
		}
		for _, unknown := range []string{"", "v5"} {
			if _, err := NewKind(c, unknown); err == nil {
				t.Errorf("seed %d: version %q, which does not exist, is accepted", seed, unknown)
			}
		}
	}
	if counts["refused"] < *crds/100 || counts["equal"] < *crds/2 || counts["common schema"] < *crds/20 {
		t.Error(counts)
	}
	t.Log(counts)
}
