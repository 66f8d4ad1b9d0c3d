// Package v1 has the API types of make demo.
//
// +groupName=backup.example.com
// +kubebuilder:object:generate=true
// +schemagen:unions=cel
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Backup copies a volume to a store.
//
// +kubebuilder:object:root=true
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BackupSpec `json:"spec"`
}

// BackupSpec is the desired backup.
type BackupSpec struct {
	// Keep is the number of copies to keep.
	//
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=7
	// +optional
	Keep int32 `json:"keep,omitempty"`

	// Target is where the copies go.
	Target Target `json:"target"`

	// Pod makes the copies.
	//
	// +optional
	Pod *corev1.PodSpec `json:"pod,omitempty"`
}

// Target is a bucket or a disk.
type Target struct {
	// +unionDiscriminator
	// +required
	Type TargetType `json:"type,omitempty"`

	// +unionMember
	// +optional
	Bucket *Bucket `json:"bucket,omitempty"`

	// +unionMember
	// +optional
	Disk *Disk `json:"disk,omitempty"`
}

// TargetType selects a target.
//
// +kubebuilder:validation:Enum=Bucket;Disk
type TargetType string

// Bucket is in an object store.
type Bucket struct {
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
}

// Disk is a volume.
type Disk struct {
	Claim string `json:"claim"`
}
