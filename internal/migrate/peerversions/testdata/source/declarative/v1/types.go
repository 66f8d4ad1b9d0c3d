// +kubebuilder:object:generate=true
// +groupName=declarative.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Declarative is a kind.
// +kubebuilder:object:root=true
type Declarative struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has markers of Kubernetes' own validation.
type Spec struct {
	Mode Mode `json:"mode,omitempty"`
	// +k8s:immutable
	Fixed string `json:"fixed,omitempty"`
	// +k8s:listType=map
	// +k8s:listMapKey=name
	Members []Member `json:"members,omitempty"`
	// +k8s:maxItems=4
	Few []string `json:"few,omitempty"`
	// +k8s:minimum=1
	// +k8s:maximum=9
	Number int32 `json:"number,omitempty"`
}

// Mode is an enum.
// +k8s:enum
type Mode string

// Modes.
const (
	Fast Mode = "fast"
	Slow Mode = "slow"
)

// Member has a key.
type Member struct {
	Name string `json:"name"`
}
