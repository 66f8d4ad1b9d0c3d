package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/project"
)

func newCRDCommand(stdout, stderr io.Writer) *cobra.Command {
	inv := generation.Invocation{Of: project.OfCRD, Native: true}
	cmd := &cobra.Command{
		Use:   "crd [packages]",
		Short: "Generate the CRDs of the kinds in Go packages.",
		Long: `Generate the CustomResourceDefinitions of the kinds declared in Go packages.

Packages are patterns as for the go command: ./..., a directory, or an import path.
A file-system pattern that ends in /... also matches packages in nested modules.
The default is paths in schemagen.yaml, the API packages of a Kubebuilder project, or
the package in the working directory. If there is an error, no file is written.`,
		Example: `  schemagen crd ./api/... -o config/crd/bases
  schemagen crd ./api/... -o config/crd/bases --check`,
		Args: reporting.PackageArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			inv.Command = cmd
			inv.Request.Patterns = args
			return inv.Run(cmd.Context(), stdout, stderr)
		},
	}
	inv.Given = cmd.Flags()
	inv.AddFlags(cmd)
	inv.AddFixFlag(cmd)
	cmd.Flags().BoolVar(&inv.Watch, "watch", false, "run again whenever an input changes, until interrupted")
	cmd.MarkFlagsMutuallyExclusive("fix", "watch")
	cmd.Flags().StringSliceVar(&inv.Request.Kinds, "kinds", nil, "generate only these kinds: Kind or Kind.group")
	cmd.Flags().StringSliceVar(&inv.Request.Groups, "groups", nil, "generate only the kinds in these groups")
	new(generation.Values).AddSettings(cmd, project.OfCRD)
	cli.GroupFlags(cmd, crdFlagGroups()...)
	return cmd
}

// crdFlagGroups returns the groups of the flags in the help of crd and config. Flags that most
// projects use have none.
func crdFlagGroups() []cli.FlagGroup {
	flags := map[string][]string{"Packages and kinds": {"kinds", "groups"}, "Findings": {"format"}}
	for _, s := range project.FlagsOf(project.OfCRD) {
		flags[s.Group] = append(flags[s.Group], s.Flag)
	}
	var out []cli.FlagGroup
	for _, title := range project.Groups() {
		out = append(out, cli.FlagGroup{Title: title, Flags: flags[title]})
	}
	return out
}
