package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Backup is a backup of volumes.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BackupSpec `json:"spec"`
}

// BackupSpec is the desired backup.
type BackupSpec struct {
	// Schedule is when backups are made.
	//
	// +schemagen:convert:to=.cronSchedule
	Schedule string `json:"schedule"`

	// Retries were never implemented.
	//
	// +schemagen:convert:drop,reason="they never had an effect"
	Retries int32 `json:"retries,omitempty"`
}

// BackupList is a list of backups.
//
// +kubebuilder:object:root=true
type BackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Backup `json:"items"`
}
