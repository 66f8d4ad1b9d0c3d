// +kubebuilder:object:generate=true
// +groupName=texts.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Texts is a kind.
// +kubebuilder:object:root=true
type Texts struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

// Spec has a type that is written as text.
type Spec struct {
	Text Text   `json:"text,omitempty"`
	List []Text `json:"list,omitempty"`
}

// Text is a struct, but text in JSON.
type Text struct {
	Inner string `json:"inner,omitempty"`
}

// MarshalText writes the text.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.Inner), nil }
