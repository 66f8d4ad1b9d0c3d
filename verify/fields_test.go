package verify

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/json"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/crdfields"
)

// panics is the only error of a definition for which the API server's code panics.
const panics = "panics"

// created returns the errors of the API server's registry for a definition as JSON that is
// created: paths and messages, sorted. ok is false if it cannot be decoded.
func created(t *testing.T, data []byte) (errs []string, ok bool) {
	t.Helper()
	defer func() {
		if recover() != nil {
			errs, ok = []string{panics}, true
		}
	}()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if strict, err := json.UnmarshalStrict(data, definition); err != nil || len(strict) > 0 {
		return nil, false
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	scheme.Default(definition)
	object := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(definition, object, nil); err != nil {
		t.Fatal(err)
	}
	rest.FillObjectMetaSystemFields(object)
	object.ManagedFields = nil // the server writes them anew before it validates
	ctx := genericrequest.WithNamespace(t.Context(), "")
	err := rest.BeforeCreate(customresourcedefinition.NewStrategy(scheme), ctx, object)
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		for _, c := range status.Status().Details.Causes {
			errs = append(errs, shorten(c.Field+": "+c.Message))
		}
	} else if err != nil {
		t.Fatal(err)
	}
	slices.Sort(errs)
	return slices.Compact(errs), true
}

// TestFieldsMatchServer verifies definitions in which each field of the API type is absent, null
// or empty: the errors are those of the API server's registry, and all have a position.
func TestFieldsMatchServer(t *testing.T) {
	cases, err := crdfields.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if errs, ok := created(t, []byte(crdfields.Base)); !ok || len(errs) > 0 {
		t.Fatalf("the base is rejected: %v", errs)
	}
	refused, undecoded := 0, 0
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			want, ok := created(t, c.JSON)
			found, _ := verifyText(t, string(c.JSON))
			var got []string
			for _, d := range found {
				if d.Severity == diag.Error && d.Pos.Line == 0 {
					t.Errorf("%s has no position", d.Message)
				}
				switch {
				case d.Code == unknownAnswer.Code && d.Severity == diag.Error:
					got = append(got, panics)
				case d.Code == rejectedByServer.Code && !strings.Contains(d.Hint, laterHint):
					got = append(got, d.Message)
				}
			}
			if slices.Contains(got, panics) {
				got = []string{panics}
			}
			if !ok {
				undecoded++
				if !found.HasErrors() {
					t.Errorf("got no error, but the definition cannot be decoded")
				}
				return
			}
			if len(want) > 0 {
				refused++
			}
			slices.Sort(got)
			if !slices.Equal(slices.Compact(got), want) {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
		})
	}
	t.Logf("%d definitions: %d are refused, %d cannot be decoded", len(cases), refused, undecoded)
	if len(cases) < 500 || refused < 150 || undecoded < 4 {
		t.Errorf("only %d definitions, of which %d are refused and %d cannot be decoded", len(cases), refused, undecoded)
	}
}
