// Command schemagen generates Kubernetes CustomResourceDefinitions from Go API
// types. It knows flags, files and exit codes; what is generated is package
// generator's business.
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

	// The pace of the garbage collector, from the start.
	_ "github.com/schemagen/schemagen/internal/gogc"
)

// Exit codes, besides 0.
const (
	exitFindings = 1 // the user's source has errors, or the output is out of date
	exitFailure  = 2 // the command line is wrong, or something could not be read or written
)

// errFindings ends a run whose findings are already printed.
var errFindings = errors.New("findings")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command; it returns the exit code.
//
// What is printed passes a [diag.Terminal], but for documents.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = diag.NewTerminal(stdout), diag.NewTerminal(stderr)
	root := newRoot(stdout, stderr)
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
	// Lines of other origin are indented.
	fmt.Fprintf(stderr, "schemagen: %s\n", strings.ReplaceAll(err.Error(), "\n", "\n\t"))
	return exitFailure
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "schemagen",
		Short: "Generate CustomResourceDefinitions from Go API types.",
		Long: `schemagen reads Go API types with marker comments and writes CustomResourceDefinitions.

It also takes controller-gen's arguments: CONTROLLER_GEN=schemagen in a Makefile works.`,
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

// toolVersion is the name and version of this binary, as in the version
// annotation of the files that it writes.
func toolVersion() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	return "schemagen-" + version
}
