package typegen

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package.
var notExpressible = &diag.Kind{
	Code: "SG411", Title: "a definition cannot be written as Go types",
	Explanation: "schemagen types writes only Go types from which the same definition is generated. What neither Go types and markers nor +schemagen:schema can express is refused at its position.",
	Bad:         "$ schemagen types -f crd.yaml -o v2\n-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  ratio: {type: number}",
	Good:        "-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  ratio: {type: string}",
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind { return []*diag.Kind{notExpressible} }
