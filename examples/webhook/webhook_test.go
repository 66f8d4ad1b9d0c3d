package webhook

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	canvasv1 "github.com/schemagen/schemagen/examples/webhook/api/v1"
)

const (
	solid = `"solid":{"color":"#ffffff"}`
	image = `"image":{"url":"a.png"}`
)

// canvas is an object whose background, and whose layer of each further name, is
// filled as given.
func canvas(background string, layers ...string) string {
	var list []string
	for i := 0; i < len(layers); i += 2 {
		list = append(list, fmt.Sprintf(`{"name":%q,"fill":{%s}}`, layers[i], layers[i+1]))
	}
	return fmt.Sprintf(`{"apiVersion":"canvas.example.com/v1","kind":"Canvas","metadata":{"name":"a"},"spec":{"background":{%s},"layers":[%s]}}`,
		background, strings.Join(list, ","))
}

const none = `"type":"None"`

func TestWebhooks(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := canvasv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	mutating := admission.WithDefaulter[*canvasv1.Canvas](scheme, Canvas{})
	validating := admission.WithValidator[*canvasv1.Canvas](scheme, Canvas{})

	for _, test := range []struct {
		name, old, new string
		// removed are the paths that the first webhook removes, and causes the fields
		// that the second one refuses what is left for, with their reasons.
		removed, causes []string
	}{
		{name: "created as it should be", new: canvas(`"type":"Solid",` + solid)},
		{name: "created with too much", new: canvas(`"type":"Solid",` + solid + `,` + image), causes: []string{"spec.background.image FieldValueForbidden"}},
		{name: "created with too little", new: canvas(`"type":"Image"`), causes: []string{"spec.background.image FieldValueRequired"}},
		{name: "a client that leaves the old member", old: canvas(`"type":"Solid",` + solid), new: canvas(`"type":"Image",` + solid + `,` + image),
			removed: []string{"/spec/background/solid"}},
		{name: "a client that clears all", old: canvas(`"type":"Solid",` + solid), new: canvas(none + `,` + solid), removed: []string{"/spec/background/solid"}},
		{name: "a client that forgets the discriminator", old: canvas(`"type":"Solid",` + solid), new: canvas(`"type":"Solid",` + solid + `,` + image),
			causes: []string{"spec.background.image FieldValueForbidden", "spec.background.type FieldValueInvalid"}},
		{name: "an unknown value clears nothing", old: canvas(`"type":"Solid",` + solid), new: canvas(`"type":"Fancy",` + solid),
			causes: []string{"spec.background.type FieldValueNotSupported"}},
		{name: "layers are compared by name", old: canvas(none, "a", `"type":"Solid",`+solid, "b", none), new: canvas(none, "b", none, "a", `"type":"Image",`+solid+`,`+image),
			removed: []string{"/spec/layers/1/fill/solid"}},
		{name: "what was wrong before is let be", old: canvas(`"type":"Solid",` + image), new: canvas(`"type":"Solid",`+image, "a", none)},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				UID: "1", Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: []byte(test.new)},
			}}
			if test.old != "" {
				request.Operation, request.OldObject = admissionv1.Update, runtime.RawExtension{Raw: []byte(test.old)}
			}
			mutated := mutating.Handle(t.Context(), request)
			if !mutated.Allowed {
				t.Fatal(mutated.Result)
			}
			var removed []string
			for _, patch := range mutated.Patches {
				removed = append(removed, patch.Path)
				if patch.Operation != "remove" {
					t.Errorf("%s %s", patch.Operation, patch.Path)
				}
			}
			if !slices.Equal(removed, test.removed) {
				t.Errorf("removed %v, want %v", removed, test.removed)
			}
			if len(removed) > 0 {
				return // the server applies the patch before it asks the second webhook
			}
			answer := validating.Handle(t.Context(), request)
			var causes []string
			if answer.Result != nil && answer.Result.Details != nil {
				for _, cause := range answer.Result.Details.Causes {
					causes = append(causes, fmt.Sprintf("%s %s", cause.Field, cause.Type))
				}
			}
			if !slices.Equal(causes, test.causes) || answer.Allowed != (len(causes) == 0) {
				t.Errorf("refused for %v, want %v: %v", causes, test.causes, answer.Result)
			}
		})
	}
}
