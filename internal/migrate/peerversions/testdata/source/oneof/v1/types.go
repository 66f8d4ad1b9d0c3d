// +kubebuilder:object:generate=true
// +groupName=oneof.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Oneof is a kind.
// +kubebuilder:object:root=true
type Oneof struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has members.
type Spec struct {
	Exactly Exactly `json:"exactly,omitempty"`
	Most    Most    `json:"most,omitempty"`
	Least   Least   `json:"least,omitempty"`
}

// Exactly has one of two.
// +kubebuilder:validation:ExactlyOneOf=a;b
// +kubebuilder:validation:XValidation:rule="!has(self.a) || self.a != ”",message="not empty"
type Exactly struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
}

// Most has at most one of two.
// +kubebuilder:validation:AtMostOneOf=a;b
type Most struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
}

// Least has at least one of two.
// +kubebuilder:validation:AtLeastOneOf=a;b
type Least struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
}
