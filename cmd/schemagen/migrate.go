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
		Use:   migrateCommand + " [-- command, or controller-gen arguments]",
		Short: "Compare the output of schemagen with that of controller-gen.",
		Long: `Run controller-gen and schemagen, each on a copy of the project. Report which files
are equal, which differ and why, the mistakes that schemagen finds, and the lines of
the Makefile to change.

The calls of controller-gen are recorded in a dry run of the Makefile, or of the
command after --, in a copy of the project: programs that are not plain text tools do
nothing. With --write, files change once further dry runs prove that the project then
calls schemagen alike. Programs run only with your consent: you are asked on a
terminal, and pass --yes elsewhere.`,
		Example: `  schemagen migrate --yes
  schemagen migrate --yes --write --pin v1.0.0 -- make manifests
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
	flags.StringVar(&o.Makefile, "makefile", "", "run this Makefile (default: GNUmakefile, makefile or Makefile)")
	flags.StringVar(&o.Tool, "controller-gen", "", "compare with this controller-gen (default: one of the version that the project installs)")
	flags.StringVar(&o.With, "with", "", "call this command in place of controller-gen (default: schemagen, installed as controller-gen is)")
	flags.StringVar(&o.Pin, "pin", "", "install this version of schemagen (default: the one that runs, if it is a release)")
	flags.BoolVar(&o.Write, "write", false, "change the Makefile and scripts if all files are equal, but for the version of controller-gen")
	flags.BoolVar(&o.Consent.Given, "yes", false, "run the commands and programs of the repository without asking")
	return cmd
}
