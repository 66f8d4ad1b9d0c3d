// Package v1 has a kind for pictures of a terminal, with a mistake in a rule.
//
// +groupName=shop.example.com
// +versionName=v1
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Parcel is what is sent to a customer.
type Parcel struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ParcelSpec `json:"spec"`
}

// ParcelSpec is the desired parcel.
//
// +kubebuilder:validation:XValidation:rule="self.weight < '10' || has(self.reason)",message="色: heavy parcels need a reason"
type ParcelSpec struct {
	Weight int32 `json:"weight"`

	// +kubebuilder:validation:MaxLength=100
	// +optional
	Note string `json:"note,omitempty"`
}
