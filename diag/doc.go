// Package diag is a diagnostic about the user's source and a list of them, with
// their renderings.
//
// What the diagnostics of one code have in common is a [Kind]: code, default
// severity, title, explanation, examples. A package that reports declares each of
// its kinds once, in its codes.go, in the order of their numbers, and lists them
// in its function Codes, which the command joins:
//
//	var floatField = &diag.Kind{Code: "SG203", Title: "a floating-point field", …}
//
// A [Diagnostic] is made from its kind, [Kind.At] a position, with the kind's
// severity; [Diagnostic.As] gives it another one. It is plain data with the code as a
// string, so that it can be kept and read back: a position and where it ends, a
// message, a hint, related positions, and fixes.
//
// The package knows how diagnostics are ordered, deduplicated and printed. It does
// not know which kinds there are.
package diag
