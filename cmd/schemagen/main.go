// Command schemagen generates Kubernetes CustomResourceDefinitions from Go API
// types. It handles flags, files and exit codes; package generator does the rest.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/internal/terminal"

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
	console := terminal.NewConsole(stdout, stderr, time.Now())
	stdout, stderr = console.Out.Terminal, console.Err.Terminal
	root := newRoot(stdout, stderr)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		addCompletions(root) // cobra keeps commands with them alive until the process ends
	}
	ctx = context.WithValue(context.WithValue(ctx, argumentsKey{}, args), consoleKey{}, console)
	if isControllerGenSyntax(root, args) {
		// controller-gen's syntax has no subcommands, so cobra cannot route it.
		args = append([]string{controllerGenCommand}, args...)
	}
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	console.Stop()
	if err == nil || errors.Is(err, errFindings) {
		summarize(console, command, err)
	}
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
		Use:   "schemagen COMMAND",
		Short: "Generate CustomResourceDefinitions from Go API types.",
		Long: `Generate CustomResourceDefinitions from Go API types with marker comments.

schemagen also accepts controller-gen's arguments: set CONTROLLER_GEN=schemagen in a
Makefile.`,
		Example: `  schemagen crd ./api/... -o config/crd/bases
  schemagen crd rbac:roleName=manager-role paths=./...`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       toolVersion(),
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
	addConfigFlags(root)
	addConsoleFlags(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return configureConsole(cmd) }
	cli.AddGroups(root,
		cli.Group{Title: "Generate", Commands: []*cobra.Command{
			newCRDCommand(stdout, stderr),
			newUnionsCommand(stdout, stderr),
			newOpenAPICommand(stdout, stderr),
			newJSONSchemaCommand(stdout, stderr),
			newDocsCommand(stdout, stderr),
		}},
		cli.Group{Title: "Check", Commands: []*cobra.Command{
			newVerifyCommand(stdout, stderr),
			newDiffCommand(os.Stdin, stdout, stderr),
			newTryCommand(os.Stdin, stdout, stderr),
			newTestCommand(os.Stdin, stdout, stderr),
		}},
		cli.Group{Title: "Look", Commands: []*cobra.Command{
			newExplainCommand(stdout, stderr),
			newExplainCodeCommand(stdout),
			newMarkersCommand(stdout),
			newConfigCommand(stdout, stderr),
			newEnvCommand(stdout, stderr),
		}},
		cli.Group{Title: "Adopt", Commands: []*cobra.Command{
			newInitCommand(stdout, stderr),
			newMigrateCommand(stdout, stderr),
		}},
	)
	root.AddCommand(newControllerGenCommand(stdout, stderr), newVersionCommand(stdout))
	root.SetHelpCommand(newHelpCommand())
	root.InitDefaultHelpCmd()
	cli.AddCompletionCommand(root)
	return root
}

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command.",
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 && of == cmd.Root() {
				err = unknownCommand(of, rest[0])
			}
			if err != nil {
				return err
			}
			of.InitDefaultHelpFlag()
			of.InitDefaultVersionFlag()
			return of.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) (out []string, _ cobra.ShellCompDirective) {
			for _, of := range cmd.Root().Commands() {
				if len(args) == 0 && of.IsAvailableCommand() && strings.HasPrefix(of.Name(), typed) {
					out = append(out, of.Name()+"\t"+of.Short)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func newVersionCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version.",
		Args:  cli.Args(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(stdout, toolVersion())
			return err
		},
	}
}

// toolName is the name of this tool in versions.
const toolName = "schemagen"

// toolVersion returns the name and version of this binary.
func toolVersion() string { return toolName + "-" + cmp.Or(buildVersion(readBuildInfo()), "devel") }

// stampedVersion returns the name and version of this binary as written into the version
// annotation of generated files. A build of an unknown version has only its name there, so that
// the files of two such builds are equal.
func stampedVersion() string {
	if version := buildVersion(readBuildInfo()); version != "" {
		return toolName + "-" + version
	}
	return toolName
}

func readBuildInfo() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return &debug.BuildInfo{}
	}
	return info
}

// buildVersion returns the version of a build: that of its module, or else the revision of its
// working tree. It is empty if both are unknown.
func buildVersion(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" && info.Main.Replace == nil {
		return v
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if len(revision) > 12 { // as in pseudo-versions
		revision = revision[:12]
	}
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += "+dirty"
	}
	return revision
}
