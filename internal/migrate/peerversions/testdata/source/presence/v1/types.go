// +kubebuilder:object:generate=true
// +groupName=presence.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Presence is a kind.
// +kubebuilder:object:root=true
type Presence struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has fields with every marker of presence.
type Spec struct {
	// +required
	Required string `json:"required,omitempty"`
	// +optional
	Optional string `json:"optional"`
	// +k8s:required
	K8sRequired string `json:"k8sRequired,omitempty"`
	// +k8s:required
	K8sRequiredList []string `json:"k8sRequiredList,omitempty"`
	// +k8s:required
	K8sRequiredMap map[string]string `json:"k8sRequiredMap,omitempty"`
	// +k8s:required
	K8sRequiredStruct Inner `json:"k8sRequiredStruct,omitempty"`
	// +k8s:optional
	K8sOptional string `json:"k8sOptional"`
	Zero        Inner  `json:"zero,omitzero"`
	Plain       string `json:"plain"`
	// +optional
	// +kubebuilder:validation:Required
	Mixed string `json:"mixed"`
}

// Inner is a struct.
type Inner struct {
	// +optional
	Name string `json:"name"`
}
