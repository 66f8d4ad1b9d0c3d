// Package config generates what markers in Go packages describe besides CRDs: roles from
// +kubebuilder:rbac markers, and configurations of webhooks from +kubebuilder:webhook and
// +kubebuilder:webhookconfiguration markers. The files equal those of controller-gen.
//
//	roles, diagnostics, err := config.Roles(ctx, generator.Source{Patterns: []string{"./..."}}, "manager-role")
//
// Problems in markers are diagnostics; if one of them is an error, there are no files. The error is
// for everything else, such as packages that cannot be listed.
//
// The package does not write files, nor compare the resources in markers with the kinds of the
// packages: the commands do that if they generate CRDs in the same run.
package config

import (
	"context"
	"errors"

	ctrbac "sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/companions/rbac"
	"github.com/schemagen/schemagen/internal/companions/webhook"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/source"
)

// File is a file of YAML documents.
type File struct {
	// Name is the base name, such as "role.yaml".
	Name string
	Data []byte
}

// Roles returns the ClusterRole, and the Roles of the namespaces that markers name, all of which
// have the given name.
func Roles(ctx context.Context, packages generator.Source, name string) ([]File, diag.List, error) {
	if name == "" {
		return nil, nil, errors.New("the name of the role is empty: use a name such as manager-role")
	}
	return run(ctx, packages, func(program *source.Program, roots []*source.Package) ([]source.Output, diag.List, error) {
		return rbac.Generate(ctx, program, roots, rbac.Options{Generator: ctrbac.Generator{RoleName: name}})
	})
}

// Webhooks returns the MutatingWebhookConfiguration and the ValidatingWebhookConfiguration.
func Webhooks(ctx context.Context, packages generator.Source) ([]File, diag.List, error) {
	return run(ctx, packages, func(program *source.Program, roots []*source.Package) ([]source.Output, diag.List, error) {
		return webhook.Generate(ctx, program, roots, webhook.Options{})
	})
}

// run calls generate with the packages of a source.
func run(ctx context.Context, packages generator.Source,
	generate func(*source.Program, []*source.Package) ([]source.Output, diag.List, error)) ([]File, diag.List, error) {
	read := define.Source{
		Dir: packages.Dir, Patterns: packages.Patterns, Tags: packages.Tags, GoCommand: packages.GoCommand, Overlay: packages.Overlay, ReadFile: packages.ReadFile,
	}
	if err := read.Check(); err != nil {
		return nil, nil, err
	}
	loaded, err := define.Load(ctx, define.Options{Source: read})
	if err != nil {
		return nil, nil, err
	}
	program, roots, reporter := loaded.Program()
	outputs, found, err := generate(program, roots)
	found = append(found, reporter.List...).Normalize()
	if err != nil || found.HasErrors() {
		return nil, found, err
	}
	var files []File
	for _, out := range outputs {
		files = append(files, File{Name: out.Name, Data: out.Data})
	}
	return files, found, ctx.Err()
}
