// Package v1alpha1 is an older version of package v1.
//
// +kubebuilder:object:generate=true
// +groupName=backups.example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "backups.example.com", Version: "v1alpha1"}

// AddToScheme registers the kinds.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Backup{}, &BackupList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
