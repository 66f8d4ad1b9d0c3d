package verify_test

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/verify"
)

func Example() {
	definitions, err := crd.Parse("crd.yaml", []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          text: {type: string, pattern: "("}
`))
	if err != nil {
		log.Fatal(err)
	}
	target, err := verify.NewTarget("1.35")
	if err != nil {
		log.Fatal(err)
	}
	diagnostics, err := verify.New(target, verify.Options{}).Check(context.Background(), definitions)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range diagnostics {
		fmt.Println(d)
	}
	// Output:
	// crd.yaml:16:32: error[SG601]: spec.validation.openAPIV3Schema.properties[text].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`
}
