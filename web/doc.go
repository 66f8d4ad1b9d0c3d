// Package web holds the tests of what people look at: JSON Schemas in a validator
// and in an editor's language server, and the page of documentation in a browser.
//
//   - schema_test.go holds the schemas beside the API server's own answers, over
//     objects that random_test.go makes; kubeconform_test.go has kubeconform find them.
//   - editor_test.go drives yaml-language-server over its protocol (lsp_test.go).
//   - page_test.go drives a headless browser (browser_test.go).
package web
