// Package erasure applies the conditions of +schemagen:when and +schemagen:doc to a parsed
// file, for one set of gates. Everything after it sees ordinary source: what does not exist
// under these gates is not in the syntax tree, and what does has no condition. Positions
// remain those in the file.
//
// It knows comments and declarations. It does not know what the markers mean, except for
// which of them replace each other (package markers).
//
// Package gatedsource finds the declarations and their conditions; this package decides and reports.
//
// lines.go decides what becomes of the markers of a declaration, and openshift.go takes
// OpenShift's markers for conditions. Files without conditions, and those of other modules, are
// left alone.
package erasure
