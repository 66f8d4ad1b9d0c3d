// +kubebuilder:object:generate=true
// +groupName=titles.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Titles is a kind.
// +kubebuilder:object:root=true
type Titles struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has titles and links.
type Spec struct {
	// +kubebuilder:title="A name"
	Name   string `json:"name,omitempty"`
	Titled Titled `json:"titled,omitempty"`
	// +kubebuilder:externalDocs:url="https://example.com/size",description="sizes"
	Size int32 `json:"size,omitempty"`
}

// Titled is a type.
// +kubebuilder:title="A type"
type Titled string
