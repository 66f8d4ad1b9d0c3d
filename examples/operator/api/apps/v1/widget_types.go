package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// WidgetSpec defines the desired state of Widget.
type WidgetSpec struct {
	// replicas is the number of parts.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=1
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`

	// maxSurge is a number or a percentage.
	// +optional
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`

	// template describes the parts.
	// +optional
	Template corev1.PodTemplateSpec `json:"template,omitzero"`

	// selector selects the parts.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="selector is immutable"
	Selector metav1.LabelSelector `json:"selector"`
}

// WidgetStatus defines the observed state of Widget.
type WidgetStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// +optional
	Replicas int32 `json:"replicas,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.status.replicas`
// +kubebuilder:resource:shortName=wd,categories=all

// Widget is the Schema for the widgets API.
type Widget struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is a standard object metadata
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec defines the desired state of Widget
	// +required
	Spec WidgetSpec `json:"spec"`

	// status defines the observed state of Widget
	// +optional
	Status WidgetStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// WidgetList contains a list of Widget.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Widget `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Widget{}, &WidgetList{})
}
