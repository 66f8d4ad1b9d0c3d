package convertrun

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes.
var (
	notConverted = &diag.Kind{
		Code: "SG714", Title: "an object that cannot be converted",
		Explanation: "The packages have no conversion between the two versions of the kind, the object does not fit the Go type of its version, or the conversion returns an error or panics. Nothing is printed then.",
		Bad:         "$ schemagen convert --yes -f widget.yaml --to v1 ./v1 ./v1beta1\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize int32 `json:\"size\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport (\n\t\"context\"\n\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\tv1 \"example.com/project/v1\"\n)\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tLength int32 `json:\"length\"`\n}\n\nfunc ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {\n\tto.ObjectMeta, to.Size = from.ObjectMeta, from.Length\n\treturn nil\n}\n\nfunc ConvertWidgetFromHub(_ context.Context, from *v1.Widget, to *Widget) error {\n\tto.ObjectMeta, to.Length = from.ObjectMeta, from.Size\n\treturn nil\n}\n-- widget.yaml --\napiVersion: example.com/v1alpha1\nkind: Widget\nmetadata: {name: a}\nlength: 3",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nlength: 3",
	}
	lostValue = &diag.Kind{
		Code: "SG715", Severity: diag.Warning, Title: "a value that a conversion loses",
		Explanation: "The value is not there, or is another one, when the converted object is converted back: a marker drops it, the conversion forgets it, or the Go type does not have the field. convert --strip also removes what is kept in the annotation.",
		Bad:         "$ schemagen convert --yes -f widget.yaml --to v1 ./v1 ./v1beta1\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize int32 `json:\"size\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport (\n\t\"context\"\n\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\tv1 \"example.com/project/v1\"\n)\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tLength int32 `json:\"length\"`\n\tColor  string `json:\"color,omitempty\"`\n}\n\nfunc ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {\n\tto.ObjectMeta, to.Size = from.ObjectMeta, from.Length\n\treturn nil\n}\n\nfunc ConvertWidgetFromHub(_ context.Context, from *v1.Widget, to *Widget) error {\n\tto.ObjectMeta, to.Length = from.ObjectMeta, from.Size\n\treturn nil\n}\n-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nlength: 3\ncolor: red",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nlength: 3",
	}
	convertedValue = &diag.Kind{
		Code: "SG716", Severity: diag.Note, Title: "a value that is kept, or that a conversion sets",
		Explanation: "What the other version cannot express is kept in an annotation of the object, and comes back from there. What the object does not have, but the other version always has, comes from the conversion: a constant, a discriminator, or the zero value of a field without omitempty.",
		Bad:         "$ schemagen convert --yes -f widget.yaml --to v1 ./v1 ./v1beta1\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize int32 `json:\"size\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport (\n\t\"context\"\n\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\tv1 \"example.com/project/v1\"\n)\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tLength int32 `json:\"length\"`\n\tColor  string `json:\"color,omitempty\"`\n}\n\nfunc ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {\n\tto.ObjectMeta, to.Size = from.ObjectMeta, from.Length\n\treturn nil\n}\n\nfunc ConvertWidgetFromHub(_ context.Context, from *v1.Widget, to *Widget) error {\n\tto.ObjectMeta, to.Length = from.ObjectMeta, from.Size\n\treturn nil\n}\n-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nspec: {}",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nlength: 3",
	}
)

// Codes returns the kinds of diagnostics that this package reports.
func Codes() []*diag.Kind { return []*diag.Kind{notConverted, lostValue, convertedValue} }
