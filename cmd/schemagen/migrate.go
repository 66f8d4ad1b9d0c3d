package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/internal/migrate"
)

// migrateCommand is the command that takes controller-gen's arguments behind --.
const migrateCommand = "migrate"

func newMigrateCommand(stdout, stderr io.Writer) *cobra.Command {
	o := migrate.Options{Version: toolVersion(), Consent: migrate.Consent{In: os.Stdin, Out: stderr}}
	cmd := &cobra.Command{
		Use:   migrateCommand + " [-- controller-gen arguments]",
		Short: "Say what changes if schemagen takes the place of controller-gen.",
		Long: `Run controller-gen and schemagen on a project, each on a copy of its own, and say which files are equal, what differs and why, what mistakes schemagen finds,
and which line of the Makefile to change.

The calls of controller-gen are those of the Makefile's recipes, or the one behind
--. Nothing is written but the copies, and the line of the Makefile with --write. A
controller-gen that the repository brings or its Makefile names runs only if you
agree: you are asked on a terminal, and say --yes elsewhere.`,
		Example: `  schemagen migrate
  schemagen migrate --write --with 'go tool -modfile=go.tool.mod schemagen'
  schemagen migrate -- rbac:roleName=manager-role crd webhook paths=./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			o.Dir = wd
			differs, err := migrate.Run(cmd.Context(), stdout, o, args)
			if err == nil && differs {
				return errFindings
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Makefile, "makefile", "", "Makefile to read (default: GNUmakefile, makefile or Makefile)")
	flags.StringVar(&o.Tool, "controller-gen", "", "controller-gen to compare with (default: the Makefile's, bin/controller-gen, that in PATH, go tool controller-gen)")
	flags.StringVar(&o.With, "with", "", "what the Makefile is to call (default: schemagen, installed by the Makefile if it installs controller-gen)")
	flags.BoolVar(&o.Write, "write", false, "change the line of the Makefile, if nothing differs")
	flags.BoolVar(&o.Consent.Given, "yes", false, "run programs that the repository brings or names")
	return cmd
}
