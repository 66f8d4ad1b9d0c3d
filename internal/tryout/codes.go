package tryout

import "github.com/schemagen/schemagen/diag"

// noCases is reported by [Suites.All].
var noCases = &diag.Kind{
	Code: "SG520", Severity: diag.Warning, Title: "no test case has run",
	Explanation: "A suite without cases, or an expression for --run that matches none, tests nothing. It is an error if no case of the run has run.",
	Bad:         "$ schemagen test widget.testsuite.yaml --crd crd.yaml\n-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\n-- widget.testsuite.yaml --\nname: Widget\ncrdName: widgets.example.com\ntests: {}",
	Good:        "-- widget.testsuite.yaml --\nname: Widget\ncrdName: widgets.example.com\ntests:\n  onCreate:\n  - name: an empty object\n    initial: |\n      apiVersion: example.com/v1\n      kind: Widget\n    expected: |\n      apiVersion: example.com/v1\n      kind: Widget",
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind { return []*diag.Kind{noCases} }
