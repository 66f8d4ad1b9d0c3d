package reporting

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/terminal"
)

// AddConsoleFlags adds the flags for output on a terminal to all commands.
func AddConsoleFlags(root *cobra.Command) {
	root.PersistentFlags().String("color", "auto", "show findings with their source and in color: "+strings.Join(terminal.Modes(), ", "))
	root.PersistentFlags().BoolP("quiet", "q", false, "on a terminal, print neither progress nor a summary")
}

// argumentsKey is the key of the command line in a context.
type argumentsKey struct{}

// WithArguments returns the context of a command with its command line.
func WithArguments(ctx context.Context, args []string) context.Context {
	return context.WithValue(ctx, argumentsKey{}, args)
}

// ArgumentsOf returns the command line. ok is false if the context has none.
func ArgumentsOf(ctx context.Context) (args []string, ok bool) {
	args, ok = ctx.Value(argumentsKey{}).([]string)
	return args, ok
}

// consoleKey is the key of the console in a context.
type consoleKey struct{}

// WithConsole returns the context of a command that prints on the console.
func WithConsole(ctx context.Context, console *terminal.Console) context.Context {
	return context.WithValue(ctx, consoleKey{}, console)
}

// ConsoleOf returns the console of a command.
func ConsoleOf(ctx context.Context) *terminal.Console {
	console, _ := ctx.Value(consoleKey{}).(*terminal.Console)
	return console
}

// ConfigureConsole finds out how to print, and begins to show the progress of the command.
func ConfigureConsole(cmd *cobra.Command) error {
	console := ConsoleOf(cmd.Context())
	color, _ := cmd.Flags().GetString("color")
	quiet, _ := cmd.Flags().GetBool("quiet")
	dir, _ := os.Getwd() // commands that need it report the error
	if err := console.Configure(terminal.Options{Color: color, Quiet: quiet, Env: os.Getenv, Dir: dir}); err != nil {
		return err
	}
	cmd.SetContext(console.Track(cmd.Context()))
	return nil
}

// Summarize prints how a command ended that printed all that it had to say.
func Summarize(console *terminal.Console, command *cobra.Command, err error) {
	if err != nil && writesFiles(command) {
		console.Conclude("nothing written")
	}
	fixed, unknown := command.Flags().GetBool("fix")
	console.Summarize(time.Now(), unknown == nil && !fixed)
}

// writesFiles reports whether a command writes files unless there are errors.
func writesFiles(command *cobra.Command) bool {
	flags := command.Flags()
	check, err := flags.GetBool("check")
	diff, _ := flags.GetBool("diff")
	return err == nil && !check && !diff
}

// ForPeople reports whether findings are printed with their source.
func (r *Reporter) ForPeople() bool { return r.Format == "text" && r.Console.Err.People }

// Quotes reports whether files are kept for excerpts on one of the streams.
func (r *Reporter) Quotes() bool {
	return r.Format == "text" && (r.Console.Err.People || r.Console.Out.People)
}

// Quoted makes what the reader reads available for excerpts. It returns the reader.
func (r *Reporter) Quoted(reader *inputs.Reader) *inputs.Reader {
	reader.Keep(r.Console.Sources.KeepNearby)
	r.Console.Sources.Again = reader.Again
	r.Reader = reader
	return reader
}

// Keep returns a function that keeps files for excerpts, or nil if there are none.
func (r *Reporter) Keep() func(crd.File) {
	if !r.Quotes() {
		return nil
	}
	return func(file crd.File) { r.Console.Sources.Keep(file.Name, file.LineOffset, file.Data) }
}
