package main

import (
	"context"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/tryout"
)

// testRun is one run of the test command.
type testRun struct {
	tryRun
	// selects is a regular expression that selects cases by their full names.
	selects string
	verbose bool
}

func newTestCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var r testRun
	cmd := &cobra.Command{
		Use:   "test [files or folders]",
		Short: "Run test suites of objects that an API server should store or reject.",
		Long: `Run test suites of custom resources that an API server should store or reject. No
server is needed.

A suite is a YAML file in the format of github.com/openshift/api (.testsuite.yaml);
see docs/try.md. In directories, files with a crdName are suites. The default is the
working directory.`,
		Example: `  schemagen test ./api/... --crd config/crd/bases
  schemagen test widget.testsuite.yaml --crd ./api/v1 --run 'onUpdate/.*immutable' -v`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &r.Reporter); err != nil {
				return err
			}
			return r.run(cmd.Context(), args, stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&r.crds, "crd", nil, generation.CRDFlagHelp)
	flags.StringVar(&r.selects, "run", "", `run only the cases whose name, "suite/onCreate/case", matches this regular expression`)
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "also list the cases that pass")
	r.addPolicyFlag(cmd)
	r.AddFlags(cmd)
	r.definitions.Add(cmd)
	return cmd
}

func (r *testRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	selected, err := regexp.Compile(r.selects)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	r.files = definitions.Folders(args)
	sources, err := definitions.FindSuites(r.files)
	if err != nil {
		return err
	}
	trial, findings, err := r.trial(ctx, stdin)
	if err != nil {
		return err
	}
	if err := tryout.AddFeatureGates(trial, r.crds, stdin); err != nil {
		return err
	}
	suites := tryout.Suites{
		Trial: trial, Stdin: stdin, Stdout: r.Text(stdout, stderr), Paint: screen.PaintOf(r.Console.Out.Terminal),
		Selected: selected, Verbose: r.verbose, Keep: r.definitions.Keep,
	}
	found, err := suites.All(ctx, sources)
	if err != nil {
		return err
	}
	return r.Report(stderr, append(findings, found...))
}
