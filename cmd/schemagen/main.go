// Command schemagen generates Kubernetes CustomResourceDefinitions from Go API
// types. It handles flags, files and exit codes; package generator does the rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/diag"

	// Ends a process that would only repeat an earlier run.
	_ "github.com/schemagen/schemagen/cmd/schemagen/internal/earlyexit"
	// Sets the garbage collector's pace before other packages are initialized.
	_ "github.com/schemagen/schemagen/internal/gogc"
)

// Exit codes, besides 0.
const (
	exitFindings = 1 // errors in the user's source, or files that are out of date
	exitFailure  = 2 // invalid command line, or a failed read or write
)

// errFindings ends a run whose findings have already been printed.
var errFindings = errors.New("findings")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes the command and returns the exit code.
//
// All output except documents passes through a [diag.Terminal].
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = diag.NewTerminal(stdout), diag.NewTerminal(stderr)
	root := newRoot(stdout, stderr)
	ctx = context.WithValue(ctx, argumentsKey{}, args)
	if isControllerGenSyntax(args) {
		// controller-gen's syntax has no subcommands, so cobra cannot route it.
		args = append([]string{controllerGenCommand}, args...)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFindings):
		return exitFindings
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "schemagen: interrupted; nothing was written")
		return exitFailure
	}
	// Continuation lines are indented.
	fmt.Fprintf(stderr, "schemagen: %s\n", strings.ReplaceAll(err.Error(), "\n", "\n\t"))
	return exitFailure
}

// argumentsKey is the key of the command line in a context.
type argumentsKey struct{}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "schemagen",
		Short: "Generate CustomResourceDefinitions from Go API types.",
		Long: `Generate CustomResourceDefinitions from Go API types with marker comments.

schemagen also accepts controller-gen's arguments: set CONTROLLER_GEN=schemagen in a
Makefile.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       toolVersion(),
	}
	root.SetVersionTemplate("Version: {{.Version}}\n")
	addConfigFlags(root)
	root.AddCommand(
		newCRDCommand(stdout, stderr),
		newMigrateCommand(stdout, stderr),
		newUnionsCommand(stdout, stderr),
		newControllerGenCommand(stdout, stderr),
		newVerifyCommand(stdout, stderr),
		newDiffCommand(os.Stdin, stdout, stderr),
		newTryCommand(os.Stdin, stdout, stderr),
		newOpenAPICommand(stdout, stderr),
		newExplainCommand(stdout, stderr),
		newJSONSchemaCommand(stdout, stderr),
		newDocsCommand(stdout, stderr),
		newTestCommand(os.Stdin, stdout, stderr),
		newMarkersCommand(stdout),
		newExplainCodeCommand(stdout),
		newConfigCommand(stdout, stderr),
		newEnvCommand(stdout, stderr),
		newVersionCommand(stdout),
	)
	addCompletions(root)
	return root
}

func newVersionCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(stdout, toolVersion())
			return err
		},
	}
}

// toolVersion returns the name and version of this binary, as written into the
// version annotation of generated files.
func toolVersion() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	return "schemagen-" + version
}
