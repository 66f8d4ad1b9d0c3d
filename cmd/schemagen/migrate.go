package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/migrate"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// migrateCommand is the command that accepts controller-gen's arguments after --.
const migrateCommand = "migrate"

func newMigrateCommand(stdout, stderr io.Writer) *cobra.Command {
	o := migrate.Options{Version: cli.ToolVersion(), Consent: consent.Consent{In: os.Stdin, Out: stderr}}
	cmd := &cobra.Command{
		Use:   migrateCommand + " [-- controller-gen arguments]",
		Short: "Compare the output of schemagen with that of controller-gen.",
		Long: `Run controller-gen and schemagen, each on a copy of the project. Report which files
are equal, which differ and why, the mistakes that schemagen finds, and the lines of
the Makefile to change.

The command lines are those in the Makefile's recipes, which make expands in a copy of
the project, or the arguments after --. The project is not changed; with --write, the
Makefile is. make and programs from the repository run only with your consent: you are
asked on a terminal, and pass --yes elsewhere.`,
		Example: `  schemagen migrate --yes
  schemagen migrate --yes --write --with 'go tool -modfile=go.tool.mod schemagen'
  schemagen migrate -- rbac:roleName=manager-role crd webhook paths=./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			o.Dir = wd
			differs, err := migrate.Run(cmd.Context(), stdout, o, args)
			if err == nil && differs {
				return reporting.ErrFindings
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Makefile, "makefile", "", "read this Makefile (default: GNUmakefile, makefile or Makefile)")
	flags.StringVar(&o.Tool, "controller-gen", "", "compare with this controller-gen (default: the one that the Makefile calls, in the version that it installs)")
	flags.StringVar(&o.With, "with", "", "use this command in the Makefile (default: schemagen, installed by the Makefile if it installs controller-gen)")
	flags.BoolVar(&o.Write, "write", false, "change the Makefile if all files are equal, but for the version of controller-gen")
	flags.BoolVar(&o.Consent.Given, "yes", false, "run make and programs from the repository without asking")
	return cmd
}
