package compare

import (
	"reflect"
	"strings"
	"testing"

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
