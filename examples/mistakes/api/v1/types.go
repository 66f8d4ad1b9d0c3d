// Package v1 shows what schemagen says of mistakes: all of them, at once.
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Gadget is full of mistakes.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:MaxLength=three
	Name string `json:"name"`

	// +kubebuilder:validation:MaxLength=3
	Count int `json:"count"`

	Ratio float64 `json:"ratio"`

	Extra any `json:"extra"`

	ByPort map[int32]string `json:"byPort"`

	// Children are gadgets, too.
	Children []Gadget `json:"children,omitempty"`

	Forgotten string
}
