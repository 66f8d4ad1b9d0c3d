package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/diag"
)

// AddCompletionCommand adds cobra's command that prints completion scripts. Unlike cobra's, it
// fails for an unknown shell, whose script a redirection would otherwise replace with help.
func AddCompletionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		var shells []string
		for _, shell := range cmd.Commands() {
			shells = append(shells, shell.Name())
		}
		cmd.Use, cmd.Short = "completion SHELL", "Print the completion script for a shell."
		cmd.Example = "  source <(schemagen completion bash)"
		one := "one of " + strings.Join(shells, ", ")
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return UsageError(cmd, "completion needs a shell: %s", one)
			}
			return fmt.Errorf("unknown shell %q\n%s", args[0], diag.DidYouMean(args[0], shells, "use "+one))
		}
	}
}
