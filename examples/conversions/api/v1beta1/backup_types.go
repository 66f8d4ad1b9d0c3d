package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Backup is a backup of volumes.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BackupSpec   `json:"spec"`
	Status BackupStatus `json:"status,omitempty"`
}

// BackupSpec is the desired backup.
type BackupSpec struct {
	// Schedule is when backups are made.
	//
	// +schemagen:convert:to=.cronSchedule
	Schedule string `json:"schedule"`

	// Drain is the time that readers have before a backup is removed.
	//
	// +schemagen:convert:to=.deletion.drainSeconds,as=seconds
	Drain *metav1.Duration `json:"drain,omitempty"`

	// Policy is what happens if the time is not enough.
	//
	// +kubebuilder:validation:Enum=Preempt;Borrow;TryNext
	// +schemagen:convert:values={Preempt: MayStop, Borrow: MayStop}
	Policy string `json:"policy,omitempty"`

	// Paused stops new backups.
	Paused bool `json:"paused,omitempty"`

	// Volumes are the volumes to copy.
	//
	// +listType=map
	// +listMapKey=name
	Volumes []Volume `json:"volumes,omitempty"`

	// Networks are those from which backups may be read.
	//
	// +listType=atomic
	Networks []Network `json:"networks,omitempty"`

	// Legacy has no effect any more.
	//
	// +schemagen:convert:keep
	Legacy string `json:"legacy,omitempty"`
}

// Volume is a volume to copy.
type Volume struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
}

// Network is a network from which backups may be read.
type Network struct {
	CIDR string `json:"cidr"`
}

// BackupStatus is what was observed.
type BackupStatus struct {
	// Finished is the number of backups.
	Finished int32 `json:"finished,omitempty"`
}

// BackupList is a list of backups.
//
// +kubebuilder:object:root=true
type BackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Backup `json:"items"`
}
