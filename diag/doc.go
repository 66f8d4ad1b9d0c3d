// Package diag is a diagnostic about the user's source and a list of them: a
// code, a severity, a position, related places, and a hint, with their
// renderings.
//
// It knows how a diagnostic is ordered, deduplicated and printed. It does not
// know what the codes mean: each package that reports has a table of its own
// ([CodeInfo]), and the command line joins them.
package diag
