// Package v1 has a kind with unions inside of unions, and texts that would like to
// be run as a script.
//
// +groupName=shapes.example.com
// +schemagen:unions=cel
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Canvas is a picture made of layers.
//
// <script>window.ran = "description"</script> <img src=x onerror="window.ran='image'">
// </script><script>window.ran = "after the end"</script> <!-- <script> {{.}} [link](javascript:window.ran=1)
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=cv
// +kubebuilder:subresource:status
type Canvas struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CanvasSpec `json:"spec"`
	// +optional
	Status CanvasStatus `json:"status,omitempty"`
}

// CanvasSpec says what is to be painted.
// +kubebuilder:validation:XValidation:rule="!has(self.margin) || size(self.layers) > 0",message="a margin needs a layer"
type CanvasSpec struct {
	// Size of the canvas in pixels.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4096
	Size int32 `json:"size,omitempty"`
	// Margin is a number of pixels, or a percentage.
	// +optional
	Margin *intstr.IntOrString `json:"margin,omitempty"`
	// Layers from the back to the front.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Layers []Layer `json:"layers"`
	// Title of the picture, or null.
	// +nullable
	// +optional
	// +kubebuilder:validation:MaxLength=80
	Title *string `json:"title,omitempty"`
	// Labels of the picture.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Source is where it comes from: one of them at most.
	// +optional
	Source *Source `json:"source,omitempty"`
}

// Layer is one of the layers.
type Layer struct {
	// +kubebuilder:validation:Pattern=`^[a-z]+$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	Fill Fill   `json:"fill"`
}

// Source is one of two.
// +kubebuilder:validation:XValidation:rule="(has(self.git) ? 1 : 0) + (has(self.archive) ? 1 : 0) == 1",message="must specify exactly one of: `git`, `archive`"
type Source struct {
	// +optional
	Git *Repository `json:"git,omitempty"`
	// +optional
	Archive *Image `json:"archive,omitempty"`
}

// Repository is a place with a history.
type Repository struct {
	URL string `json:"url"`
	// +kubebuilder:default=main
	Branch string `json:"branch,omitempty"`
}

// Fill says how a layer is filled.
type Fill struct {
	// Type of the fill.
	// +unionDiscriminator
	// +required
	// +kubebuilder:validation:Enum=Solid;Image;Gradient;None
	Type FillType `json:"type,omitempty"`
	// +unionMember=Solid
	// +optional
	Solid *Solid `json:"solid,omitempty"`
	// +unionMember=Image
	// +optional
	Image *Image `json:"image,omitempty"`
	// +unionMember=Gradient
	// +optional
	Gradient *Gradient `json:"gradient,omitempty"`
}

// FillType selects a member of Fill.
type FillType string

// FillSolid is one color.
const FillSolid FillType = "Solid"

// Solid is one colour.
type Solid struct {
	// +kubebuilder:validation:Enum=red;green;blue
	Color string `json:"color"`
}

// Image is a file.
type Image struct {
	// +kubebuilder:validation:MinLength=1
	URL string `json:"url"`
}

// Gradient is a change of colours.
type Gradient struct {
	// Shape of the gradient.
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=Linear;Radial
	// +kubebuilder:default=Linear
	Shape string `json:"shape,omitempty"`
	// Linear goes along a line.
	// +unionMember=Linear
	// +optional
	Linear *Linear `json:"linear,omitempty"`
	// Radial goes around a point.
	// +unionMember=Radial
	// +optional
	Radial *Radial `json:"radial,omitempty"`
}

// Linear goes along a line.
type Linear struct {
	// Angle in degrees.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMaximum=true
	// +kubebuilder:validation:Maximum=360
	Angle int `json:"angle"`
}

// Radial goes around a point.
type Radial struct {
	Radius int `json:"radius"`
}

// CanvasStatus is what was painted.
type CanvasStatus struct {
	// +optional
	Painted bool `json:"painted,omitempty"`
}
