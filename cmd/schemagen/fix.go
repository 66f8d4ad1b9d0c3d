package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/fixes"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal"
)

// addFixFlag adds the flag that applies fixes before a run.
func (r *crdRun) addFixFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&r.fix, "fix", false, "correct mistakes in Go files and schemagen.yaml, then run; with --diff, only show how")
	cmd.MarkFlagsMutuallyExclusive("fix", "check")
}

// fixSources applies the fixes of the run's findings to their files, in rounds until no
// finding has one, and writes the files or prints the differences. Later runs of r read them
// with the fixes.
func (r *crdRun) fixSources(ctx context.Context, stdout, stderr io.Writer) error {
	r.fixed, r.session = fixes.New(r.WorkDir), &generate.Session{}
	mode := cli.ModeOf("", false, r.differs)
	writer := output.Writer{Root: cmp.Or(r.within, output.RootOf(r.WorkDir))}
	given := *r
	changed, err := r.fixed.Fix(ctx, &writer, mode, stdout, func(in *inputs.Reader) (diag.List, error) {
		findings, err := r.findings(ctx, in, nil)
		*r = given // the project file is read again
		return findings, err
	})
	if err != nil || mode != output.Write || r.Format != "text" {
		return err
	}
	for _, path := range changed {
		fmt.Fprintf(stderr, "schemagen: %s: fixed %s\n", screen.Line(path), terminal.Count(r.fixed.Fixes(path), "finding"))
	}
	return nil
}

// findings returns the findings of a run that reads files with in, of which nothing is written.
// Mistakes in the project file are reported alone. unverified, unless it is nil, is called with
// those that are known before definitions are verified.
func (r *crdRun) findings(ctx context.Context, in *inputs.Reader, unverified func(diag.List)) (diag.List, error) {
	_, mistakes, err := reporting.ReadConfig(r.command, in, r.WorkDir)
	if err != nil || len(mistakes) > 0 {
		return mistakes, err
	}
	if err := r.configure(in); err != nil {
		return nil, err
	}
	server, err := r.server()
	if err != nil {
		return nil, err
	}
	early := r.Reporter
	early.Unused = nil // a waiver may be for what is still to be found
	found, err := r.session.Findings(ctx, r.Request, r.recorder.Around(server), r.in, func(found diag.List) {
		if unverified == nil {
			return
		}
		if found, err := r.added(ctx, found); err == nil {
			unverified(early.Judge(slices.Concat(found, r.unreadable)).Findings)
		}
	})
	if err != nil {
		return nil, err
	}
	if found, err = r.added(ctx, found); err != nil {
		return nil, err
	}
	return r.Judge(slices.Concat(found, r.unreadable)).Findings, nil
}
