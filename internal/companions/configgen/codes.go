package configgen

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of rbac and webhook, in the order of their codes.
var (
	InvalidWebhook = &diag.Kind{
		Code: "SG934", Fixes: true, Title: "a webhook that the API server rejects",
		Explanation: "The arguments of a marker result in a MutatingWebhookConfiguration or ValidatingWebhookConfiguration that the API server does not accept, or in none at all. What a patch sets is checked as well: selectors, and match conditions, whose CEL expressions are compiled by the server's code.",
		Bad: `
$ schemagen webhook paths=./...
-- v1/types.go --
package v1

// +kubebuilder:webhook:path=/validate-widgets,mutating=false,failurePolicy=fial,sideEffects=None,groups=example.com,resources=widgets,verbs=create,versions=v1,name=widgets.example.com,admissionReviewVersions=v1`,
		Good: `
-- v1/types.go --
package v1

// +kubebuilder:webhook:path=/validate-widgets,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=widgets,verbs=create,versions=v1,name=widgets.example.com,admissionReviewVersions=v1`,
	}
	InvalidRole = &diag.Kind{
		Code: "SG935", Title: "a role that the API server rejects",
		Explanation: "A rule is about resources, with at least one group, one resource and one verb, or about URLs: then it has only verbs and is part of a ClusterRole. One rejected rule is enough for the API server to reject the whole role.",
		Bad: `
$ schemagen rbac:roleName=widgets paths=./...
-- v1/types.go --
package v1

// +kubebuilder:rbac:groups=apps,verbs=get`,
		Good: `
-- v1/types.go --
package v1

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get`,
	}
	Suspicious = &diag.Kind{
		Code: "SG936", Severity: diag.Warning, Fixes: true, Title: "an argument of rbac or webhook that probably means something else",
		Explanation: "The API server accepts the value, but it cannot match anything, or is nearly a word that it knows: a misspelled verb, a list in quotes, a comma that is missing, an argument that is given twice, or create beside resourceNames, although a request that creates an object has no name. The permission is missing, or the webhook is not called.",
		Bad: `
$ schemagen rbac:roleName=widgets paths=./...
-- v1/types.go --
package v1

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;lsit`,
		Good: `
-- v1/types.go --
package v1

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list`,
	}
	misplacedMarker = &diag.Kind{
		Code: "SG937", Severity: diag.Warning, Fixes: true, Title: "a marker of rbac or webhook that has no effect where it is",
		Explanation: "The markers describe a package. In the doc comment of a function, type, variable or field, inside a function or type, in a block comment, or without a plus sign they are ignored: a permission is missing in the role, or a webhook in the configuration. An empty line between the marker and the declaration is enough.",
		Bad: `
$ schemagen rbac:roleName=widgets paths=./...
-- v1/types.go --
package v1

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
func Reconcile() {}`,
		Good: `
-- v1/types.go --
package v1

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get

func Reconcile() {}`,
	}
	UnknownResource = &diag.Kind{
		Code: "SG938", Severity: diag.Warning, Fixes: true, Title: "a rule or webhook for a misspelled resource, or for what a kind lacks",
		Explanation: "The group is that of kinds of the run, and the resource is nearly that of one of them, or the kind lacks the subresource or version. A resource is the plural name of a kind, in lower case. Other kinds of the group, and other versions of the kind, may be declared elsewhere: nothing is reported about a resource that is declared in another package of the project or in a module that it requires, or that resembles none.",
		Bad: `
$ schemagen crd rbac:roleName=widgets paths=./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:rbac:groups=example.com,resources=widget,verbs=get

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:rbac:groups=example.com,resources=widgets,verbs=get

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	UnusualPath = &diag.Kind{
		Code: "SG939", Severity: diag.Note, Title: "a webhook path that differs from Kubebuilder's",
		Explanation: "controller-runtime serves the webhooks of a kind at a path made of group, version and kind, unless the manager sets another one. If several webhooks have one path, its handler has to serve all of their resources.",
		Bad: `
$ schemagen crd webhook paths=./...
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:webhook:path=/validate-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=widgets,verbs=create,versions=v1,name=widgets.example.com,admissionReviewVersions=v1

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:webhook:path=/validate-example-com-v1-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=widgets,verbs=create,versions=v1,name=widgets.example.com,admissionReviewVersions=v1

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
)

// Codes returns the kinds of diagnostics of this package, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{InvalidWebhook, InvalidRole, Suspicious, misplacedMarker, UnknownResource, UnusualPath}
}
