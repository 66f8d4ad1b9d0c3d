package main

import (
	"cmp"
	"context"
	"errors"
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

// gatesRun is one run of the gates command. A comparison is printed as by diff.
type gatesRun struct {
	diffRun
	reporting                     reporting.Reporter
	gate, promote, into, from, to string
}

func newGatesCommand(stdout, stderr io.Writer) *cobra.Command {
	var r gatesRun
	cmd := &cobra.Command{
		Use:   "gates [packages]",
		Short: "List what gates hold, compare channels, or remove gates from Go source.",
		Long: `List the declarations, markers, enum values and paragraphs of descriptions that
depend on gates in the modules of the packages, with the paths of the kinds that have
them, and alternatives that contradict each other for gates that no channel has.

--promote GATE reports what breaks if a gate is turned on in a channel, like schemagen
diff. --from and --to report what becomes of stored objects and of requests if the
CRDs of one channel are replaced by those of another one.`,
		Example: `  schemagen gates --gate Burst
  schemagen gates --promote Burst --into standard
  schemagen gates --from experimental --to standard`,
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := gatesRequest(&r.reporting, cmd, args)
			if err != nil {
				return err
			}
			r.console = r.reporting.Console
			r.definitions.Dir = r.reporting.WorkDir
			if r.from != "" && !cmd.Flags().Changed("fail-on") {
				r.failOn = "none" // it is a question, not a check
			}
			return r.run(cmd.Context(), request, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.gate, "gate", "", "list only this gate")
	flags.StringVar(&r.promote, "promote", "", "compare a channel with and without this gate")
	flags.StringVar(&r.into, "into", "", "with --promote: the channel (default: the first)")
	flags.StringVar(&r.from, "from", "", "compare this channel with that of --to")
	flags.StringVar(&r.to, "to", "", "with --from: the channel that replaces it")
	flags.StringVar(&r.format, "format", "text", "output format: "+strings.Join(gatesrun.Formats(), ", ")+"; of a comparison, those of diff")
	flags.StringVar(&r.failOn, "fail-on", "clients", "fail on these changes: stored, clients (and stored), any, none; with --from, none is the default")
	flags.StringVar(&r.kubeVersion, "kube-version", "", "compare for the API server of this Kubernetes version (default "+apiserver.DefaultVersion+")")
	cmd.MarkFlagsMutuallyExclusive("gate", "promote", "from")
	cmd.AddCommand(
		assumeCommand("graduate", "Write Go source as it is if a gate is always on.", true, stdout, stderr),
		assumeCommand("retire", "Write Go source as it is if a gate is always off.", false, stdout, stderr),
	)
	return cmd
}

func (r *gatesRun) run(ctx context.Context, request *gatesrun.Request, stdout, stderr io.Writer) error {
	if r.into != "" && r.promote == "" {
		return errors.New("--into needs --promote")
	}
	if (r.from == "") != (r.to == "") {
		return errors.New("--from needs --to: the channel that stored objects are from, and the one that replaces it")
	}
	if r.promote == "" && r.from == "" {
		if !slices.Contains(gatesrun.Formats(), r.format) {
			return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(gatesrun.Formats(), ", "))
		}
		report, findings, err := request.Report(ctx, r.gate)
		if err = cmp.Or(err, r.reporting.Report(stderr, findings)); err != nil {
			return err
		}
		return report.Write(stdout, r.format)
	}
	target, err := r.target()
	if err != nil {
		return err
	}
	ask := func() (*gatesrun.Changes, error) { return request.Promote(ctx, target, r.promote, r.into) }
	if r.from != "" {
		ask = func() (*gatesrun.Changes, error) { return request.Move(ctx, target, r.from, r.to) }
	}
	out, err := ask()
	if err != nil {
		return err
	}
	if out.Findings.HasErrors() {
		return r.reporting.Report(stderr, out.Findings)
	}
	findings, err := definitions.Allow(ctx, out.Changes, out.New, out.New, reference.IsCode, nil)
	if err != nil {
		return err
	}
	// Most comments are about changes between commits.
	unused := func(d diag.Diagnostic) bool { return d.Code == definitions.UnusedWaiver.Code }
	return r.conclude(out.Changes, slices.DeleteFunc(findings, unused), stdout)
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
