// Command verify asks the API server's code about a CRD that exists only in memory.
package main

import (
	"context"
	"fmt"
	"log"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/verify"
)

func main() {
	schema := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"spec": {Type: "string", Pattern: "("},
	}}
	definition, err := crd.New(&apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema},
			}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	target, err := verify.NewTarget("1.35")
	if err != nil {
		log.Fatal(err)
	}
	diagnostics, err := verify.New(target, verify.Options{}).Check(context.Background(), []*crd.Definition{definition})
	fmt.Println(diagnostics, err)
}
