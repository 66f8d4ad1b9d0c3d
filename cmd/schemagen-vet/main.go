// Command schemagen-vet checks API types for go vet:
//
//	go vet -vettool=$(which schemagen-vet) ./...
//
// It runs the analyzer of package analyzer. It has the analyzer's flags, such as -rules=review.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/schemagen/schemagen/analyzer"
)

func main() { unitchecker.Main(analyzer.Analyzer) }
