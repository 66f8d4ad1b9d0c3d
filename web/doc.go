// Package web tests the output that is used in other programs: JSON Schemas in a validator
// and in an editor's language server, and the documentation page in a browser.
//
//   - schema_test.go compares the schemas with the API server's code, for objects generated in
//     random_test.go; in kubeconform_test.go, kubeconform finds the schemas.
//   - editor_test.go runs yaml-language-server over its protocol (lsp_test.go).
//   - terminal_test.go draws what terminals show (make pictures).
//   - page_test.go runs a headless browser (browser_test.go).
//   - playground_test.go uses the playground of the book; package playground is what computes there.
package web
