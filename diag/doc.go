// Package diag defines diagnostics about the user's source, lists of them, and their output
// formats.
//
// A [Kind] holds what all diagnostics with the same code share: code, default severity,
// title, explanation, examples. A package that reports diagnostics declares each of its kinds
// once, in the order of their codes, and returns them from its function Codes; the command joins
// these lists:
//
//	var floatField = &diag.Kind{Code: "SG203", Title: "a floating-point field", …}
//
// A [Diagnostic] is created with [Kind.At] and has the severity of its kind; [Diagnostic.As]
// changes it. It is plain data with the code as a string, so that it can be stored and read
// back: start and end position, message, hint, related positions, and fixes.
//
// The package knows how diagnostics are sorted, deduplicated and printed. It does not know
// which kinds exist.
//
// Read the files in this order:
//
//   - diag.go: severities, positions, diagnostics and lists
//   - kind.go: kinds
//   - format.go: output for programs: text, JSON, SARIF, GitHub
//   - fold.go, since.go: equal findings, and findings that an earlier version of the source has as well
package diag
