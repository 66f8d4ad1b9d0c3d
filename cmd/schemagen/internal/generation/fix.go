package generation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/fixes"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal"
)

// fixSources applies the fixes of the run's findings to their files, in rounds until no
// finding has one, and writes the files or prints the differences. Later runs of the session read
// them with the fixes.
func (inv *Invocation) fixSources(ctx context.Context, shared *Session, stdout, stderr io.Writer) error {
	shared.fixed = fixes.New(inv.Dir)
	mode := cli.ModeOf("", false, inv.Diff)
	writer := output.Writer{Root: cmp.Or(inv.Within, output.RootOf(inv.Dir))}
	printing := reporting.Reporter{Format: inv.Format}
	changed, err := shared.fixed.Fix(ctx, &writer, mode, printing.Text(stdout, stderr), func(reader *inputs.Reader) (diag.List, error) {
		return inv.Findings(ctx, reader, shared, nil)
	})
	if err != nil || mode != output.Write || inv.Format != "text" {
		return err
	}
	for _, path := range changed {
		fmt.Fprintf(stderr, "schemagen: %s: fixed %s\n", screen.Line(path), terminal.Count(shared.fixed.Fixes(path), "finding"))
	}
	return nil
}

// Findings returns the findings of a run that reads files with reader, of which nothing is written.
// Mistakes in the project file are reported alone. unverified, unless it is nil, is called with the
// findings so far before definitions are verified.
func (inv *Invocation) Findings(ctx context.Context, reader *inputs.Reader, shared *Session,
	unverified func(diag.List)) (diag.List, error) {
	_, mistakes, err := reporting.ReadConfig(inv.Command, reader, inv.Dir)
	if err != nil || len(mistakes) > 0 {
		return mistakes, err
	}
	s, err := inv.settle(reader, shared)
	if err != nil {
		return nil, err
	}
	server, err := s.verifier()
	if err != nil {
		return nil, err
	}
	early := s.Reporter
	early.Unused = nil // a waiver may be for what is still to be found
	found, err := shared.packages.Findings(ctx, s.Request, shared.Recorder.Around(server), s.in, func(found diag.List) {
		if unverified == nil {
			return
		}
		if found, err := s.added(ctx, found); err == nil {
			unverified(early.Judge(slices.Concat(found, s.unreadable)).Findings)
		}
	})
	if err != nil {
		return nil, err
	}
	found, err = s.added(ctx, found)
	if err != nil {
		return nil, err
	}
	return s.Reporter.Judge(slices.Concat(found, s.unreadable)).Findings, nil
}
