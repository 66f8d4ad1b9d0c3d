package convertrun

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes.
var (
	notConverted = &diag.Kind{
		Code: "SG714", Title: "an object that cannot be converted",
		Explanation: "The packages have no conversion between the two versions of the kind, the object does not fit the Go type of its version, or the conversion returns an error or panics. It is not printed then.",
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

	Size int32 ´json:"size"´
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "example.com/project/v1"
)

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Length int32 ´json:"length"´
}

func ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {
	if from.Length > 9 {
		return fmt.Errorf("there are no widgets of %d meters", from.Length)
	}
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
length: 13`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1beta1
kind: Widget
metadata: {name: a}
length: 3`,
	}
	lostValue = &diag.Kind{
		Code: "SG715", Severity: diag.Warning, Title: "a value that a conversion loses",
		Explanation: "The value is not there, or is another one, when the converted object is converted back: a marker drops it, the conversion forgets it, or the Go type does not have the field. --strip also removes what is kept in the annotation.",
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
	Color  string ´json:"color,omitempty"´
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
length: 3
color: red`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1beta1
kind: Widget
metadata: {name: a}
length: 3`,
	}
	convertedValue = &diag.Kind{
		Code: "SG716", Severity: diag.Note, Title: "a value that is kept, or that a conversion sets",
		Explanation: "What the other version cannot express is kept in an annotation of the object, and comes back from there. What the object does not have, but the other version always has, comes from the conversion: a constant, a discriminator, or the zero value of a field without omitempty.",
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

	Length int32 ´json:"length,omitempty"´
	Color  string ´json:"color,omitempty"´
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
metadata: {name: a}`,
		Good: `
-- widget.yaml --
apiVersion: example.com/v1beta1
kind: Widget
metadata: {name: a}
length: 3`,
	}
)

// Codes returns the kinds of diagnostics that this package reports.
func Codes() []*diag.Kind { return []*diag.Kind{notConverted, lostValue, convertedValue} }
