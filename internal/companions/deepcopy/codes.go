package deepcopy

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package.
var (
	notCopied = &diag.Kind{
		Code: "SG231", Title: "a type cannot be copied by a generated method",
		Explanation: "Interfaces, arrays, channels, functions, unsafe pointers, and maps whose keys are not plain values have no generated copy. Write DeepCopyInto for the type by hand, or exclude the type with +kubebuilder:object:generate=false. A generated copy needs names for types: elements of slices and maps cannot be anonymous structs. As in controller-gen, keys and elements of maps cannot be aliases of plain values: declare type Name string in place of type Name = string. A slice, map or pointer type cannot contain itself without a struct in between. A struct of your modules needs a marker that gives it methods, and one of another module exported fields. An object needs the method GetObjectKind, which metav1.TypeMeta has.",
		Bad: `
$ schemagen object paths=./...
-- api/types.go --
// +kubebuilder:object:generate=true
package api

type WidgetSpec struct {
	Value any ´json:"value"´
}`,
		Good: `
-- api/types.go --
// +kubebuilder:object:generate=true
package api

import "k8s.io/apimachinery/pkg/runtime"

type WidgetSpec struct {
	Value runtime.RawExtension ´json:"value"´
}`,
	}
	fieldNotMethod = &diag.Kind{
		Code: "SG232", Title: "a field is named as a method that copies values",
		Explanation: "DeepCopy and DeepCopyInto are the names of generated methods, and a struct cannot have a field and a method of the same name. controller-gen panics on such a field.",
		Bad: `
$ schemagen object paths=./...
-- api/types.go --
// +kubebuilder:object:generate=true
package api

type WidgetSpec struct {
	DeepCopy bool ´json:"deepCopy"´
}`,
		Good: `
-- api/types.go --
// +kubebuilder:object:generate=true
package api

type WidgetSpec struct {
	Deep bool ´json:"deepCopy"´
}`,
	}
	notCompiled = &diag.Kind{
		Code: "SG233", Title: "a generated copy that does not compile",
		Explanation: "The generated methods call those that types have, and a method written by hand may be missing, or have another parameter or result than the others. controller-gen writes the file. The message is that of the Go compiler.",
		Bad: `
$ schemagen object paths=./...
-- api/types.go --
// +kubebuilder:object:generate=true
package api

type WidgetSpec struct {
	Sizes []Size ´json:"sizes"´
}

// +kubebuilder:object:generate=false
type Size struct {
	Max *int ´json:"max"´
}

func (s *Size) DeepCopy() *Size { return s }`,
		Good: `
-- api/types.go --
// +kubebuilder:object:generate=true
package api

type WidgetSpec struct {
	Sizes []Size ´json:"sizes"´
}

type Size struct {
	Max *int ´json:"max"´
}

func (s *Size) DeepCopy() *Size { return s }`,
	}
	unmarkedKind = &diag.Kind{
		Code: "SG281", Severity: diag.Warning, Title: "a kind without DeepCopyObject in a package whose other kinds have it",
		Explanation: "A struct with metav1.TypeMeta and metav1.ObjectMeta is a kind, and crd writes its definition, but only +kubebuilder:object:root=true gives it the method DeepCopyObject, without which it is not a runtime.Object: clients cannot read it, and it cannot be registered in a scheme. Structs that are fields of others are not reported.",
		Bad: `
$ schemagen object paths=./...
-- api/types.go --
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}

type Gadget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- api/types.go --
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}

// +kubebuilder:object:root=true
type Gadget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{notCopied, fieldNotMethod, notCompiled, unmarkedKind} }
