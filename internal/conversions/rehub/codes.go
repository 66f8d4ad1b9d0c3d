package rehub

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package.
var notTurned = &diag.Kind{
	Code: "SG940", Title: "markers that cannot be turned round",
	Explanation: "schemagen conversions --rehub writes the markers of one version for another hub. Some say nothing the other way: hooks, which are functions in the package of the version that has the marker, constants, discriminators, labels and annotations, fields filled from metadata, and values of an enum of which several become one. Where several versions are converted to the hub, the markers of the others would have to change as well, and where a kind whose hub stays converts the same struct, its markers can say one direction only. Nothing is written; write these markers for the new hub by hand.",
	Bad:         "$ schemagen conversions ./... --rehub v1beta1\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tMode Mode `json:\"mode,omitempty\"`\n}\n\ntype Mode string\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +schemagen:convert:values={Fast: Quick, Rapid: Quick}\n\tMode Mode `json:\"mode,omitempty\"`\n}\n\ntype Mode string",
	Good:        "-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +schemagen:convert:values={Fast: Quick}\n\tMode Mode `json:\"mode,omitempty\"`\n}\n\ntype Mode string",
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind { return []*diag.Kind{notTurned} }
