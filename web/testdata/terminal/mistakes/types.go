// Package v1 has mistakes for pictures of a terminal.
//
// +groupName=shop.example.com
// +versionName=v1
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is an order of a customer.
//
// +kubebuilder:printcolumn:name=Items,type=integer,JSONPath=.spec.item
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec"`
}

// OrderSpec is the desired order.
type OrderSpec struct {
	// +kubebuilder:validation:Minimun=1
	// +kubebuilder:default=one
	Items int32 `json:"items"`

	// +kubebuilder:validation:MaxLength=three
	Name string `json:"name"`

	// 色 is the color: 赤 or 緑.
	// +kubebuilder:validation:Enum=赤;緑;赤
	Color string `json:"color"`

	Price float64 `json:"price"`

	Weight uint32 `json:"weight"`

	// +optional
	// +required
	Note string `json:"note,omitempty"`

	Options map[int32]string `json:"options"`

	Extra any `json:"extra"`

	Forgotten string
}
