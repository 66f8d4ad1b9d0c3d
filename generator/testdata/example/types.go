// +groupName=example.com
// +versionName=v1
package example

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a kind.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WidgetSpec `json:"spec"`
}

// WidgetSpec is what a Widget should be.
type WidgetSpec struct {
	// +kubebuilder:validation:Minimum=1
	Size int32 `json:"size"`
}
