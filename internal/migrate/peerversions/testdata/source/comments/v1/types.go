// +kubebuilder:object:generate=true
// +groupName=comments.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Comments is a kind.
// +kubebuilder:object:root=true
type Comments struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has comments.
//
// It has a second paragraph,
// of two lines.
type Spec struct {
	// Size of the thing.
	// TODO: say in which unit
	Size int32 `json:"size,omitempty"`
	// Name of the thing.
	//   indented
	// ---
	// This is for developers.
	Name string `json:"name,omitempty"`
	// TODO(someone): nothing else
	Empty string `json:"empty,omitempty"`
	// Code is:
	// ```
	// TODO: in code
	// ---
	// ```
	Code string `json:"code,omitempty"`
}
