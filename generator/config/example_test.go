package config_test

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/config"
)

func Example() {
	source := generator.Source{Patterns: []string{"./testdata/manager"}}
	files, diagnostics, err := config.Roles(context.Background(), source, "manager-role")
	if err != nil || diagnostics.HasErrors() {
		log.Fatal(diagnostics, err)
	}
	for _, file := range files {
		fmt.Printf("%s:\n%s", file.Name, file.Data)
	}
	// Output:
	// role.yaml:
	// ---
	// apiVersion: rbac.authorization.k8s.io/v1
	// kind: ClusterRole
	// metadata:
	//   name: manager-role
	// rules:
	// - apiGroups:
	//   - apps
	//   resources:
	//   - deployments
	//   verbs:
	//   - get
}
