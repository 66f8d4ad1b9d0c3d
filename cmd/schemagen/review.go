package main

import (
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
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/review"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/verify"
)

// reviewRun is one run of the review command.
type reviewRun struct {
	definitions         generation.DefinitionFlags
	reporter            reporting.Reporter
	kubeVersion, format string
	// output is a file, or - for standard output.
	output string
}

func newReviewCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	r := reviewRun{reporter: reporting.Reporter{Format: "text"}}
	cmd := &cobra.Command{
		Use:   "review [OLD [NEW]]",
		Short: "Write a page for the review of a change to an API.",
		Long: `Write one page with what the reviewer of a change to an API has to know: what it
breaks, API conventions that it does not follow, new unions, the cost of CEL rules,
sizes, samples before and after, and questions that no program can answer.

OLD and NEW are as for diff; the default for OLD is git:HEAD. The default for NEW is the
project's Go packages, as for crd: conventions are only checked in Go. A project without
packages has CRDs, as for verify. The page is self-contained HTML without a script, Markdown for
a pull request, or JSON.`,
		Example: `  schemagen review git:main -o review.html
  schemagen review git:main --format markdown | gh pr comment --body-file -`,
		Args: cli.Args(0, 2, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &r.reporter); err != nil {
				return err
			}
			return r.run(cmd.Context(), args, stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.output, "output", "o", "-", "write to this file, - for standard output")
	flags.StringVar(&r.format, "format", "html", "output format: "+strings.Join(review.Formats(), ", "))
	flags.StringVar(&r.kubeVersion, "kube-version", "", "compare for the API server of this Kubernetes version (default "+apiserver.DefaultVersion+")")
	r.definitions.Add(cmd)
	return cmd
}

func (r *reviewRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if !slices.Contains(review.Formats(), r.format) {
		return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(review.Formats(), ", "))
	}
	target, err := apiserver.NewTarget(r.kubeVersion)
	if err != nil {
		return err
	}
	r.definitions.Rules, err = r.definitions.Project.Rules([]string{project.Review})
	if err != nil {
		return err
	}
	r.definitions.Server = verify.New(target, verify.Options{})
	input := review.Input{Kinds: passes.Rules(), Server: r.definitions.Server, Dir: r.definitions.Dir}
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return err
	}
	reader.Lenient = true
	commits := definitions.Commits{Reader: *reader}
	defer commits.Close()
	if err := r.read(ctx, args, &commits, &input, stderr); err != nil {
		return err
	}
	changes, err := compare.Definitions(ctx, target, input.Olds, input.News)
	if err != nil {
		return err
	}
	findings, err := definitions.Allow(ctx, changes, input.News, input.News, reference.IsCode, commits.Path)
	if err = cmp.Or(err, reporting.Refused("NEW", input.New, findings, r.definitions.Dir, stderr)); err != nil {
		return err
	}
	input.Changes = compare.Folded(changes)
	page, err := review.New(ctx, &input)
	if err != nil {
		return err
	}
	data, err := page.Write(r.format)
	if err != nil {
		return err
	}
	delivery := reporting.Delivery{Outputs: []output.File{{Path: r.output, Data: data}},
		Mode: cli.ModeOf(r.output, false, false)}
	return r.reporter.DeliverQuietly(ctx, delivery, stdout, stderr)
}

// read reads both sides, and the findings that only the new one has.
func (r *reviewRun) read(ctx context.Context, args []string, commits *definitions.Commits, target *review.Input,
	stderr io.Writer) error {
	packages, _ := r.definitions.Project.Packages(nil, r.definitions.Dir) // without any, NEW is files
	old, new, err := commits.Both(ctx, args, packages)
	if err = cmp.Or(err, reporting.Refused("OLD", old.Side.String(), old.Findings, r.definitions.Dir, stderr), reporting.Refused("NEW", new.Side.String(), new.Findings, r.definitions.Dir, stderr)); err != nil {
		return err
	}
	target.Old = old.Side.String()
	target.New = new.Side.String()
	target.Olds = old.Definitions
	target.News = new.Definitions
	target.Findings = r.definitions.Project.Judge(new.Findings.Normalize().Since(old.Findings.Normalize()),
		map[*project.Waiver]bool{}).On()
	return nil
}
