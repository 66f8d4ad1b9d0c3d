package apidocs

import "github.com/schemagen/schemagen/diag"

var failedTemplate = &diag.Kind{
	Code: "SG513", Title: "a template that fails",
	Explanation: "A template of schemagen docs --template is not one of Go's package text/template, or it asks for data or functions that templates do not have. docs/editor.md describes what they have. Nothing is written.",
	Bad: `
$ schemagen docs crd.yaml -o - --template kinds.txt.tmpl
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
-- kinds.txt.tmpl --
{{range .Groups}}
{{.Kind}}
{{end}}`,
	Good: `
-- kinds.txt.tmpl --
{{range .Groups}}
{{.Name}}
{{end}}`,
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind { return []*diag.Kind{failedTemplate} }
