package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/editor"
	"github.com/schemagen/schemagen/internal/editor/lsp"
	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/ground/gogc"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/verify"
)

func newLSPCommand(stdin io.Reader, stdout io.Writer) *cobra.Command {
	var v generation.Values
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor with findings while you type.",
		Long: `Serve an editor over the Language Server Protocol, on standard input and output. The
editor starts it, beside gopls.

For each module with an open file, it reports the findings of schemagen crd, run in
the directory of ` + project.Name + ` or of go.mod. It sees text that is not saved
yet, and offers the fixes. It completes and explains markers. It writes no files.`,
		Example: `  schemagen lsp
  schemagen lsp --strict`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if terminal.IsTerminal(stdin) {
				return cli.UsageError(cmd, "an editor starts lsp, and standard input is a terminal here: docs/editors.md describes how to configure editors")
			}
			if err := generation.CheckFeatures(v.Enable); err != nil {
				return err
			}
			if named := cmd.Flags().Lookup("config"); named.Value.String() != "" {
				name, err := filepath.Abs(named.Value.String())
				if err := cmp.Or(err, named.Value.Set(name)); err != nil {
					return err
				}
			}
			gogc.Session()
			runs := lspRuns{command: cmd, results: &editor.Cache{}, recorder: &symbols.Recorder{},
				directories: map[string]*generation.Session{}}
			err := lsp.Serve(cmd.Context(), stdin, screen.Documents(stdout), cli.ToolVersion(),
				editor.Config{Run: runs.findings, Recorder: runs.recorder})
			if errors.Is(err, lsp.ErrNoShutdown) {
				return reporting.ErrFindings // as the protocol wants it
			}
			return err
		},
	}
	v.AddSettings(cmd, project.OfCRD)
	cli.GroupFlags(cmd, crdFlagGroups()...)
	return cmd
}

// lspRuns are the runs of an editor's session, and what is kept between them.
type lspRuns struct {
	// command has the flags.
	command     *cobra.Command
	results     verify.ResultCache
	recorder    *symbols.Recorder
	directories map[string]*generation.Session
}

// findings returns the findings of schemagen crd in a directory. Without packages of its own,
// they are about all packages below it. unverified is called with the findings so far before
// definitions are verified.
func (l *lspRuns) findings(ctx context.Context, dir string, reader *inputs.Reader,
	unverified func(diag.List)) (diag.List, error) {
	if err := os.Chdir(dir); err != nil {
		return nil, err
	}
	shared := l.directories[dir]
	if shared == nil {
		shared = &generation.Session{Results: l.results, Recorder: l.recorder}
		l.directories[dir] = shared
	}
	given := new(generation.Values).Flags(project.OfCRD)
	err := cmp.Or(cli.CopyFlags(given, l.command.Flags()), given.Set("no-cache", "true")) // nothing is kept on disk
	if err != nil {
		return nil, err
	}
	inv := generation.Invocation{Of: project.OfCRD, Command: l.command, Given: given, Native: true, Dir: dir, Format: "json"} // nothing is printed
	file, _, err := reporting.ReadConfig(l.command, reader, dir)
	if err != nil {
		return nil, err
	}
	if _, err := file.Packages(reader, dir); err != nil {
		inv.Request.Patterns = []string{"./..."}
	}
	return inv.Findings(ctx, reader, shared, unverified)
}
