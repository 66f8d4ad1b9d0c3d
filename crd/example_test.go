package crd_test

import (
	"fmt"
	"log"

	"github.com/schemagen/schemagen/crd"
)

const widgetCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
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
          size: {type: integer}
`

func Example() {
	definitions, err := crd.Parse("crd.yaml", []byte(widgetCRD))
	if err != nil {
		log.Fatal(err)
	}
	object, err := definitions[0].Object()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(object.Kind, object.Name)
	for path, node := range definitions[0].Nodes() {
		position, _ := definitions[0].Position(path)
		fmt.Println(position, node.Type, path)
	}
	// Output:
	// CustomResourceDefinition widgets.example.com
	// crd.yaml:14:7 object spec.versions[0].schema.openAPIV3Schema
	// crd.yaml:17:11 integer spec.versions[0].schema.openAPIV3Schema.properties[size]
}
