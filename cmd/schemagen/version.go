package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
)

func newVersionCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, commit and date.",
		Args:  cli.Args(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(stdout, cli.VersionText(cli.ToolName, cli.BuildInfo()))
			return err
		},
	}
}
