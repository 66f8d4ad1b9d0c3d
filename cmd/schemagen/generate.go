package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/internal/project"
)

func newGenerateCommand(stdout, stderr io.Writer) *cobra.Command {
	inv := generation.Invocation{Of: project.OfGenerate, Native: true}
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate everything that the project has.",
		Long: `Generate everything that the project has: CRDs, roles, webhook configurations, DeepCopy
methods, apply configurations, functions of unions, conversions, and documents.

` + project.Name + ` lists the generators, the packages and the outputs. Without it, a Kubebuilder
project has those of its scaffold, and any other module CRDs of the packages in api
or apis. The command works in every directory of the project, and go generate can
run it. All files are written, or none if there is an error; files that schemagen
wrote and that are no longer needed are removed.`,
		Example: `  schemagen generate
  schemagen generate --check
  schemagen generate --only crd,rbac`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			inv.Command = cmd
			return inv.RunProject(cmd.Context(), stdout, stderr)
		},
	}
	inv.Given = cmd.Flags()
	inv.AddFlags(cmd)
	inv.AddFixFlag(cmd)
	cmd.Flags().BoolVar(&inv.Watch, "watch", false, "run again whenever an input changes, until interrupted")
	cmd.MarkFlagsMutuallyExclusive("fix", "watch")
	cmd.Flags().StringSlice("only", nil, "run only these generators: crd, rbac, webhook, object, unions, docs, …")
	new(generation.Values).AddSettings(cmd, project.OfGenerate)
	return cmd
}
