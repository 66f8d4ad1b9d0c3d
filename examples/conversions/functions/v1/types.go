// Package v1 is the hub of orders.
//
// +kubebuilder:object:generate=true
// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// SchemeBuilder registers the types of the package.
var SchemeBuilder = (&scheme.Builder{GroupVersion: schema.GroupVersion{Group: "shop.example.com", Version: "v1"}}).Register(&Order{})

// Order is something to deliver.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec,omitempty"`
}

// OrderSpec is what to deliver.
type OrderSpec struct {
	CohortName string `json:"cohortName,omitempty"`
}
