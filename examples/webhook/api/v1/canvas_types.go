package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Canvas has a background, and layers with names.
//
// +kubebuilder:object:root=true
type Canvas struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CanvasSpec `json:"spec"`
}

// CanvasSpec is what is painted.
type CanvasSpec struct {
	Background Fill `json:"background"`

	// +optional
	// +listType=map
	// +listMapKey=name
	Layers []Layer `json:"layers,omitempty"`
}

// Layer is painted over those before it.
type Layer struct {
	Name string `json:"name"`
	Fill Fill   `json:"fill"`
}

// FillType says what a surface is filled with.
//
// +enum
type FillType string

// The types of fillings.
const (
	FillNone  FillType = "None"
	FillSolid FillType = "Solid"
	FillImage FillType = "Image"
)

// Fill is a union: Type says which of the others is set.
type Fill struct {
	// +unionDiscriminator
	// +required
	Type FillType `json:"type,omitempty"`
	// +unionMember
	// +optional
	Solid *Solid `json:"solid,omitempty"`
	// +unionMember
	// +optional
	Image *Image `json:"image,omitempty"`
}

// Solid is one colour.
type Solid struct {
	// +kubebuilder:validation:Pattern=`^#[0-9a-f]{6}$`
	Color string `json:"color"`
}

// Image is a picture.
type Image struct {
	// +kubebuilder:validation:MinLength=1
	URL string `json:"url"`
}

// CanvasList is a list of canvases.
//
// +kubebuilder:object:root=true
type CanvasList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Canvas `json:"items"`
}
