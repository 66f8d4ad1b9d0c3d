package dryrun_test

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/verify"
)

const widgetCRD = `apiVersion: apiextensions.k8s.io/v1
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
          spec:
            type: object
            properties:
              color: {type: string}
              size: {type: integer, minimum: 1, default: 3}
`

func Example() {
	definitions, findings := verify.Read(crd.File{Name: "crd.yaml", Data: []byte(widgetCRD)})
	if findings.HasErrors() {
		log.Fatal(findings)
	}
	objects, findings := dryrun.ReadObjects(crd.File{Name: "widget.yaml", Data: []byte(`apiVersion: example.com/v1
kind: Widget
metadata:
  name: example
spec:
  colour: red
`)})
	if findings.HasErrors() {
		log.Fatal(findings)
	}
	trial := dryrun.New(definitions...)
	for _, object := range objects {
		result, err := trial.Try(context.Background(), object)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(object.Kind, object.Name, "is", result.Action)
		for _, d := range result.Findings {
			fmt.Printf("%s: %s: %s\n", d.Pos, d.Severity, d.Message)
		}
		stored, err := result.StoredYAML()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s", stored)
	}
	// Output:
	// Widget example is created
	// widget.yaml:6:3: warning: spec.colour is dropped: it is not in the schema
	// widget.yaml:5:1: note: spec.size gets its default 3
	// apiVersion: example.com/v1
	// kind: Widget
	// metadata:
	//   name: example
	// spec:
	//   size: 3
}

func ExampleTrial_ReadSuite() {
	definitions, _ := verify.Read(crd.File{Name: "crd.yaml", Data: []byte(widgetCRD)})
	cases, findings := dryrun.New(definitions...).ReadSuite("widget.testsuite.yaml", []byte(`name: Widget
crdName: widgets.example.com
tests:
  onCreate:
  - name: Should not be too small
    initial: |
      apiVersion: example.com/v1
      kind: Widget
      spec: {size: 0}
    expectedError: should be greater than or equal to 1
`))
	if findings.HasErrors() {
		log.Fatal(findings)
	}
	for _, c := range cases {
		failure, err := c.Run(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Name, failure == nil)
	}
	// Output: Widget/onCreate/Should not be too small true
}
