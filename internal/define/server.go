package define

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Server is the API server of a version of Kubernetes, which has to accept the generated
// definitions. Verifier in package verify implements it with the server's own code. It is
// safe for concurrent use.
type Server interface {
	// Check validates the definitions and returns the findings.
	Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error)
	// Costs returns the estimated costs of the CEL rules of a definition, sorted by path.
	Costs(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition) ([]unions.RuleCost, error)
	// JudgeUnion compares handwritten rules in the schema of an object with a union; it returns nil if there
	// are none, or if it cannot tell.
	JudgeUnion(u *unions.Union, schema *structural.Schema) *unions.Judgement
	// Handler returns a function that returns the server's handling of objects of a version of a
	// definition, or an error if the server would not serve the version. What the definitions of
	// several calls share in memory is prepared once.
	Handler() crd.Handler
	// CheckWebhook returns the server's errors about the selectors and match conditions of a
	// webhook, with paths in the webhook.
	CheckWebhook(hook *admissionregistrationv1.ValidatingWebhook) field.ErrorList
	// Before reports whether the server is older than Kubernetes 1.minor.
	Before(minor uint) bool
}
