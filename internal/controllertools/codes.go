package controllertools

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package.
var generatorComplains = &diag.Kind{
	Code: "SG901", Title: "an error of a generator of controller-tools",
	Explanation: "The message is that of the generator: object, rbac and webhook are part of controller-tools, applyconfiguration is part of code-generator. No generator of the run writes any file.",
}

// Codes returns the kinds of diagnostics that this package reports, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{generatorComplains} }
