package compare

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/schemas/provenance"
)

// TestAccepted compares definitions of which the new one is known to be accepted, whose schemas
// the server is not asked about again, with the result of asking about all.
func TestAccepted(t *testing.T) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	const text = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, listKind: WidgetList, singular: widget}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}, selectableFields: []}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}, b: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: self != 'b'}]}}}}}
status: {storedVersions: [v1, v2]}
`
	read := func(text string) *crd.Definition {
		manifests, problems, position := crd.File{Name: "crd.yaml", Data: []byte(text)}.Read()
		if len(problems) > 0 || len(manifests) != 1 {
			t.Fatal(problems, manifests)
		}
		return crd.FromManifest(manifests[0], position)
	}
	rejected := 0
	for _, edit := range [][]string{
		{"type: string, maxLength: 3", "type: string, maxLength: 2"},
		{"type: string, maxLength: 3", "type: integer", "self != 'b'", "self != 1"},
		{"properties: {a: {type: string}}}}", "properties: {a: {type: string, default: x}}}}"},
		{"scope: Namespaced", "scope: Cluster"},
		{"kind: Widget,", "kind: Gadget,", "WidgetList", "GadgetList"},
		{"singular: widget", "singular: gadget", "maxLength: 3", "maxLength: 4"},
		{"selectableFields: []", "selectableFields: [{jsonPath: .a}]"},
		{"selectableFields: []", "additionalPrinterColumns: [{name: A, type: string, jsonPath: .a}]"},
		{"storage: true", "storage: false", "name: v2, served: true, storage: false", "name: v2, served: true, storage: true"},
		{"name: v1,", "name: v3,"},
		{"name: v2,", "name: v4,"}, // objects are stored in v2
		{"self != 'b'", "self.lowerAscii() != 'b'"},
	} {
		old := read(text)
		new := read(strings.NewReplacer(edit...).Replace(text))
		findings, err := target.ValidateCreate(t.Context(), new.CRD)
		if err != nil || len(findings) > 0 {
			t.Fatal(edit, findings, err)
		}
		compared := func(accepted string) []Change {
			new.Provenance().Accepted = &provenance.Acceptance{}
			new.Provenance().Accepted.Set(accepted)
			changes, err := Definitions(t.Context(), target, []*crd.Definition{old}, []*crd.Definition{new})
			if err != nil {
				t.Fatal(err)
			}
			return changes
		}
		want, got := compared(""), compared(target.Version())
		if !reflect.DeepEqual(got, want) || len(want) == 0 {
			t.Errorf("%q: got %v, want %v", edit, got, want)
		}
		for _, c := range want {
			if c.Kind == changekind.Rejected {
				rejected++
			}
		}
	}
	if rejected == 0 {
		t.Error("the server rejects none of the changes")
	}
}

// TestRandomRejections compares what the server rejects in random updates with the answer to complete
// definitions. The server is asked only about parts of most of them. Some have a mistake that the server
// rejects only in new definitions.
func TestRandomRejections(t *testing.T) {
	target := newest(t)
	counts := map[string]int{}
	for seed := range *randomPairs {
		c := random{rand.New(rand.NewPCG(uint64(seed), 2))}
		old := randomDefinition(c.schema(3))
		if c.one(4) {
			old.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["mistake"] = props{Type: "array", XListType: new("set"),
				Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &props{Type: "object"}}}
		}
		new := old.DeepCopy()
		changed := new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		for range 1 + c.IntN(2) {
			c.change(&changed, 2)
		}
		new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = changed
		if c.one(6) {
			new.Spec.Scope = apiextensionsv1.ClusterScoped
		}
		changes, err := Definitions(t.Context(), target, []*crd.Definition{subject(old)}, []*crd.Definition{subject(new)})
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) == 0 {
			continue
		}
		findings, err := target.ValidateUpdate(t.Context(), new, old)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, change := range changes {
			if change.Kind == changekind.Rejected {
				got = append(got, change.Reason)
			}
		}
		for _, f := range findings {
			if !f.Warning {
				want = append(want, "the server rejects the definition: "+shorten(f.String(), 400))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\ngot  %q\nwant %q", seed, got, want)
		}
		inPart, err := apiserver.AcceptsSchemas(t.Context(), target, new, subject(new).Schemas)
		if err != nil {
			t.Fatal(err)
		}
		counts[fmt.Sprintf("rejected %t, schemas accepted %t", len(want) > 0, inPart)]++
	}
	t.Log(counts)
	if len(counts) != 4 {
		t.Errorf("not all cases occur: %v", counts)
	}
}
