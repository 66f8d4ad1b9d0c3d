// +kubebuilder:object:generate=true
// +groupName=kinds.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kinds is a kind.
// +kubebuilder:object:root=true
// +kubebuilder:selectablefield:JSONPath=`.spec.name`
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Name",type=string,JSONPath=`.spec.name`
// +kubebuilder:resource:shortName=ki,categories=all
type Kinds struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec of a kind with markers of the definition.
type Spec struct {
	Name string `json:"name,omitempty"`
}
