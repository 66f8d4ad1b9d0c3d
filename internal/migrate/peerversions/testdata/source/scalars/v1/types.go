// +kubebuilder:object:generate=true
// +groupName=scalars.example.com
package v1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Scalars is a kind.
// +kubebuilder:object:root=true
type Scalars struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has values that are written in special ways.
// +kubebuilder:validation:XPreserveUnknownFields
type Spec struct {
	// It's 'quoted': "twice", with a colon: and a #hash, and so long that a line of a file has no room for it, so that it is wrapped somewhere.
	Description string `json:"description,omitempty"`
	// +kubebuilder:default="yes"
	Yes string `json:"yes,omitempty"`
	// +kubebuilder:default="1e3"
	Exponent string `json:"exponent,omitempty"`
	// +kubebuilder:default="0x10"
	Hex string `json:"hex,omitempty"`
	// +kubebuilder:default="2001-01-01"
	Date string `json:"date,omitempty"`
	// +kubebuilder:default=""
	Empty string `json:"empty,omitempty"`
	// +kubebuilder:default={}
	Inner Inner `json:"inner,omitempty"`
	// +kubebuilder:validation:Maximum=9223372036854775807
	// +kubebuilder:example=5
	Int64 int64 `json:"int64,omitempty"`
	// +kubebuilder:validation:Enum="on";"off";"y";"n";"1"
	Switch      string                `json:"switch,omitempty"`
	IntOrString intstr.IntOrString    `json:"intOrString,omitempty"`
	Quantity    *resource.Quantity    `json:"quantity,omitempty"`
	Raw         runtime.RawExtension  `json:"raw,omitempty"`
	JSON        *apiextensionsv1.JSON `json:"json,omitempty"`
	Selector    *metav1.LabelSelector `json:"selector,omitempty"`
	Time        *metav1.Time          `json:"time,omitempty"`
	Duration    metav1.Duration       `json:"duration,omitempty"`
	Conditions  []metav1.Condition    `json:"conditions,omitempty"`
	Bytes       []byte                `json:"bytes,omitempty"`
	Unsigned    uint32                `json:"unsigned,omitempty"`
	// Pattern has characters.
	// +kubebuilder:validation:Pattern=`^[^\\:"']*: #?$`
	Pattern string           `json:"pattern,omitempty"`
	Time1   metav1.MicroTime `json:"n,omitempty"`
}

// Inner is a struct.
type Inner struct {
	// +kubebuilder:default=true
	On bool `json:"on,omitempty"`
}
