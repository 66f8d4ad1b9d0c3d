package conversions

import (
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/report"
)

// The kinds of diagnostics of this package, in the order of their codes.
var (
	notOneHub = &diag.Kind{
		Code: "SG920", Title: "no hub, or several",
		Explanation: "All versions of a kind are converted to and from one of them, the hub: the storage version, unless the type of another one has +schemagen:convert:hub. The packages of the others import the hub's, which therefore cannot import them, directly or through other packages.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\n// +schemagen:convert:hub\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize int32 `json:\"size,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +schemagen:convert:hub\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
	noCounterpart = &diag.Kind{
		Code: "SG921", Title: "a field without a counterpart",
		Explanation: "A field of a version that is not the hub is converted to the hub's field of the same name. If there is none, a marker says where its value goes: +schemagen:convert:to names another field, +schemagen:convert:keep keeps the value in an annotation while the object is stored as the hub, and +schemagen:convert:drop loses it. The candidates are fields of the hub that nothing else is converted to.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tCohortName string `json:\"cohortName,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tCohort string `json:\"cohort,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tCohortName string `json:\"cohortName,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:to=.cohortName\n\tCohort string `json:\"cohort,omitempty\"`\n}",
	}
	noRule = &diag.Kind{
		Code: "SG922", Title: "counterparts that cannot be converted",
		Explanation: "Equal types are converted, structs field by field, named strings and numbers, values and pointers, integers of different size, and lists and maps of these. A codec, the argument as of +schemagen:convert:to, converts some others, such as a duration and a number of seconds. For the rest, write two functions and name them with +schemagen:convert:func. The same code reports a marker whose field does not exist.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tTimeout int32 `json:\"timeout,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tTimeout *metav1.Duration `json:\"timeout,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tTimeout int32 `json:\"timeout,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:to=.timeout,as=seconds\n\tTimeout *metav1.Duration `json:\"timeout,omitempty\"`\n}",
	}
	claimedTwice = &diag.Kind{
		Code: "SG923", Title: "a field with two counterparts",
		Explanation: "A field of the hub has one counterpart in each other version: otherwise the last one to be converted would win. Likewise, a field of another version has one marker that says what becomes of it: of +schemagen:convert:to and +schemagen:convert:keep, only one could have an effect.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tName string `json:\"name,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:to=.name\n\tFirst string `json:\"first,omitempty\"`\n\t// +schemagen:convert:to=.name\n\tSecond string `json:\"second,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tName string `json:\"name,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:to=.name\n\tFirst string `json:\"first,omitempty\"`\n\t// +schemagen:convert:keep\n\tSecond string `json:\"second,omitempty\"`\n}",
	}
	requiredHubOnly = &diag.Kind{
		Code: "SG924", Title: "a required field that only the hub has",
		Explanation: "An object that was created in the other version has no value for it, so the API server would store an object that its own schema does not allow, and refuse the next write. Make the field optional or give it a default.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tSize int32 `json:\"size\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +kubebuilder:default=1\n\tSize int32 `json:\"size\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n}",
	}
	dropWithoutReason = &diag.Kind{
		Code: "SG925", Title: "a dropped field without a reason",
		Explanation: "+schemagen:convert:drop loses what users wrote. The reason is for those who ask why: +schemagen:convert:drop,reason=\"ignored since 1.3\".",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:drop\n\tLegacy string `json:\"legacy,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:drop,reason=\"ignored since 1.3\"\n\tLegacy string `json:\"legacy,omitempty\"`\n}",
	}
	keptSecret = &diag.Kind{
		Code: "SG926", Severity: diag.Warning, Title: "a secret that would be kept in an annotation",
		Explanation: "What only the hub has is kept in an annotation of the other versions, which everyone who may read the object can read. With +schemagen:convert:hubOnly=…,secret the value is not kept: an update through the other version removes it, which is reported, too, unless the marker has drop and a reason. Values of format password, and strings whose name ends in password, token or secret, count as secrets.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tPassword string `json:\"password,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tPassword string `json:\"password,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\n// +schemagen:convert:hubOnly=.password,secret,drop,reason=\"clients of v1beta1 never set it\"\ntype WidgetSpec struct {\n}",
	}
	defaultsDiffer = &diag.Kind{
		Code: "SG927", Severity: diag.Note, Title: "different defaults of counterparts",
		Explanation: "The API server sets the defaults of the version of a request before it converts the object. The value that is stored for an object without the field depends on the version that it was created in.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tExtra string `json:\"extra,omitempty\"`\n\t// +kubebuilder:default=2\n\tSize int32 `json:\"size,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +kubebuilder:default=1\n\tSize int32 `json:\"size,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tExtra string `json:\"extra,omitempty\"`\n\t// +kubebuilder:default=1\n\tSize int32 `json:\"size,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +kubebuilder:default=1\n\tSize int32 `json:\"size,omitempty\"`\n}",
	}
	uncheckedRules = &diag.Kind{
		Code: "SG928", Severity: diag.Warning, Title: "rules that kept values are not checked against",
		Explanation: "A value from the annotation is used only if it fulfils the schema of its field, because whoever may write the annotation could otherwise store what the schema refuses. CEL rules, formats and allOf, anyOf, oneOf and not are not checked.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +kubebuilder:validation:XValidation:rule=\"self != 'x'\"\n\tMode string `json:\"mode,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +kubebuilder:validation:Enum=A;B\n\tMode string `json:\"mode,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n}",
	}
	noWebhook = &diag.Kind{
		Code: "SG931", Severity: diag.Note, Title: "a kind that needs no conversion webhook",
		Explanation: "All versions have the same fields with the same types, so the API server converts objects by replacing their apiVersion.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tName string `json:\"name,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tName string `json:\"name,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\tTitle string `json:\"title,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\ntype WidgetSpec struct {\n\t// +schemagen:convert:to=.title\n\tName string `json:\"name,omitempty\"`\n}",
	}
	invalidConverted = &diag.Kind{
		Code: "SG932", Title: "a valid object that converts to an invalid one",
		Explanation: "The API server checks a request against the schema of its version only, so it would store what the schema of the other version refuses: clients of that version can read the object, but their updates are rejected. Make the schemas agree, or the conversion produce what the other one accepts.",
		Bad:         "$ schemagen try --yes -f widget.yaml --to v1 --crd ./v1,./v1beta1\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +kubebuilder:validation:Maximum=9\n\tSize int32 `json:\"size\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport (\n\t\"context\"\n\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\tv1 \"example.com/project/v1\"\n)\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tLength int32 `json:\"length\"`\n}\n\nfunc ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {\n\tto.ObjectMeta, to.Size = from.ObjectMeta, from.Length\n\treturn nil\n}\n\nfunc ConvertWidgetFromHub(_ context.Context, from *v1.Widget, to *Widget) error {\n\tto.ObjectMeta, to.Length = from.ObjectMeta, from.Size\n\treturn nil\n}\n-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nlength: 30",
		Good:        "-- widget.yaml --\napiVersion: example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nlength: 3",
	}
	enumLacks = &diag.Kind{
		Code: "SG941", Severity: diag.Warning, Title: "enum values that the hub refuses",
		Explanation: "A value that +schemagen:convert:values does not name is converted to itself. The API server checks a request against the schema of its version only, so it stores a value that the hub's enum lacks, and refuses updates by clients of the hub. Values that only the hub has are no problem: clients of the other version see them as they are.",
		Bad:         "$ schemagen conversions ./...\n-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +kubebuilder:validation:Enum=EveryHour;EveryDay\n\tSchedule string `json:\"schedule,omitempty\"`\n\tTeam     string `json:\"team,omitempty\"`\n}\n-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +kubebuilder:validation:Enum=Hourly;Daily\n\tSchedule string `json:\"schedule,omitempty\"`\n}",
		Good:        "-- v1beta1/types.go --\n// +groupName=example.com\npackage v1beta1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +schemagen:convert:values={Hourly: EveryHour, Daily: EveryDay}\n\t// +kubebuilder:validation:Enum=Hourly;Daily\n\tSchedule string `json:\"schedule,omitempty\"`\n}",
	}
	unaddressedValues = &diag.Kind{
		Code: "SG942", Title: "values of a map that encoding/json does not encode",
		Explanation: "A method MarshalJSON or MarshalText with a pointer receiver is called for values that have an address. The values of maps have none: encoding/json writes their fields instead, without what only the method knows. A conversion webhook decodes objects and encodes them again, so it would lose the values, even of fields that it does not convert.",
		Bad: example(`$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import (
	"strings"

	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata,omitempty"'

	Size    int32             'json:"size,omitempty"'
	Plugins map[string]Config 'json:"plugins,omitempty"'
}

// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
type Config struct {
	Values map[string]string 'json:"-"'
}

func (c *Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.Values) }

func (c *Config) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &c.Values) }
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata,omitempty"'

	Size int32 'json:"size,omitempty"'
}`),
		Good: example(`-- v1/types.go --
// +groupName=example.com
package v1

import (
	"strings"

	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata,omitempty"'

	Size    int32             'json:"size,omitempty"'
	Plugins map[string]Config 'json:"plugins,omitempty"'
}

// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
type Config struct {
	Values map[string]string 'json:"-"'
}

func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.Values) }

func (c *Config) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &c.Values) }`),
	}
	alreadyDeclared = &diag.Kind{
		Code: "SG943", Title: "declarations that are generated, too",
		Explanation: "Methods Hub, ConvertTo and ConvertFrom that exist already, or with --style=functions functions such as ConvertWidgetToHub, are used instead of generated ones if they have their signatures and are in every build. Otherwise the package would not compile, so nothing is written. Only what is generated is known to keep what the other version cannot express: for a conversion that people wrote, this code is a warning.",
		Bad: example(`$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata,omitempty"'

	Size int32 'json:"size,omitempty"'
}

func (*Widget) Hub() bool { return true }
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata,omitempty"'
}`),
		Good: example(`-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   'json:",inline"'
	metav1.ObjectMeta 'json:"metadata,omitempty"'

	Size int32 'json:"size,omitempty"'
}

func (*Widget) Hub() {}`),
	}
)

// example returns an example in which struct tags are between single quotes.
func example(text string) string { return strings.ReplaceAll(text, "'", "`") }

// Codes returns the kinds of diagnostics that the package reports, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{notOneHub, noCounterpart, noRule, claimedTwice, requiredHubOnly, dropWithoutReason, keptSecret, defaultsDiffer, uncheckedRules, noWebhook, invalidConverted, enumLacks, unaddressedValues, alreadyDeclared}
}

// Unconverted returns the code of the finding for a kind whose versions have to be converted,
// and whose definition in the project has no webhook. It is a warning, so that it can be waived; a
// command that writes conversions has to fail if it is not.
func Unconverted() diag.Code { return report.VersionsDiffer.Code }

// Invalid returns the finding for an object at a position, which is valid in one version but
// converts to what the schema of another one refuses.
func Invalid(pos diag.Position, from, to, problem string) diag.Diagnostic {
	return invalidConverted.At(pos, "", "valid as %s, but not as %s: %s", from, to, problem)
}
