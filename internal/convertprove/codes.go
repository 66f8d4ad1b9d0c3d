package convertprove

import "github.com/schemagen/schemagen/diag"

var brokenLaw = &diag.Kind{
	Code: "SG933", Title: "a conversion that breaks a law",
	Explanation: "schemagen conversions --prove converts valid objects to the hub and back, after edits by clients of both versions. An object has to survive that as it is written, and a second trip must change nothing. Generated conversions see to it, so the mistake usually is in functions of yours, named with +schemagen:convert:func: what they make of a value has to be what they say of it when it comes back, every time. The hint has the smallest object that shows it.",
	Bad:         "$ schemagen conversions --prove --cases 200 --style=functions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tSize int32 `json:\"size,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:func=Size,fields=.size,to=.size\n\tSize int32 `json:\"size,omitempty\"`\n}\n\nvar sizes int32\n\nfunc SizeTo(size int32) int32 {\n\tsizes++\n\treturn sizes\n}\n\nfunc SizeFrom(size int32) int32 { return size }",
	Good:        "-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:func=Size,fields=.size,to=.size\n\tSize int32 `json:\"size,omitempty\"`\n}\n\nvar sizes int32\n\nfunc SizeTo(size int32) int32 {\n\tsizes++\n\treturn size\n}\n\nfunc SizeFrom(size int32) int32 { return size }",
}

// Codes returns the kinds of diagnostics that the package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{brokenLaw} }
