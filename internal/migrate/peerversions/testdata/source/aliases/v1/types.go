// +kubebuilder:object:generate=true
// +groupName=aliases.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Aliases is a kind.
// +kubebuilder:object:root=true
type Aliases struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has types that are aliases.
type Spec struct {
	Name          Name              `json:"name,omitempty"`
	Pointer       *Name             `json:"pointer,omitempty"`
	List          Names             `json:"list,omitempty"`
	ListPointer   *Names            `json:"listPointer,omitempty"`
	Number        Number            `json:"number,omitempty"`
	NumberPointer *Number           `json:"numberPointer,omitempty"`
	Nested        map[string]*Names `json:"nested,omitempty"`
	Struct        Struct            `json:"struct,omitempty"`
	StructPointer *Struct           `json:"structPointer,omitempty"`
}

// Name is an alias.
// +kubebuilder:validation:MaxLength=8
type Name = string

// Names is a list.
type Names []string

// Number is a number.
type Number int32

// Struct is an alias of a struct.
type Struct = Inner

// Inner is a struct.
type Inner struct {
	Name *string `json:"name,omitempty"`
}
