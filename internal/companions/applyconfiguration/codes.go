package applyconfiguration

import "github.com/schemagen/schemagen/diag"

// noGroupVersion is the kind of a package that lacks what its apply configurations refer to.
var noGroupVersion = &diag.Kind{
	Code: "SG221", Title: "apply configurations need a variable SchemeGroupVersion",
	Explanation: "The generated function ForKind refers to the variable SchemeGroupVersion of the package of the kinds. Kubebuilder's scaffold declares only GroupVersion. controller-gen writes files that do not compile without the variable.",
	Bad:         "$ schemagen applyconfiguration paths=./...\n-- api/v1/types.go --\n// +groupName=example.com\n// +kubebuilder:ac:generate=true\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/runtime/schema\"\n)\n\nvar GroupVersion = schema.GroupVersion{Group: \"example.com\", Version: \"v1\"}\n\n// +kubebuilder:object:root=true\n// +kubebuilder:resource\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	Good:        "-- api/v1/types.go --\n// +groupName=example.com\n// +kubebuilder:ac:generate=true\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/runtime/schema\"\n)\n\nvar (\n\tGroupVersion       = schema.GroupVersion{Group: \"example.com\", Version: \"v1\"}\n\tSchemeGroupVersion = GroupVersion\n)\n\n// +kubebuilder:object:root=true\n// +kubebuilder:resource\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
}

// Codes returns the kinds of diagnostics that this package reports.
func Codes() []*diag.Kind { return []*diag.Kind{noGroupVersion} }
