package main

import (
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/migrate/kubebuilder"
	"github.com/schemagen/schemagen/internal/terminal"
)

// newKubebuilderPluginCommand is the plugin of Kubebuilder, which runs it for every command.
func newKubebuilderPluginCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	install := false
	cmd := &cobra.Command{
		Use:    "kubebuilder-plugin --install",
		Hidden: true, // Kubebuilder runs it
		Short:  "Install a Kubebuilder plugin for new and existing projects.",
		Long: `Install the Kubebuilder plugin ` + kubebuilder.Name + `/` + kubebuilder.Version + `, after which a project uses schemagen:
the Makefile installs and calls it, and there are a schemagen.yaml, a workflow of
GitHub, and a configuration of pre-commit. Files that exist are not replaced.

Without --install, answer one request of Kubebuilder, as the plugin does.`,
		Example: `  schemagen kubebuilder-plugin --install
  kubebuilder edit --plugins ` + kubebuilder.Name + `/` + kubebuilder.Version,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if install {
				return kubebuilder.InstallFor(cmd.Context(), runtime.GOOS, stdout, stderr)
			}
			if terminal.IsTerminal(stdin) {
				return cli.UsageError(cmd, "Kubebuilder runs kubebuilder-plugin and writes a request to its standard input, which is a terminal here: "+
					"install the plugin with --install, then run kubebuilder edit --plugins %s/%s", kubebuilder.Name, kubebuilder.Version)
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			return kubebuilder.Serve(stdin, screen.Documents(stdout), stderr,
				kubebuilder.Options{Dir: dir, Version: cli.ToolVersion()})
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "write the plugin to Kubebuilder's directory of plugins")
	return cmd
}
