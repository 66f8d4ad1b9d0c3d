package main

import (
	"cmp"
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
			_, err := io.WriteString(stdout, cli.VersionText(toolName, cli.BuildInfo()))
			return err
		},
	}
}

// toolName is the name of this tool in versions.
const toolName = "schemagen"

// toolVersion returns the name and version of this binary.
func toolVersion() string { return toolName + "-" + cmp.Or(cli.Version(cli.BuildInfo()), "devel") }

// stampedVersion returns the name and version of this binary as written into the version
// annotation of generated files. A build of an unknown version has only its name there, so that
// the files of two such builds are equal.
func stampedVersion() string {
	if version := cli.Version(cli.BuildInfo()); version != "" {
		return toolName + "-" + version
	}
	return toolName
}
