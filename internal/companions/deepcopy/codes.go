package deepcopy

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package.
var (
	notCopied = &diag.Kind{
		Code: "SG231", Title: "a type cannot be copied by a generated method",
		Explanation: "Interfaces, arrays, channels, functions, unsafe pointers, and maps whose keys are not plain values have no generated copy. Write DeepCopyInto for the type by hand, or exclude the type with +kubebuilder:object:generate=false. A generated copy needs names for types: elements of slices and maps cannot be anonymous structs. As in controller-gen, keys and elements of maps cannot be aliases of plain values: declare type Name string in place of type Name = string. A slice, map or pointer type cannot contain itself without a struct in between. A struct of your modules needs a marker that gives it methods, and one of another module exported fields. An object needs the method GetObjectKind, which metav1.TypeMeta has.",
		Bad:         "$ schemagen object paths=./...\n-- api/types.go --\n// +kubebuilder:object:generate=true\npackage api\n\ntype WidgetSpec struct {\n\tValue any `json:\"value\"`\n}",
		Good:        "-- api/types.go --\n// +kubebuilder:object:generate=true\npackage api\n\nimport \"k8s.io/apimachinery/pkg/runtime\"\n\ntype WidgetSpec struct {\n\tValue runtime.RawExtension `json:\"value\"`\n}",
	}
	fieldNotMethod = &diag.Kind{
		Code: "SG232", Title: "a field is named as a method that copies values",
		Explanation: "DeepCopy and DeepCopyInto are the names of generated methods, and a struct cannot have a field and a method of the same name. controller-gen panics on such a field.",
		Bad:         "$ schemagen object paths=./...\n-- api/types.go --\n// +kubebuilder:object:generate=true\npackage api\n\ntype WidgetSpec struct {\n\tDeepCopy bool `json:\"deepCopy\"`\n}",
		Good:        "-- api/types.go --\n// +kubebuilder:object:generate=true\npackage api\n\ntype WidgetSpec struct {\n\tDeep bool `json:\"deepCopy\"`\n}",
	}
	notCompiled = &diag.Kind{
		Code: "SG233", Title: "a generated copy that does not compile",
		Explanation: "The generated methods call those that types have, and a method written by hand may be missing, or have another parameter or result than the others. controller-gen writes the file. The message is that of the Go compiler.",
		Bad:         "$ schemagen object paths=./...\n-- api/types.go --\n// +kubebuilder:object:generate=true\npackage api\n\ntype WidgetSpec struct {\n\tSizes []Size `json:\"sizes\"`\n}\n\n// +kubebuilder:object:generate=false\ntype Size struct {\n\tMax *int `json:\"max\"`\n}\n\nfunc (s *Size) DeepCopy() *Size { return s }",
		Good:        "-- api/types.go --\n// +kubebuilder:object:generate=true\npackage api\n\ntype WidgetSpec struct {\n\tSizes []Size `json:\"sizes\"`\n}\n\ntype Size struct {\n\tMax *int `json:\"max\"`\n}\n\nfunc (s *Size) DeepCopy() *Size { return s }",
	}
	unmarkedKind = &diag.Kind{
		Code: "SG281", Severity: diag.Warning, Title: "a kind without DeepCopyObject in a package whose other kinds have it",
		Explanation: "A struct with metav1.TypeMeta and metav1.ObjectMeta is a kind, and crd writes its definition, but only +kubebuilder:object:root=true gives it the method DeepCopyObject, without which it is not a runtime.Object: clients cannot read it, and it cannot be registered in a scheme. Structs that are fields of others are not reported.",
		Bad:         "$ schemagen object paths=./...\n-- api/types.go --\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\ntype Gadget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "-- api/types.go --\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\n// +kubebuilder:object:root=true\ntype Gadget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{notCopied, fieldNotMethod, notCompiled, unmarkedKind} }
