// Package api is a small API whose CRD tests run.
//
// +groupName=example.com
// +versionName=v1
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a widget.
//
// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WidgetSpec `json:"spec"`
}

// WidgetSpec is what a widget should be.
type WidgetSpec struct {
	// Color is the color, which never changes.
	//
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="color is immutable"
	Color string `json:"color"`
	// Size is how many of them there are.
	//
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	Size int32 `json:"size,omitempty"`
}
