// Command config prints the role and the webhooks that the markers of a package describe.
//
// +kubebuilder:rbac:groups=example.com,resources=widgets,verbs=get;list;watch
// +kubebuilder:webhook:path=/validate-example-com-v1-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=widgets,verbs=create;update,versions=v1,name=widgets.example.com,admissionReviewVersions=v1
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/config"
)

func main() {
	source := generator.Source{Patterns: []string{"./config"}}
	roles, diagnostics, err := config.Roles(context.Background(), source, "widget-manager")
	if err != nil || diagnostics.HasErrors() {
		log.Fatal(diagnostics, err)
	}
	webhooks, diagnostics, err := config.Webhooks(context.Background(), source)
	if err != nil || diagnostics.HasErrors() {
		log.Fatal(diagnostics, err)
	}
	for _, file := range append(roles, webhooks...) {
		fmt.Printf("%s:\n%s", file.Name, file.Data)
	}
}
