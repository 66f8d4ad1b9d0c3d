// Command crds prints the CRDs of a package, complete as envtest installs them.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/verify"
)

func main() {
	target, err := verify.NewTarget("1.35")
	if err != nil {
		log.Fatal(err)
	}
	result, diagnostics, err := generator.Run(context.Background(), generator.Options{
		Source: generator.Source{Patterns: []string{"./widget"}},
		Server: verify.New(target, verify.Options{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range diagnostics {
		fmt.Println(d)
	}
	for _, crd := range result.CRDs() {
		object := crd.Object() // for envtest.InstallCRDs, or a client's Create
		schema := object.Spec.Versions[0].Schema.OpenAPIV3Schema
		fmt.Println(crd.FileName(), object.Kind, object.Name, schema.Properties["spec"].Required)
	}
}
