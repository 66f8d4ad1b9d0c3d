package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/channels/gatesrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/project"
)

// newGatesCommand has the commands about feature gates.
func newGatesCommand(stdout, stderr io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gates COMMAND",
		Short: "List what gates hold, compare channels, or remove gates from Go source.",
		Long: `List what gates hold, compare channels, or remove gates from Go source.

Packages are patterns as for schemagen crd, with the same default.`,
		Example: `  schemagen gates list --gate Burst
  schemagen gates promote Burst --into standard
  schemagen gates switch experimental standard`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		listGatesCommand(stdout, stderr),
		promoteCommand(stdout, stderr),
		switchCommand(stdout, stderr),
		assumeCommand("graduate", "Write Go source as it is if a gate is always on.", true, stdout, stderr),
		assumeCommand("retire", "Write Go source as it is if a gate is always off.", false, stdout, stderr),
	)
	return cmd
}

func listGatesCommand(stdout, stderr io.Writer) *cobra.Command {
	var r reporting.Reporter
	var gate, format string
	cmd := &cobra.Command{
		Use:   "list [packages]",
		Short: "List what depends on gates.",
		Long: `List the declarations, markers, enum values and paragraphs of descriptions that
depend on gates, with the paths of the kinds that have them. All modules of the
packages are searched. Alternatives that contradict each other for some set of gates
follow.`,
		Example: `  schemagen gates list
  schemagen gates list --gate Burst --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := gatesRequest(&r, cmd, args)
			if err != nil {
				return err
			}
			if !slices.Contains(gatesrun.Formats(), format) {
				return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(gatesrun.Formats(), ", "))
			}
			report, findings, err := request.Report(cmd.Context(), gate)
			if err = cmp.Or(err, r.Report(stderr, findings)); err != nil {
				return err
			}
			return report.Write(stdout, format)
		},
	}
	cmd.Flags().StringVar(&gate, "gate", "", "list only this gate")
	cmd.Flags().StringVar(&format, "format", "text", "output format: "+strings.Join(gatesrun.Formats(), ", "))
	return cmd
}

// gatesComparison compares two states of the definitions. It is printed as by diff.
type gatesComparison struct{ comparison }

// changes returns what differs.
type changes func(ctx context.Context, request *gatesrun.Request, target *apiserver.Target) (*gatesrun.Changes, error)

func promoteCommand(stdout, stderr io.Writer) *cobra.Command {
	var r gatesComparison
	var into string
	cmd := &cobra.Command{
		Use:   "promote GATE [packages]",
		Short: "Report what breaks if a gate is turned on in a channel.",
		Long: `Report what breaks if a gate is turned on in a channel, like schemagen diff: the channel
is compared with and without the gate.`,
		Example: `  schemagen gates promote Burst --into standard`,
		Args:    cli.Args(1, math.MaxInt, "the name of a gate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			promoted := func(ctx context.Context, request *gatesrun.Request, target *apiserver.Target) (*gatesrun.Changes, error) {
				return request.Promote(ctx, target, args[0], into)
			}
			return r.run(cmd, args[1:], promoted, stdout, stderr)
		},
	}
	cmd.Flags().StringVar(&into, "into", "", "the channel (default: the first)")
	r.addFlags(cmd, diag.Formats(), "clients")
	return cmd
}

func switchCommand(stdout, stderr io.Writer) *cobra.Command {
	var r gatesComparison
	cmd := &cobra.Command{
		Use:   "switch FROM TO [packages]",
		Short: "Report what becomes of objects if one channel replaces another.",
		Long: `Report what becomes of stored objects and of requests if the CRDs of the channel FROM
are replaced by those of the channel TO.`,
		Example: `  schemagen gates switch experimental standard`,
		Args:    cli.Args(2, math.MaxInt, "the names of two channels"),
		RunE: func(cmd *cobra.Command, args []string) error {
			moved := func(ctx context.Context, request *gatesrun.Request, target *apiserver.Target) (*gatesrun.Changes, error) {
				return request.Move(ctx, target, args[0], args[1])
			}
			return r.run(cmd, args[2:], moved, stdout, stderr)
		},
	}
	r.addFlags(cmd, diag.Formats(), "none") // it is a question, not a check
	return cmd
}

func (r *gatesComparison) run(cmd *cobra.Command, packages []string, compared changes, stdout, stderr io.Writer) error {
	request, err := gatesRequest(&r.Reporter, cmd, packages)
	if err != nil {
		return err
	}
	target, err := r.server(diag.Formats())
	if err != nil {
		return err
	}
	out, err := compared(cmd.Context(), request, target)
	if err != nil {
		return err
	}
	if out.Findings.HasErrors() {
		return r.Report(stderr, out.Findings)
	}
	findings, err := definitions.Allow(cmd.Context(), out.Changes, out.New, out.New, reference.IsCode, nil)
	if err != nil {
		return err
	}
	// Most comments are about changes between commits.
	unused := func(d diag.Diagnostic) bool { return d.Code == definitions.UnusedWaiver.Code }
	return r.conclude(cmd.Context(), r.report(out.Changes, slices.DeleteFunc(findings, unused)), stdout, stderr)
}

// assumeCommand returns a command that takes a gate for on or off.
func assumeCommand(name, short string, enabled bool, stdout, stderr io.Writer) *cobra.Command {
	var r reporting.Reporter
	var write bool
	cmd := &cobra.Command{
		Use:   name + " GATE [packages]",
		Short: short,
		Long: short + `

Lines whose condition always holds lose it, those whose condition never holds are
removed, and other conditions are simplified. No other line changes. All Go files of
the modules of the packages are changed, or none: Go code that uses what would be
removed is reported, and has to change first, unless it is generated.

Without --write, a diff is printed.`,
		Example: "  schemagen gates " + name + " Burst\n  schemagen gates " + name + " Burst --write",
		Args:    cli.Args(1, math.MaxInt, "the name of a gate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := gatesRequest(&r, cmd, args[1:])
			if err != nil {
				return err
			}
			for _, g := range r.Project.Gates() {
				if slices.Contains(args[1:], g.Name) {
					return fmt.Errorf("%s takes one gate, and %s is a gate, too: run it for one after the other", name, g.Name)
				}
			}
			files, findings, err := request.Assume(cmd.Context(), args[0], enabled)
			if err != nil {
				return err
			}
			return r.Rewrite(cmd.Context(), files, findings, write, stdout, stderr)
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write the files")
	return cmd
}

// gatesRequest returns what the questions of a command are about: the packages, or those of the
// project.
func gatesRequest(r *reporting.Reporter, cmd *cobra.Command, packages []string) (*gatesrun.Request, error) {
	inv := generation.Invocation{Of: project.OfGates, Native: true, Command: cmd, Given: cmd.Flags(), Format: "text"}
	inv.Request.Patterns = packages
	s, err := inv.Settle()
	if err != nil {
		return nil, err
	}
	*r = s.Reporter
	return &gatesrun.Request{Options: s.Options, Project: r.Project}, nil
}
