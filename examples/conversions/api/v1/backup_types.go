package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Backup is a backup of volumes.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BackupSpec   `json:"spec"`
	Status BackupStatus `json:"status,omitempty"`
}

// BackupSpec is the desired backup.
type BackupSpec struct {
	// CronSchedule is when backups are made.
	CronSchedule string `json:"cronSchedule"`

	// Deletion is how a backup is removed.
	Deletion *Deletion `json:"deletion,omitempty"`

	// Policy is what happens if the time is not enough.
	//
	// +kubebuilder:validation:Enum=MayStop;TryNext
	Policy string `json:"policy,omitempty"`

	// Paused stops new backups.
	Paused *bool `json:"paused,omitempty"`

	// Volumes are the volumes to copy.
	//
	// +listType=map
	// +listMapKey=name
	Volumes []Volume `json:"volumes,omitempty"`

	// Networks are those from which backups may be read.
	//
	// +listType=atomic
	Networks []Network `json:"networks,omitempty"`

	// Notes are for the people who restore a backup.
	Notes string `json:"notes,omitempty"`

	// Keep is the number of backups to keep.
	//
	// +kubebuilder:validation:Minimum=1
	Keep *int32 `json:"keep,omitempty"`
}

// Deletion is how a backup is removed.
type Deletion struct {
	// DrainSeconds is the time that readers have.
	DrainSeconds int32 `json:"drainSeconds,omitempty"`
}

// Volume is a volume to copy.
type Volume struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`

	// Compression of the copy.
	//
	// +kubebuilder:validation:Enum=None;Zstd
	Compression string `json:"compression,omitempty"`
}

// Network is a network from which backups may be read.
type Network struct {
	CIDR string `json:"cidr"`
	Note string `json:"note,omitempty"`
}

// BackupStatus is what was observed.
type BackupStatus struct {
	// Finished is the number of backups.
	Finished int32 `json:"finished,omitempty"`

	// Phase is for people.
	Phase string `json:"phase,omitempty"`
}

// BackupList is a list of backups.
//
// +kubebuilder:object:root=true
type BackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Backup `json:"items"`
}
