package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/review"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/verify"
)

// diffRun is one run of the diff command.
type diffRun struct {
	definitions generation.DefinitionFlags
	kubeVersion string
	format      string
	// failOn selects the changes that make the command fail.
	failOn string
	// sources are the Go packages with comments that allow changes, if NEW is files.
	sources []string
	console *terminal.Console
	// partial means that NEW contains only some of the definitions in OLD.
	partial bool
}

// failures returns the values of --fail-on, with the lowest category that counts.
func failures() map[string]compare.Category {
	return map[string]compare.Category{"stored": compare.BreaksStored, "clients": compare.BreaksClients, "any": compare.Safe, "none": compare.BreaksStored + 1}
}

func newDiffCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var r diffRun
	cmd := &cobra.Command{
		Use:   "diff [OLD [NEW]]",
		Short: "Report what a change to CRDs breaks: stored objects, clients, or nothing.",
		Long: `Report what breaks if NEW replaces OLD on a server: stored objects, clients, or
nothing.

OLD and NEW are YAML or JSON files, directories, - for standard input, git:REF:PATH,
git:REF for the path of the other side, or Go packages (./api/...). git: can be
omitted if no file has the name of the commit. The default for OLD is git:HEAD; for
NEW, after a commit or -, it is the project's CRDs, as for verify. To compare with
a cluster: kubectl get crds -o yaml | schemagen diff - --partial

The exit code is 1 if a change selected by --fail-on is not allowed. To allow one,
write +schemagen:allowChange:kind=KIND,reason="…" in Go, or
# schemagen:ignore KIND reason in YAML.`,
		Example: `  schemagen diff git:main config/crd/bases
  schemagen diff git:v1.4.0 ./api/... --format markdown
  schemagen diff git:main config/crd/bases --source ./api/...`,
		Args: cli.Args(0, 2, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			printing := &reporting.Reporter{Format: "text"}
			if err := r.definitions.Configure(cmd, printing); err != nil {
				return err
			}
			r.console = printing.Console
			r.definitions.Conversions = true
			return r.run(cmd.Context(), args, stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.format, "format", "text", "output format: "+strings.Join(review.ReportFormats(), ", "))
	flags.StringVar(&r.failOn, "fail-on", "clients", "fail on these changes: stored, clients (and stored), any, none")
	flags.StringVar(&r.kubeVersion, "kube-version", "", "compare for the API server of this Kubernetes version (default "+apiserver.DefaultVersion+")")
	flags.StringSliceVar(&r.sources, "source", nil, "read comments that allow changes from these Go packages")
	flags.BoolVar(&r.partial, "partial", false, "do not report definitions that are only in OLD as removed")
	r.definitions.Add(cmd)
	return cmd
}

func (r *diffRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	target, err := r.target()
	if err != nil {
		return err
	}
	r.definitions.Server = verify.New(target, verify.Options{})
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return err
	}
	reader.Lenient = true
	if len(r.sources) > 0 { // which the flags are for, too
		reader.PackageFlags = nil
		reader.ChannelFlags = nil
	}
	commits := definitions.Commits{Reader: *reader}
	defer commits.Close()
	old, new, err := commits.Both(ctx, args, nil)
	for _, side := range []definitions.Read{old, new} {
		if err := reporting.Unread(side.Side.String(), side.Findings, err, r.definitions.Dir, stderr); err != nil {
			return err
		}
	}
	news := new.Definitions
	changes, err := compare.Definitions(ctx, target, old.Definitions, news)
	if err != nil {
		return err
	}
	if r.partial {
		changes = slices.DeleteFunc(changes, func(c compare.Change) bool {
			return c.Kind == changekind.DefinitionRemoved
		})
	}
	sources := news
	findings := diag.List(nil)
	if len(r.sources) > 0 {
		sources, findings, err = r.definitions.Generate(ctx, r.definitions.Dir, r.sources)
		if err := reporting.Unread(strings.Join(r.sources, " "), findings, err, r.definitions.Dir, stderr); err != nil {
			return err
		}
	}
	findings, err = definitions.Allow(ctx, changes, news, sources, reference.IsCode, commits.Path)
	if err != nil {
		return err
	}
	return r.conclude(changes, findings, stdout)
}

// target checks the flags and returns the server of the comparison.
func (r *diffRun) target() (*apiserver.Target, error) {
	if _, ok := failures()[r.failOn]; !ok {
		return nil, fmt.Errorf("unknown --fail-on %q: use one of stored, clients, any, none", r.failOn)
	}
	if !slices.Contains(review.ReportFormats(), r.format) {
		return nil, fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(review.ReportFormats(), ", "))
	}
	return apiserver.NewTarget(r.kubeVersion)
}

// conclude prints the changes, and returns errFindings if one counts. The findings are about
// comments that allow changes.
func (r *diffRun) conclude(changes []compare.Change, findings diag.List, stdout io.Writer) error {
	out := review.Report{
		Changes:  compare.Sorted(compare.Grouped(compare.Folded(changes))),
		Findings: findings.RelativeTo(r.definitions.Dir), MinCategory: failures()[r.failOn],
		Dir: r.definitions.Dir, ReadFile: definitions.ReadIn(r.definitions.Dir),
	}
	if err := r.print(&out, stdout); err != nil {
		return err
	}
	if out.Fails() {
		return reporting.ErrFindings
	}
	return nil
}

// print prints the report: for a person, each change with the definitions that it is about.
func (r *diffRun) print(out *review.Report, stdout io.Writer) error {
	if r.format != "text" {
		stdout = screen.Documents(stdout)
	}
	buffer := bufio.NewWriter(stdout)
	write := func() error { return out.Write(buffer, r.format, reference.Codes()) }
	r.console.Count(out.List())
	if r.format == "text" && r.console.Out.People {
		write = func() error { return r.console.Findings(buffer, &r.console.Out).Write(out.List()) }
	}
	return cmp.Or(write(), buffer.Flush())
}
