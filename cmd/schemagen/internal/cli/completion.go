package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/internal/ground/words"
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
		cmd.Use = "completion SHELL"
		cmd.Short = "Print the completion script for a shell."
		cmd.Example = "  source <(schemagen completion bash)"
		one := "one of " + strings.Join(shells, ", ")
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return UsageError(cmd, "completion needs a shell: %s", one)
			}
			return fmt.Errorf("unknown shell %q\n%s", args[0], words.DidYouMean(args[0], shells, "use "+one))
		}
	}
}

// CompleteFrom completes values; in a list, only values that it does not contain yet.
func CompleteFrom(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		old := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []string
		for _, value := range values {
			if !slices.Contains(strings.Split(old, ","), value) && strings.HasPrefix(value, typed[len(old):]) {
				out = append(out, old+value)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
