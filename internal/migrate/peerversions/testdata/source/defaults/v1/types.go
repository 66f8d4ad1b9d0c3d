// +kubebuilder:object:generate=true
// +groupName=defaults.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaults is a kind.
// +kubebuilder:object:root=true
type Defaults struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has defaults.
type Spec struct {
	// +default="small"
	Size string `json:"size,omitempty"`
	// +default=3
	// +kubebuilder:default=4
	Both int32 `json:"both,omitempty"`
	// +default={"a": {"b": "c"}}
	Object map[string]Inner `json:"object,omitempty"`
	// Protocol is core's.
	Protocol corev1.Protocol      `json:"protocol,omitempty"`
	Ports    []corev1.ServicePort `json:"ports,omitempty"`
	// +default=ref(Constant)
	Constant string `json:"constant,omitempty"`
}

// Inner is a struct.
type Inner struct {
	B string `json:"b,omitempty"`
}
