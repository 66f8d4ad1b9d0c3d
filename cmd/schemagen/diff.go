package main

import (
	"bufio"
	"bytes"
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
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/review"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/verify"
)

// comparison is how changes are judged and printed.
type comparison struct {
	reporting.Reporter
	// output is a file, or - for standard output.
	output      string
	kubeVersion string
	format      string
	// failOn selects the changes that make the command fail.
	failOn string
}

// diffRun is one run of the diff command.
type diffRun struct {
	comparison
	definitions generation.DefinitionFlags
	// sources are the Go packages with comments that allow changes, if NEW is files.
	sources []string
	// partial means that NEW contains only some of the definitions in OLD.
	partial bool
}

// diffFormats are the formats of changes, and of pages about them.
func diffFormats() []string { return append(diag.Formats(), review.Formats()...) }

// reviewFile is where HTML is written by default.
const reviewFile = "review.html"

// failures returns the values of --fail-on, with the lowest category that counts.
func failures() map[string]compare.Category {
	return map[string]compare.Category{"stored": compare.BreaksStored, "clients": compare.BreaksClients, "any": compare.Safe, "none": compare.BreaksStored + 1}
}

func newDiffCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	r := diffRun{comparison: comparison{Reporter: reporting.Reporter{Format: "text"}}}
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
# schemagen:ignore KIND reason in YAML.

The formats html and markdown are pages for a review. They also have new unions,
the cost of CEL rules, sizes, samples before and after, and questions to the author.
If NEW is Go packages, they list the API conventions that it breaks.`,
		Example: `  schemagen diff git:main config/crd/bases
  schemagen diff git:main config/crd/bases --source ./api/...
  schemagen diff git:main ./api/... --format html
  schemagen diff git:main ./api/... --format markdown | gh pr comment --body-file -`,
		Args: cli.Args(0, 2, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &r.Reporter); err != nil {
				return err
			}
			r.definitions.Conversions = true
			return r.run(cmd.Context(), args, stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	r.addFlags(cmd, diffFormats(), "clients")
	flags.StringVarP(&r.output, "output", "o", "", "write to this file, - for standard output (default -, and for html "+reviewFile+")")
	flags.StringSliceVar(&r.sources, "source", nil, "read comments that allow changes from these Go packages")
	flags.BoolVar(&r.partial, "partial", false, "do not report definitions that are only in OLD as removed")
	r.definitions.Add(cmd)
	return cmd
}

// addFlags adds the flags of a comparison.
func (r *comparison) addFlags(cmd *cobra.Command, formats []string, failOn string) {
	flags := cmd.Flags()
	flags.StringVar(&r.format, "format", "text", "output format: "+strings.Join(formats, ", "))
	flags.StringVar(&r.failOn, "fail-on", failOn, "fail on these changes: stored, clients (and stored), any, none")
	flags.StringVar(&r.kubeVersion, "kube-version", "", "compare for the API server of this Kubernetes version (default "+apiserver.DefaultVersion+")")
}

func (r *diffRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	target, err := r.server(diffFormats())
	if err != nil {
		return err
	}
	if r.format == "html" && r.target() == "-" && r.Console.Out.IsTerminal {
		return fmt.Errorf("HTML is not for a terminal: write it to a file with -o, by default %s", reviewFile)
	}
	if r.isPage() {
		r.definitions.Rules, err = r.definitions.Project.Rules(passes.Rules(), []string{project.Review})
		if err != nil {
			return err
		}
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
	old, new, err := commits.Both(ctx, args)
	for _, side := range []definitions.Read{old, new} {
		if err := reporting.Unread(side.Side.String(), side.Findings, err, r.WorkDir, stderr); err != nil {
			return err
		}
	}
	changes, err := compare.Definitions(ctx, target, old.Definitions, new.Definitions)
	if err != nil {
		return err
	}
	if len(args) < 2 {
		r.sayStale(ctx, target, new.Definitions, stderr)
	}
	if r.partial {
		changes = slices.DeleteFunc(changes, func(c compare.Change) bool {
			return c.Kind == changekind.DefinitionRemoved
		})
	}
	sources := new.Definitions
	findings := diag.List(nil)
	if len(r.sources) > 0 {
		sources, findings, err = r.definitions.Generate(ctx, r.WorkDir, r.sources)
		if err := reporting.Unread(strings.Join(r.sources, " "), findings, err, r.WorkDir, stderr); err != nil {
			return err
		}
	}
	findings, err = definitions.Allow(ctx, changes, new.Definitions, sources, reference.IsCode, commits.Path)
	if err != nil {
		return err
	}
	report := r.report(changes, findings)
	if !r.isPage() {
		return r.conclude(ctx, report, stdout, stderr)
	}
	data, err := r.page(ctx, target, old, new, report)
	if err != nil {
		return err
	}
	return r.deliver(ctx, report, data, stdout, stderr)
}

// page returns the review of a change, with the conventions that it breaks.
func (r *diffRun) page(ctx context.Context, target *verify.Target, old, new definitions.Read, report *review.Report) ([]byte, error) {
	codes, err := r.Project.Rules(verify.Rules(), []string{project.Review})
	if err != nil {
		return nil, err
	}
	server := verify.New(target, verify.Options{Rules: codes})
	for _, side := range []*definitions.Read{&old, &new} {
		found, err := server.Check(ctx, side.Definitions)
		if err != nil {
			return nil, err
		}
		side.Findings = append(side.Findings, found...)
	}
	added := new.Findings.Normalize().Since(old.Findings.Normalize())
	broken := r.Project.Judge(added, map[*project.Waiver]bool{}).On()
	page, err := review.New(ctx, &review.Input{Old: old.Side.String(), New: new.Side.String(), Olds: old.Definitions, News: new.Definitions,
		Report: report, Findings: broken, Kinds: slices.Concat(passes.Rules(), verify.Rules()), Server: r.definitions.Server})
	if err != nil {
		return nil, err
	}
	return page.Write(r.format)
}

// sayStale prints which of the project's definitions its packages, if they have no mistakes, would change.
func (r *diffRun) sayStale(ctx context.Context, target *apiserver.Target, existing []*crd.Definition, stderr io.Writer) {
	packages, err := r.Project.Packages(nil, r.WorkDir)
	if err != nil {
		return
	}
	flags := r.definitions
	flags.Stored = true
	flags.Rules = nil
	made, findings, err := flags.Generate(ctx, r.WorkDir, packages)
	if err != nil || findings.HasErrors() {
		return
	}
	changes, _ := compare.Definitions(ctx, target, existing, made)
	i := slices.IndexFunc(changes, func(c compare.Change) bool { // others may lie elsewhere
		return c.Kind != changekind.DefinitionAdded && c.Kind != changekind.DefinitionRemoved
	})
	if i >= 0 {
		fmt.Fprintf(stderr, "schemagen: %s is not as %s generates it now: run schemagen generate first\n",
			screen.Line(changes[i].Definition), screen.Line(strings.Join(packages, " ")))
	}
}

// isPage reports whether a page for a review is written.
func (r *diffRun) isPage() bool { return slices.Contains(review.Formats(), r.format) }

// server checks the flags and returns the server of the comparison.
func (r *comparison) server(formats []string) (*apiserver.Target, error) {
	if _, ok := failures()[r.failOn]; !ok {
		return nil, fmt.Errorf("unknown --fail-on %q: use one of stored, clients, any, none", r.failOn)
	}
	if !slices.Contains(formats, r.format) {
		return nil, fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(formats, ", "))
	}
	return apiserver.NewTarget(r.kubeVersion)
}

// report returns the report on changes. The findings are about comments that allow changes.
func (r *comparison) report(changes []compare.Change, findings diag.List) *review.Report {
	return &review.Report{
		Changes: compare.Folded(changes), Findings: findings.RelativeTo(r.WorkDir), MinCategory: failures()[r.failOn],
		Dir: r.WorkDir, ReadFile: definitions.ReadIn(r.WorkDir),
	}
}

// conclude prints the changes: for a person, each with the definitions that it is about.
func (r *comparison) conclude(ctx context.Context, report *review.Report, stdout, stderr io.Writer) error {
	report.Changes = compare.Sorted(compare.Grouped(report.Changes))
	list := report.List()
	if r.format == "text" {
		r.Console.Count(report.Findings)
		r.Console.Conclude("%s", report.Summary())
	}
	if r.format == "text" && r.Console.Out.People && r.target() == "-" {
		buffer := bufio.NewWriter(stdout)
		return cmp.Or(r.Console.Findings(buffer, &r.Console.Out).Write(list), buffer.Flush(), verdict(report))
	}
	var data bytes.Buffer
	document := io.Writer(&data)
	if r.format == "text" {
		document = screen.NewTerminal(&data)
	}
	if err := report.Write(document, r.format, reference.Codes()); err != nil {
		return err
	}
	return r.deliver(ctx, report, data.Bytes(), stdout, stderr)
}

// deliver prints a document about changes or writes it to a file.
func (r *comparison) deliver(ctx context.Context, report *review.Report, data []byte, stdout, stderr io.Writer) error {
	delivery := reporting.Delivery{Outputs: []output.File{{Path: r.target(), Data: data}},
		Mode: cli.ModeOf(r.target(), false, false)}
	return cmp.Or(r.DeliverQuietly(ctx, delivery, stdout, stderr), verdict(report))
}

// target returns the file to write, or - for standard output.
func (r *comparison) target() string {
	if r.format == "html" {
		return cmp.Or(r.output, reviewFile)
	}
	return cmp.Or(r.output, "-")
}

// verdict returns errFindings if a change counts.
func verdict(report *review.Report) error {
	if report.Fails() {
		return reporting.ErrFindings
	}
	return nil
}
