// Package analyzer reports what schemagen crd finds about one package, as an analyzer of
// golang.org/x/tools/go/analysis: in go vet, in golangci-lint, and in other programs that run
// such analyzers, with the same codes, positions and fixes.
//
//	[Analyzer]  runs package generator on the package of a pass, without an API server
//	unit        the files of a pass, and the places of findings in them (unit.go)
//	[Left]      the codes that are left to schemagen crd, because they need more than a package
//
// A pass is a package by itself: what depends on several, or on the API server's code, which is
// not linked, is not reported. Settings are the analyzer's flags; schemagen.yaml
// is not read.
package analyzer
