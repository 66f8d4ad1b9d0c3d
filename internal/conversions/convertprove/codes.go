package convertprove

import "github.com/schemagen/schemagen/diag"

var brokenLaw = &diag.Kind{
	Code: "SG933", Title: "a conversion that breaks a law",
	Explanation: "schemagen conversions --prove converts valid objects to the hub and back, after edits by clients of both versions. An object has to survive that as it is written, and a second trip must change nothing. The hint has the smallest object that was found to break this. If a function of yours converts the field, named with +schemagen:convert:func, look there first: what it makes of a value has to be what it says of it when it comes back, every time. Otherwise it may be a value that does not survive its own Go type. A kept value is used only if its schema allows it as Go writes it: a field that is optional in the schema but has neither omitempty nor a pointer is written even if it is empty, which an enum or a minimum may not allow. A type with MarshalJSON may write what it does not read. If the message says that the object cannot be written, more is lost than fits into an annotation. A value that need not survive is exempt with +schemagen:convert:drop. If it is none of these, the generated code is wrong: please report it, with both Go types and the object.",
	Bad: `
$ schemagen conversions --prove --yes --cases 200 --set conversions.style=functions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Size int32 ´json:"size,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:func=Size,fields=.size,to=.size
	Size int32 ´json:"size,omitempty"´
}

var sizes int32

func SizeTo(size int32) int32 {
	sizes++
	return sizes
}

func SizeFrom(size int32) int32 { return size }`,
	Good: `
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:func=Size,fields=.size,to=.size
	Size int32 ´json:"size,omitempty"´
}

var sizes int32

func SizeTo(size int32) int32 {
	sizes++
	return size
}

func SizeFrom(size int32) int32 { return size }`,
}

// Codes returns the kinds of diagnostics that the package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{brokenLaw} }
