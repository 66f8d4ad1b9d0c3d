package build

import (
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/unions"
)

// Server is the API server of one version of Kubernetes, which has to accept what is
// generated. Type Verifier of package verify implements it with the server's own code. It
// is safe for concurrent use.
type Server interface {
	// Check returns what is wrong with the definitions.
	Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error)
	// Costs returns the estimated costs of the CEL rules of a definition, in the order of
	// their paths.
	Costs(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition) ([]unions.RuleCost, error)
	// Evaluator returns a function that evaluates CEL rules on objects of a schema. The
	// error is about a schema that is not structural.
	Evaluator(schema *apiextensionsv1.JSONSchemaProps, rules []string) (unions.Evaluate, error)
	// Before reports whether the server is older than Kubernetes 1.minor.
	Before(minor uint) bool
}
