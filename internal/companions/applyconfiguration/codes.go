package applyconfiguration

import "github.com/schemagen/schemagen/diag"

// noGroupVersion is the kind of a package that lacks what its apply configurations refer to.
var noGroupVersion = &diag.Kind{
	Code: "SG221", Title: "apply configurations need a variable SchemeGroupVersion",
	Explanation: "The generated function ForKind refers to the variable SchemeGroupVersion of the package of the kinds. Kubebuilder's scaffold declares only GroupVersion. controller-gen writes files that do not compile without the variable.",
	Bad: `
$ schemagen applyconfiguration paths=./...
-- api/v1/types.go --
// +groupName=example.com
// +kubebuilder:ac:generate=true
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var GroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

// +kubebuilder:object:root=true
// +kubebuilder:resource
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	Good: `
-- api/v1/types.go --
// +groupName=example.com
// +kubebuilder:ac:generate=true
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	GroupVersion       = schema.GroupVersion{Group: "example.com", Version: "v1"}
	SchemeGroupVersion = GroupVersion
)

// +kubebuilder:object:root=true
// +kubebuilder:resource
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
}

// Codes returns the kinds of diagnostics that this package reports.
func Codes() []*diag.Kind { return []*diag.Kind{noGroupVersion} }
