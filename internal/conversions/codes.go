package conversions

import (
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
)

// The kinds of diagnostics of this package, in the order of their codes.
var (
	notOneHub = &diag.Kind{
		Code: "SG920", Title: "no hub, or several",
		Explanation: "All versions of a kind are converted to and from one of them, the hub: the storage version, unless the type of another one has +schemagen:convert:hub. The packages of the others import the hub's, which therefore cannot import them, directly or through other packages.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
// +schemagen:convert:hub
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size int32 ´json:"size,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +schemagen:convert:hub
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	noCounterpart = &diag.Kind{
		Code: "SG921", Title: "a field without a counterpart",
		Explanation: "A field of a version that is not the hub is converted to the hub's field of the same name. If there is none, a marker says where its value goes: +schemagen:convert:to names another field, +schemagen:convert:keep keeps the value in an annotation while the object is stored as the hub, and +schemagen:convert:drop loses it. The candidates are fields of the hub that nothing else is converted to.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	CohortName string ´json:"cohortName,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Cohort string ´json:"cohort,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	CohortName string ´json:"cohortName,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:to=.cohortName
	Cohort string ´json:"cohort,omitempty"´
}`,
	}
	noRule = &diag.Kind{
		Code: "SG922", Title: "counterparts that cannot be converted",
		Explanation: "Equal types are converted, structs field by field, named strings and numbers, values and pointers, integers of different size, and lists and maps of these. A codec, the argument as of +schemagen:convert:to, converts some others, such as a duration and a number of seconds. For the rest, write two functions and name them with +schemagen:convert:func. The same code reports a marker whose field does not exist.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Timeout int32 ´json:"timeout,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Timeout *metav1.Duration ´json:"timeout,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Timeout int32 ´json:"timeout,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:to=.timeout,as=seconds
	Timeout *metav1.Duration ´json:"timeout,omitempty"´
}`,
	}
	claimedTwice = &diag.Kind{
		Code: "SG923", Title: "a field with two counterparts",
		Explanation: "A field of the hub has one counterpart in each other version: otherwise the last one to be converted would win. Likewise, a field of another version has one marker that says what becomes of it: of +schemagen:convert:to and +schemagen:convert:keep, only one could have an effect.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Name string ´json:"name,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:to=.name
	First string ´json:"first,omitempty"´
	// +schemagen:convert:to=.name
	Second string ´json:"second,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Name string ´json:"name,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:to=.name
	First string ´json:"first,omitempty"´
	// +schemagen:convert:keep
	Second string ´json:"second,omitempty"´
}`,
	}
	requiredHubOnly = &diag.Kind{
		Code: "SG924", Title: "a required field that only the hub has",
		Explanation: "An object that was created in the other version has no value for it, so the API server would store an object that its own schema does not allow, and refuse the next write. Make the field optional or give it a default.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Size int32 ´json:"size"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +kubebuilder:default=1
	Size int32 ´json:"size"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
}`,
	}
	dropWithoutReason = &diag.Kind{
		Code: "SG925", Title: "a dropped field without a reason",
		Explanation: "+schemagen:convert:drop loses what users wrote. The reason is for those who ask why: +schemagen:convert:drop,reason=\"ignored since 1.3\".",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:drop
	Legacy string ´json:"legacy,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:drop,reason="ignored since 1.3"
	Legacy string ´json:"legacy,omitempty"´
}`,
	}
	keptSecret = &diag.Kind{
		Code: "SG926", Severity: diag.Warning, Title: "a secret that would be kept in an annotation",
		Explanation: "What only the hub has is kept in an annotation of the other versions, which everyone who may read the object can read. With +schemagen:convert:hubOnly=…,secret the value is not kept: an update through the other version removes it, which is reported, too, unless the marker has drop and a reason. Values of format password, and strings whose name ends in password, token or secret, count as secrets.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Password string ´json:"password,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Password string ´json:"password,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

// +schemagen:convert:hubOnly=.password,secret,drop,reason="clients of v1beta1 never set it"
type WidgetSpec struct {
}`,
	}
	defaultsDiffer = &diag.Kind{
		Code: "SG927", Severity: diag.Note, Title: "different defaults of counterparts",
		Explanation: "The API server sets the defaults of the version of a request before it converts the object. The value that is stored for an object without the field depends on the version that it was created in.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Extra string ´json:"extra,omitempty"´
	// +kubebuilder:default=2
	Size int32 ´json:"size,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +kubebuilder:default=1
	Size int32 ´json:"size,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Extra string ´json:"extra,omitempty"´
	// +kubebuilder:default=1
	Size int32 ´json:"size,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +kubebuilder:default=1
	Size int32 ´json:"size,omitempty"´
}`,
	}
	uncheckedRules = &diag.Kind{
		Code: "SG928", Severity: diag.Warning, Title: "rules that kept values are not checked against",
		Explanation: "A value from the annotation is used only if it fulfils the schema of its field, because whoever may write the annotation could otherwise store what the schema refuses. CEL rules, formats and allOf, anyOf, oneOf and not are not checked.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +kubebuilder:validation:XValidation:rule="self != 'x'"
	Mode string ´json:"mode,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +kubebuilder:validation:Enum=A;B
	Mode string ´json:"mode,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
}`,
	}
	noWebhook = &diag.Kind{
		Code: "SG931", Severity: diag.Note, Title: "a kind that needs no conversion webhook",
		Explanation: "All versions have the same fields with the same types, so the API server converts objects by replacing their apiVersion.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Name string ´json:"name,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Name string ´json:"name,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	Title string ´json:"title,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec WidgetSpec ´json:"spec,omitempty"´
}

type WidgetSpec struct {
	// +schemagen:convert:to=.title
	Name string ´json:"name,omitempty"´
}`,
	}
	invalidConverted = &diag.Kind{
		Code: "SG932", Title: "a valid object that converts to an invalid one",
		Explanation: "The API server checks a request against the schema of its version only, so it would store what the schema of the other version refuses: clients of that version can read the object, but their updates are rejected. Make the schemas agree, or the conversion produce what the other one accepts.",
		Bad: `
$ schemagen try --yes -f widget.yaml --to v1 ./v1 ./v1beta1
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +kubebuilder:validation:Maximum=9
	Size int32 ´json:"size"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "example.com/project/v1"
)

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Length int32 ´json:"length"´
}

func ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {
	to.ObjectMeta, to.Size = from.ObjectMeta, from.Length
	return nil
}

func ConvertWidgetFromHub(_ context.Context, from *v1.Widget, to *Widget) error {
	to.ObjectMeta, to.Length = from.ObjectMeta, from.Size
	return nil
}
-- widget.yaml --
apiVersion: example.com/v1beta1
kind: Widget
metadata: {name: a}
length: 30`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1beta1
kind: Widget
metadata: {name: a}
length: 3`,
	}
	enumLacks = &diag.Kind{
		Code: "SG941", Severity: diag.Warning, Title: "enum values that the hub refuses",
		Explanation: "A value that +schemagen:convert:values does not name is converted to itself. The API server checks a request against the schema of its version only, so it stores a value that the hub's enum lacks, and refuses updates by clients of the hub. Values that only the hub has are safe: clients of the other version see them as they are.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +kubebuilder:validation:Enum=EveryHour;EveryDay
	Schedule string ´json:"schedule,omitempty"´
	Team     string ´json:"team,omitempty"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +kubebuilder:validation:Enum=Hourly;Daily
	Schedule string ´json:"schedule,omitempty"´
}`,
		Good: `
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +schemagen:convert:values={Hourly: EveryHour, Daily: EveryDay}
	// +kubebuilder:validation:Enum=Hourly;Daily
	Schedule string ´json:"schedule,omitempty"´
}`,
	}
	unaddressedValues = &diag.Kind{
		Code: "SG942", Title: "values of a map that encoding/json does not encode",
		Explanation: "A method MarshalJSON or MarshalText with a pointer receiver is called for values that have an address. The values of maps have none: encoding/json writes their fields instead, without what only the method knows. A conversion webhook decodes objects and encodes them again, so it would lose the values, even of fields that it does not convert.",
		Bad: `
$ schemagen conversions ./...
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
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size    int32             ´json:"size,omitempty"´
	Plugins map[string]Config ´json:"plugins,omitempty"´
}

// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
type Config struct {
	Values map[string]string ´json:"-"´
}

func (c *Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.Values) }

func (c *Config) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &c.Values) }
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size int32 ´json:"size,omitempty"´
}`,
		Good: `
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
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size    int32             ´json:"size,omitempty"´
	Plugins map[string]Config ´json:"plugins,omitempty"´
}

// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
type Config struct {
	Values map[string]string ´json:"-"´
}

func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.Values) }

func (c *Config) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &c.Values) }`,
	}
	alreadyDeclared = &diag.Kind{
		Code: "SG943", Title: "declarations that are generated, too",
		Explanation: "Methods Hub, ConvertTo and ConvertFrom that exist already, or with conversions.style: functions functions such as ConvertWidgetToHub, are used instead of generated ones if they have their signatures and are in every build. Otherwise the package would not compile, so nothing is written. Only what is generated is known to keep what the other version cannot express: for a conversion that people wrote, this code is a warning.",
		Bad: `
$ schemagen conversions ./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size int32 ´json:"size,omitempty"´
}

func (*Widget) Hub() bool { return true }
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size int32 ´json:"size,omitempty"´
}

func (*Widget) Hub() {}`,
	}
)

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
func Invalid(pos diag.Position, source, target, problem string) diag.Diagnostic {
	return invalidConverted.At(pos, "", "valid as %s, but not as %s: %s", source, target, problem)
}
