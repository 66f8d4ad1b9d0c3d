// +kubebuilder:object:generate=true
// +groupName=items.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Items is a kind.
// +kubebuilder:object:root=true
type Items struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has lists.
type Spec struct {
	// Names are short.
	// +kubebuilder:validation:items:MaxLength=8
	// +kubebuilder:validation:items:Pattern=`^[a-z]+$`
	Names []string `json:"names,omitempty"`
}
