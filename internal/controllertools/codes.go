package controllertools

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package.
var generatorComplains = &diag.Kind{
	Code: "SG901", Title: "a complaint of a generator of controller-tools",
	Explanation: "object, rbac and webhook are controller-tools' own generators, applyconfiguration is Kubernetes' (code-generator), and so are their messages. Nothing is written by any generator of the run.",
}

// Codes are the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{generatorComplains} }
