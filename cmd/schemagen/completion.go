package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/pages/apidocs"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/publish"
)

// completions returns the values of a command's flags that a shell can complete. Flags
// with the same name may have different values in different commands.
func completions(command string) map[string][]string {
	formats := map[string][]string{"diff": diffFormats(), "explain": explain.Formats(), "docs": apidocs.Formats(), "config": configFormats()}
	out := map[string][]string{
		"format":        diag.Formats(),
		"enable":        markers.Features(),
		"unions":        {"cel", "oneOf", "none"},
		"kube-version":  apiserver.Versions(),
		"draft":         publish.Drafts(),
		"published":     {"v2", "v3"},
		"pruning":       {"server", "proposal"},
	}
	if choices, ok := formats[command]; ok {
		out["format"] = choices
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
	_ = root.RegisterFlagCompletionFunc("set", cli.CompleteFrom(project.Keys()))     // the flag is there
	commands := root.Commands()
	for _, cmd := range root.Commands() {
		commands = append(commands, cmd.Commands()...)
		for _, child := range cmd.Commands() {
			switch child.CommandPath() {
			case "schemagen gates promote", "schemagen gates graduate", "schemagen gates retire":
				child.ValidArgsFunction = fromProject(gateNames)
			case "schemagen gates switch":
				child.ValidArgsFunction = fromProject(channelNames)
			}
		}
	}
	for _, cmd := range commands {
		values := completions(cmd.Name())
		for flag, choices := range values {
			if cmd.Flags().Lookup(flag) != nil {
				_ = cmd.RegisterFlagCompletionFunc(flag, cli.CompleteFrom(choices)) // the flag is there
			}
		}
		for flag, names := range map[string]func(*project.File) []string{
			"channel": channelNames, "into": channelNames, "gate": gateNames,
		} {
			if cmd.Flags().Lookup(flag) != nil {
				_ = cmd.RegisterFlagCompletionFunc(flag, fromProject(names)) // the flag is there
			}
		}
		for _, flag := range []string{"output", "policy"} {
			if cmd.Flags().Lookup(flag) != nil && values[flag] == nil {
				_ = cmd.MarkFlagDirname(flag)
			}
		}
	}
}

// fromProject completes names in the project file.
func fromProject(names func(*project.File) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		var file *project.File
		if dir, err := os.Getwd(); err == nil {
			file, _, _ = reporting.ReadConfig(cmd, nil, dir)
		}
		return cli.CompleteFrom(names(file))(cmd, args, typed)
	}
}

func channelNames(file *project.File) (names []string) {
	for _, c := range file.Channels("") {
		names = append(names, c.Name)
	}
	return names
}

func gateNames(file *project.File) (names []string) {
	for _, g := range file.Gates() {
		names = append(names, g.Name)
	}
	return names
}
