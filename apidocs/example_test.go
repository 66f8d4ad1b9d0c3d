package apidocs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/apidocs"
	"github.com/schemagen/schemagen/crd"
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
          size: {type: integer, maximum: 10, description: Size is the number of parts.}
`))
	if err != nil {
		log.Fatal(err)
	}
	files, err := apidocs.Markdown(context.Background(), definitions, apidocs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(files[0].Path)
	page, err := apidocs.HTML(context.Background(), definitions, apidocs.Options{Title: "Widgets"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page) > 10_000)
	// Output:
	// example.com.md
	// true
}
