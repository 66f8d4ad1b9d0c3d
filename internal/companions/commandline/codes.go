package commandline

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package.
var generatorError = &diag.Kind{
	Code: "SG901", Title: "an error of controller-gen's or Kubernetes' own generator",
	Explanation: "The message is that of code-generator, which generates apply configurations, or of controller-gen's own code, which runs where schemagen config says so. No generator of the run writes any file.",
	Bad: `
$ schemagen applyconfiguration:externalApplyConfigurations=corev1.PodSpec paths=./...
-- v1/types.go --
// +kubebuilder:ac:generate=true
// +groupName=example.com
package v1

type Spec struct {
	Name string ´json:"name"´
}`,
	Good: "$ schemagen applyconfiguration:externalApplyConfigurations=k8s.io/api/core/v1.PodSpec@k8s.io/client-go/applyconfigurations/core/v1 paths=./...",
}

// Codes returns the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{generatorError} }
