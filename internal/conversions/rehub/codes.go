package rehub

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package.
var notTurned = &diag.Kind{
	Code: "SG940", Title: "markers that cannot be turned round",
	Explanation: "schemagen conversions --rehub writes the markers of one version for another hub. Some say nothing the other way: hooks, which are functions in the package of the version that has the marker, constants, discriminators, labels and annotations, fields filled from metadata, and values of an enum of which several become one. Where several versions are converted to the hub, the markers of the others would have to change as well, and where a kind whose hub stays converts the same struct, its markers can say one direction only. Nothing is written; write these markers for the new hub by hand.",
	Bad: `
$ schemagen conversions ./... --rehub v1beta1
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Mode Mode ´json:"mode,omitempty"´
}

type Mode string
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +schemagen:convert:values={Fast: Quick, Rapid: Quick}
	Mode Mode ´json:"mode,omitempty"´
}

type Mode string`,
	Good: `
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +schemagen:convert:values={Fast: Quick}
	Mode Mode ´json:"mode,omitempty"´
}

type Mode string`,
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind { return []*diag.Kind{notTurned} }
