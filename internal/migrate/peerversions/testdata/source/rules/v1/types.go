// +kubebuilder:object:generate=true
// +groupName=rules.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Rules is a kind.
// +kubebuilder:object:root=true
type Rules struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has rules on types and fields.
// +kubebuilder:validation:XValidation:rule="has(self.name)",message="on the type"
type Spec struct {
	// +kubebuilder:validation:XValidation:rule="self != 'b'",message="on the field"
	Name Name `json:"name,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self != 'a'",message="on the type"
	Same    Name   `json:"same,omitempty"`
	Labels  Labels `json:"labels,omitempty"`
	Pointer *Name  `json:"pointer,omitempty"`
	Number  Number `json:"number,omitempty"`
}

// Name is a string.
// +kubebuilder:validation:XValidation:rule="self != 'a'",message="on the type"
// +kubebuilder:validation:MinLength=2
type Name string

// Labels are few.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=2
type Labels map[string]string

// Number is a pointer.
// +kubebuilder:validation:XValidation:rule="self > 1",message="more than one"
type Number *int32
