package functions

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	shopv1 "github.com/schemagen/schemagen/examples/conversions/functions/v1"
	shopv1beta1 "github.com/schemagen/schemagen/examples/conversions/functions/v1beta1"
)

func TestConverter(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{shopv1.SchemeBuilder.AddToScheme, shopv1beta1.SchemeBuilder.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	converter, err := converter(scheme)
	if err != nil {
		t.Fatal(err)
	}
	from, to := &shopv1beta1.Order{Spec: shopv1beta1.OrderSpec{Cohort: "spring"}}, &shopv1.Order{}
	from.SetGroupVersionKind(shopv1beta1.SchemeBuilder.GroupVersion.WithKind("Order"))
	to.SetGroupVersionKind(shopv1.SchemeBuilder.GroupVersion.WithKind("Order"))
	if err := converter.ConvertObject(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if to.Spec.CohortName != "spring" {
		t.Errorf("got %+v", to.Spec)
	}
}
