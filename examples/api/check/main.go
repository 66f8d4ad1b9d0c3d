// Command check reports strings without a maximum length, with their lines in Go.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
)

var unbounded = &diag.Kind{Code: "ACME001", Severity: diag.Warning, Title: "a string without a maximum length"}

func main() {
	result, diagnostics, err := generator.Run(context.Background(), generator.Options{
		Source: generator.Source{Patterns: []string{"./widget"}},
	})
	if err != nil || diagnostics.HasErrors() {
		log.Fatal(diagnostics, err)
	}
	for _, crd := range result.CRDs() {
		for path, node := range crd.Definition().Nodes() {
			if strings.Contains(path, "[spec]") && node.Type == "string" && node.Validation().MaxLength == nil {
				fmt.Println(unbounded.At(crd.Position(path), "", "%s has no maximum length", path))
			}
		}
	}
}
