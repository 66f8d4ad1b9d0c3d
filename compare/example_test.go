package compare_test

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
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
          size: {type: integer%s}
`

func Example() {
	before, err := crd.Parse("old.yaml", fmt.Appendf(nil, widgetCRD, ""))
	if err != nil {
		log.Fatal(err)
	}
	after, err := crd.Parse("new.yaml", fmt.Appendf(nil, widgetCRD, ", maximum: 10"))
	if err != nil {
		log.Fatal(err)
	}
	target, err := verify.NewTarget("1.35")
	if err != nil {
		log.Fatal(err)
	}
	changes, err := compare.Definitions(context.Background(), target, before, after)
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range changes {
		fmt.Println(change)
		fmt.Println(change.Category == compare.BreaksClients, change.NewPos)
	}
	// Output:
	// breaks clients: widgets.example.com v1 .size: maximum-added (10): numbers above 10 are rejected; stored values are accepted as long as they do not change
	// true new.yaml:16:33
}
