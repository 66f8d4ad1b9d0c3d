package reference

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/markers"
)

func markersFormats() []string { return []string{"text", "json", "markdown"} }

// NewMarkersCommand returns the command that prints the markers.
func NewMarkersCommand(stdout io.Writer) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "markers [prefix]",
		Short: "Print the marker reference, with an example of each marker.",
		Long: `Print the marker reference, with an example of each marker and the schema it
produces.

Without a prefix, list all markers. With a prefix, print the markers whose name, or a
part of it after a colon, begins with the prefix.`,
		Example: `  schemagen markers
  schemagen markers MaxLength
  schemagen markers +schemagen:at
  schemagen markers --format json`,
		Args: cli.Args(0, 1, ""),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			reference, _ := markers.New()
			return reference.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(markersFormats(), format) {
				return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(markersFormats(), ", "))
			}
			reference, err := markers.New()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				reference, err = reference.Select(args[0])
				if err != nil {
					return err
				}
			}
			switch {
			case format == "json":
				text, err := plainjson.Indented(reference, "", "  ")
				if err != nil {
					return err
				}
				_, err = stdout.Write(append(text, '\n'))
				return err
			case format == "markdown":
				return reference.WriteMarkdown(stdout)
			case len(args) == 0:
				return reference.WriteList(stdout)
			}
			return reference.WriteText(stdout)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "output format: "+strings.Join(markersFormats(), ", "))
	return cmd
}
