package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CronJob runs a pod on a schedule.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=cj,categories=all
// +kubebuilder:printcolumn:name="Schedule",type=string,JSONPath=`.spec.schedule`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type CronJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CronJobSpec   `json:"spec,omitempty"`
	Status CronJobStatus `json:"status,omitempty"`
}

// CronJobSpec says what runs, and when.
//
// +kubebuilder:validation:XValidation:rule="!has(self.history) || self.history <= 100",message="keep at most 100"
type CronJobSpec struct {
	// Schedule is a cron expression.
	//
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=100
	Schedule string `json:"schedule"`

	// Suspend stops new runs.
	//
	// +kubebuilder:default=false
	// +optional
	Suspend *bool `json:"suspend,omitempty"`

	// Concurrency says what to do if the last run has not ended.
	//
	// +kubebuilder:default=Forbid
	Concurrency ConcurrencyPolicy `json:"concurrency,omitempty"`

	// History is how many ended runs are kept.
	//
	// +kubebuilder:validation:Minimum=0
	// +optional
	History *int32 `json:"history,omitempty"`

	// Template is the pod to run.
	Template corev1.PodTemplateSpec `json:"template"`
}

// ConcurrencyPolicy says what to do if the last run has not ended.
//
// +kubebuilder:validation:Enum=Allow;Forbid;Replace
type ConcurrencyPolicy string

// CronJobStatus is what was seen.
type CronJobStatus struct {
	// LastScheduleTime is when the last run started.
	//
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`

	// Conditions are the latest observations.
	//
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// CronJobList is a list of CronJobs.
//
// +kubebuilder:object:root=true
type CronJobList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []CronJob `json:"items"`
}
