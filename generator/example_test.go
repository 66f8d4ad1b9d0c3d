package generator_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"

	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/verify"
)

func Example() {
	target, err := verify.NewTarget("1.35")
	if err != nil {
		log.Fatal(err)
	}
	result, diagnostics, err := generator.Run(context.Background(), generator.Options{
		Source: generator.Source{Patterns: []string{"./testdata/example"}},
		Server: verify.New(target, verify.Options{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range diagnostics {
		fmt.Println(d)
	}
	for _, crd := range result.CRDs() {
		fmt.Println(crd.FileName(), len(crd.YAML()) > 0)
		fmt.Println(crd.Schema("v1").Description)
		pos := crd.Position("spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].minimum")
		fmt.Println(filepath.Base(pos.File), pos.Line, pos.Column)
	}
	// Output:
	// example.com_widgets.yaml true
	// Widget is a kind.
	// types.go 17 5
}
