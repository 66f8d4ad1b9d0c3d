package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/dryrun"
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
		Use:   "test [CRD...] [-f SUITE]",
		Short: "Run test suites of objects that an API server should store or reject.",
		Long: `Run test suites of custom resources that an API server should store or reject. No
server is needed.

A suite is a YAML file in the format of github.com/openshift/api (.testsuite.yaml);
see docs/try.md. In directories, files with a crdName are suites; the default is the
working directory. CRDs are files, directories, -, or Go packages; the default is the
project's, as for verify, and the CRDs beside the suites.`,
		Example: `  schemagen test config/crd/bases
  schemagen test ./api/v1 -f widget.testsuite.yaml --run 'onUpdate/.*immutable' -v`,
		Args: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if data, err := os.ReadFile(name); err == nil && dryrun.IsSuite(data) {
					return cli.UsageError(cmd, "%s is a test suite: name it with -f", name)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r.crds = args
			if err := r.definitions.Configure(cmd, &r.Reporter); err != nil {
				return err
			}
			return r.run(cmd.Context(), stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&r.files, "filename", "f", []string{"."}, "read test suites from files, directories, or - for standard input")
	flags.StringVar(&r.selects, "run", "", `run only the cases whose name, "suite/onCreate/case", matches this regular expression`)
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "also list the cases that pass")
	r.addPolicyFlag(cmd)
	r.AddFlags(cmd)
	r.definitions.Add(cmd)
	return cmd
}

func (r *testRun) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	selected, err := regexp.Compile(r.selects)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	files := definitions.Folders(r.files)
	sources, err := definitions.FindSuites(files)
	if err != nil {
		return err
	}
	if len(r.crds) > 0 {
		files = nil // only what is named
	}
	trial, findings, err := r.trial(ctx, files, stdin)
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
