package tryout

import "github.com/schemagen/schemagen/diag"

// noCases is reported by [Suites.All].
var noCases = &diag.Kind{
	Code: "SG520", Severity: diag.Warning, Title: "no test case has run",
	Explanation: "A suite without cases, or an expression for --run that matches none, tests nothing. It is an error if no case of the run has run.",
	Bad: `
$ schemagen test crd.yaml -f widget.testsuite.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
-- widget.testsuite.yaml --
name: Widget
crdName: widgets.example.com
tests: {}`,
	Good: `
-- widget.testsuite.yaml --
name: Widget
crdName: widgets.example.com
tests:
  onCreate:
  - name: an empty object
    initial: |
      apiVersion: example.com/v1
      kind: Widget
    expected: |
      apiVersion: example.com/v1
      kind: Widget`,
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind { return []*diag.Kind{noCases} }
