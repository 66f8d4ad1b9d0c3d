package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/migrate"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// newInitCommand writes schemagen.yaml. It never changes one that exists.
func newInitCommand(stdout, stderr io.Writer) *cobra.Command {
	agreed := consent.Consent{In: os.Stdin, Out: stderr}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a " + project.Name + " from what the project has.",
		Long: `Write a ` + project.Name + ` with the settings of the project: the packages of a
Kubebuilder project, and what its Makefile passes to controller-gen. Other frequent
settings are comments.

Where the Makefile has variables, make expands them in a copy of the project. This
needs your consent: you are asked on a terminal, and pass --yes elsewhere.`,
		Example: "  schemagen init",
		Args:    cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Lstat(project.Name); err == nil {
				return fmt.Errorf("%s exists\nschemagen config prints its settings", project.Name)
			}
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			values, problems, note, err := migrate.AskedSettings(cmd.Context(), wd, agreed)
			if err != nil {
				return err
			}
			text, err := project.NewFile(values, (*project.File)(nil).Output(nil, wd))
			if err != nil {
				return err
			}
			writer := output.Writer{Root: output.RootOf(wd)}
			if _, err := writer.Commit(cmd.Context(), []output.File{{Path: project.Name, Data: text}}, output.Write,
				stdout); err != nil {
				return err
			}
			for _, problem := range problems {
				fmt.Fprintf(stderr, "schemagen: skipped %s\n", screen.Line(problem))
			}
			if note != "" {
				fmt.Fprintf(stderr, "schemagen: %s\n", strings.ReplaceAll(note, "\n", "\n\t"))
			}
			_, err = fmt.Fprintf(stdout, "wrote %s; schemagen config prints all settings\n", project.Name)
			return err
		},
	}
	cmd.Flags().BoolVar(&agreed.Given, "yes", false, "run make in a copy of the project without asking, where the Makefile has variables")
	return cmd
}
