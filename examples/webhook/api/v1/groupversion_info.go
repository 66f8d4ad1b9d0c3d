// Package v1 is an API with unions.
//
// +kubebuilder:object:generate=true
// +groupName=canvas.example.com
// +schemagen:unions=cel
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "canvas.example.com", Version: "v1"}

// AddToScheme registers the kinds.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Canvas{}, &CanvasList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
