// Package source has an API with a union.
//
// +groupName=example.com
// +versionName=v1
// +schemagen:unions=cel
package source

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Source is where something comes from.
type Source struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Type selects a member.
	//
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=Git;OCI
	// +required
	Type string `json:"type,omitempty"`
	// Git is a repository.
	//
	// +unionMember
	// +optional
	Git *string `json:"git,omitempty"`
	// OCI is an image.
	//
	// +unionMember
	// +optional
	OCI *string `json:"oci,omitempty"`
}
