package convertrun

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package.
var notConverted = &diag.Kind{
	Code: "SG714", Title: "an object that cannot be converted",
	Explanation: "The packages have no conversion between the two versions of the kind, the object does not fit the Go type of its version, or the conversion returns an error or panics. Nothing is printed then.",
	Bad:         "$ schemagen convert -f widget.yaml --to v1 ./v1 ./v1beta1\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize int32 `json:\"size\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport (\n\t\"context\"\n\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\tv1 \"example.com/project/v1\"\n)\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tLength int32 `json:\"length\"`\n}\n\nfunc ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {\n\tto.ObjectMeta, to.Size = from.ObjectMeta, from.Length\n\treturn nil\n}\n\nfunc ConvertWidgetFromHub(_ context.Context, from *v1.Widget, to *Widget) error {\n\tto.ObjectMeta, to.Length = from.ObjectMeta, from.Size\n\treturn nil\n}\n-- widget.yaml --\napiVersion: example.com/v1alpha1\nkind: Widget\nmetadata: {name: a}\nlength: 3",
	Good:        "-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nlength: 3",
}

// Codes returns the kinds of diagnostics that this package reports.
func Codes() []*diag.Kind { return []*diag.Kind{notConverted} }
