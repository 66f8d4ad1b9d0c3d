// Package widget has the API that the programs of this module work with.
//
// +groupName=example.com
// +versionName=v1
package widget

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a kind.
//
// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WidgetSpec `json:"spec"`
}

// WidgetSpec is what users want.
type WidgetSpec struct {
	// Color is the name of a color.
	Color string `json:"color"`
	// Size is the number of parts.
	//
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=3
	Size int32 `json:"size,omitempty"`
}
