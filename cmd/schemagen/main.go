// Command schemagen generates Kubernetes CustomResourceDefinitions from Go API types. It handles
// flags, printing and exit codes. Read main.go first, then package generation below it for a run of
// the generators; each other file is the command of its name.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/ground/interrupt"
	"github.com/schemagen/schemagen/internal/migrate"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal"

	// Ends a process that would only repeat an earlier run.
	_ "github.com/schemagen/schemagen/cmd/schemagen/internal/earlyexit"
	// Sets the garbage collector's pace before other packages are initialized.
	_ "github.com/schemagen/schemagen/internal/ground/gogc"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(withEnd(ctx, os.Exit), os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes the command and returns the exit code.
//
// All output except documents passes through a [screen.Terminal].
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == migrate.ShimCommand {
		return migrate.Shim(stdout, args[1:])
	}
	console := terminal.NewConsole(stdout, stderr, time.Now())
	stdout = console.Out.Terminal
	stderr = console.Err.Terminal
	root := newRoot(stdout, stderr)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		addCompletions(root) // cobra keeps commands with them alive until the process ends
	}
	ctx = reporting.WithConsole(reporting.WithArguments(ctx, args), console)
	if exit, ok := ctx.Value(endKey{}).(func(int)); ok {
		var release func()
		ctx, release = interrupt.Watch(ctx, func() {
			console.Stop()
			fmt.Fprintln(stderr, interrupted)
			exit(reporting.ExitFailure)
		})
		defer release()
	}
	if isControllerGenSyntax(root, args) {
		// controller-gen's syntax has no subcommands, so cobra cannot route it.
		args = append([]string{controllerGenCommand}, args...)
	}
	root.SetArgs(args)
	command, err := cli.Execute(ctx, root, args, cli.ToolVersion())
	console.Stop()
	if unwritten := console.Unwritten(); unwritten != nil && (err == nil || errors.Is(err, reporting.ErrFindings)) {
		err = unwritten // cobra does not return errors of printing help
	}
	if err == nil || errors.Is(err, reporting.ErrFindings) {
		reporting.Summarize(console, command, err)
	}
	refused, isRefused := errors.AsType[*output.Refused](err)
	switch {
	case err == nil:
		return 0
	case isRefused:
		if err := refused.Findings.WriteText(stderr); err != nil {
			return reporting.ExitFailure
		}
		return reporting.ExitFindings
	case errors.Is(err, reporting.ErrFindings):
		return reporting.ExitFindings
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, interrupted)
		return reporting.ExitFailure
	}
	// Continuation lines are indented.
	fmt.Fprintf(stderr, "schemagen: %s\n", strings.ReplaceAll(cli.Message(err), "\n", "\n\t"))
	return reporting.ExitFailure
}

// interrupted is printed if a run ends because its context was cancelled.
const interrupted = "schemagen: interrupted; nothing was written"

// endKey is the key of the function that ends the process in a context. Runs in tests have none.
type endKey struct{}

func withEnd(ctx context.Context, exit func(code int)) context.Context {
	return context.WithValue(ctx, endKey{}, exit)
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "schemagen COMMAND",
		Short: "Generate CustomResourceDefinitions from Go API types.",
		Long:  "Generate CustomResourceDefinitions from Go API types; controller-gen's arguments work, too.",
		Example: `  schemagen crd ./api/... -o config/crd/bases
  schemagen crd rbac:roleName=manager-role paths=./...`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       cli.ToolVersion(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("Version: {{.Version}}\n")
	root.SetOut(stdout)
	root.SetErr(stderr)
	cli.SetUsage(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.FlagError(cmd, err, cmd.CommandPath()+" --help lists the flags")
	})
	reporting.AddConfigFlags(root)
	reporting.AddConsoleFlags(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, positional []string) error {
		args, _ := reporting.ArgumentsOf(cmd.Context())
		return cmp.Or(cli.CheckDashes(cmd, args), reporting.CheckConfigFlags(cmd), reporting.CheckStreams(cmd, positional),
			reporting.CheckDocuments(cmd), reporting.ConfigureConsole(cmd))
	}
	help := cli.HelpCommand(unknownCommand)
	root.SetHelpCommand(help)
	cli.AddGroups(root,
		cli.Group{Title: "Generate", Commands: []*cobra.Command{
			newGenerateCommand(stdout, stderr),
			newCRDCommand(stdout, stderr),
			newUnionsCommand(stdout, stderr),
			newConversionsCommand(stdout, stderr),
			newTypesCommand(stdout, stderr),
			newOpenAPICommand(stdout, stderr),
			newJSONSchemaCommand(stdout, stderr),
			newDocsCommand(stdout, stderr),
		}},
		cli.Group{Title: "Check", Commands: []*cobra.Command{
			newVerifyCommand(stdout, stderr),
			newDiffCommand(os.Stdin, stdout, stderr),
			newTryCommand(os.Stdin, stdout, stderr),
			newTestCommand(os.Stdin, stdout, stderr),
			newLSPCommand(os.Stdin, stdout),
		}},
		cli.Group{Title: "Look", Commands: []*cobra.Command{
			newExplainCommand(stdout, stderr),
			newSchemaCommand(stdout, stderr),
			newGatesCommand(stdout, stderr),
			newConfigCommand(stdout, stderr),
			newVersionCommand(stdout),
			help,
		}},
		cli.Group{Title: "Adopt", Commands: []*cobra.Command{
			newInitCommand(stdout, stderr),
			newMigrateCommand(stdout, stderr),
			newKubebuilderPluginCommand(os.Stdin, stdout, stderr),
		}},
	)
	root.AddCommand(newControllerGenCommand(stdout, stderr))
	root.SetCompletionCommandGroupID("Adopt")
	cli.AddCompletionCommand(root)
	return root
}
