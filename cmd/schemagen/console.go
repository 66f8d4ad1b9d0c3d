package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/terminal"
)

// addConsoleFlags adds the flags for output on a terminal to all commands.
func addConsoleFlags(root *cobra.Command) {
	root.PersistentFlags().String("color", "auto", "show findings with their source and in color: "+strings.Join(terminal.Modes(), ", "))
	root.PersistentFlags().BoolP("quiet", "q", false, "on a terminal, print neither progress nor a summary")
}

// consoleKey is the key of the console in a context.
type consoleKey struct{}

// consoleOf returns the console of a command that is run by [run].
func consoleOf(ctx context.Context) *terminal.Console {
	console, _ := ctx.Value(consoleKey{}).(*terminal.Console)
	return console
}

// configureConsole finds out how to print, and begins to show the progress of the command.
func configureConsole(cmd *cobra.Command) error {
	console := consoleOf(cmd.Context())
	color, _ := cmd.Flags().GetString("color")
	quiet, _ := cmd.Flags().GetBool("quiet")
	dir, _ := os.Getwd() // commands that need it report the error
	if err := console.Configure(terminal.Options{Color: color, Quiet: quiet, Env: os.Getenv, Dir: dir}); err != nil {
		return err
	}
	cmd.SetContext(console.Track(cmd.Context()))
	return nil
}

// summarize prints how a command ended that printed all that it had to say.
func summarize(console *terminal.Console, command *cobra.Command, err error) {
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

// forPeople reports whether findings are printed with their source.
func (r *reporting) forPeople() bool { return r.format == "text" && r.console.Err.People }

// quotes reports whether files are kept for excerpts on one of the streams.
func (r *reporting) quotes() bool {
	return r.format == "text" && (r.console.Err.People || r.console.Out.People)
}

// quoted makes what the reader reads available for excerpts. It returns the reader.
func (r *reporting) quoted(in *inputs.Reader) *inputs.Reader {
	in.Keep(r.console.Sources.KeepNearby)
	r.console.Sources.Again, r.inputs = in.Again, in
	return in
}

// keep returns a function that keeps files for excerpts, or nil if there are none.
func (r *reporting) keep() func(crd.File) {
	if !r.quotes() {
		return nil
	}
	return func(file crd.File) { r.console.Sources.Keep(file.Name, file.LineOffset, file.Data) }
}
