// Command unions clears the union members that an update deselects, and validates the rest.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/unions"
	"github.com/schemagen/schemagen/verify"
)

func main() {
	target, err := verify.NewTarget("1.35")
	if err != nil {
		log.Fatal(err)
	}
	result, diagnostics, err := generator.Run(context.Background(), generator.Options{
		Source: generator.Source{Patterns: []string{"./source"}},
		Server: verify.New(target, verify.Options{}),
	})
	if err != nil || diagnostics.HasErrors() {
		log.Fatal(diagnostics, err)
	}
	schema := result.CRDs()[0].Schema("v1")
	stored := map[string]any{"type": "Git", "git": "https://example.com/repo"}
	update := map[string]any{"type": "OCI", "git": "https://example.com/repo", "oci": "example.com/image"}
	fmt.Println(unions.Normalize(schema, stored, update), update)
	fmt.Println(unions.Validate(schema, stored, update).ToAggregate())
	fmt.Println(unions.Validate(schema, nil, map[string]any{"type": "OCI"}).ToAggregate())
}
