package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/publish"
)

// completions returns the values of a command's flags that a shell can complete. Flags
// with the same name may have different values in different commands.
func completions(command string) map[string][]string {
	formats := map[string][]string{"explain": publish.Formats(), "docs": docsFormats(), "config": configFormats()}
	out := map[string][]string{
		"format":       diag.Formats(),
		"enable":       markers.Features(),
		"unions":       {"cel", "oneOf", "none"},
		"lister":       {"auto", "go"},
		"kube-version": apiserver.Versions(),
		"draft":        publish.Drafts(),
		"published":    {"v2", "v3"},
		"pruning":      {"server", "proposal"},
	}
	if of, ok := formats[command]; ok {
		out["format"] = of
	}
	if command == "try" {
		out["output"] = []string{"diff", "yaml", "none"}
	}
	return out
}

// addCompletions adds completion of flags to all commands: values, files or directories.
func addCompletions(root *cobra.Command) {
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
	_ = root.RegisterFlagCompletionFunc("color", cli.CompleteFrom(terminal.Modes())) // the flag is there
	for _, cmd := range root.Commands() {
		values := completions(cmd.Name())
		for _, flag := range []string{"format", "enable", "unions", "lister", "kube-version", "draft", "published", "pruning", "output"} {
			if cmd.Flags().Lookup(flag) != nil && values[flag] != nil {
				_ = cmd.RegisterFlagCompletionFunc(flag, cli.CompleteFrom(values[flag])) // the flag is there
			}
		}
		if cmd.Flags().Lookup("channel") != nil {
			_ = cmd.RegisterFlagCompletionFunc("channel", completeChannels) // the flag is there
		}
		for _, flag := range []string{"output", "policy", "cache-dir"} {
			if cmd.Flags().Lookup(flag) != nil && values[flag] == nil {
				_ = cmd.MarkFlagDirname(flag)
			}
		}
	}
}

// completeChannels completes the channels of the project file.
func completeChannels(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if dir, err := os.Getwd(); err == nil {
		file, _, _ := readConfig(cmd, nil, dir)
		for _, channel := range file.Channels(dir) {
			names = append(names, channel.Name)
		}
	}
	return cli.CompleteFrom(names)(cmd, args, typed)
}
