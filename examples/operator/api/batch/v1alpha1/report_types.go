package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	appsv1 "github.com/schemagen/schemagen/examples/operator/api/apps/v1"
)

// ReportSpec defines the desired state of Report.
type ReportSpec struct {
	// widgets are the names of what is reported on.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:MaxLength=63
	// +listType=set
	Widgets []string `json:"widgets"`

	// overrides replace parts of the widgets, by name.
	// +optional
	Overrides map[string]appsv1.WidgetSpec `json:"overrides,omitempty"`

	// every is how often.
	// +kubebuilder:validation:Enum=Hourly;Daily
	// +kubebuilder:default=Daily
	Every string `json:"every,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster

// Report is the Schema for the reports API.
type Report struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ReportSpec `json:"spec,omitempty"`
}

// +kubebuilder:object:root=true

// ReportList contains a list of Report.
type ReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Report `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Report{}, &ReportList{})
}
