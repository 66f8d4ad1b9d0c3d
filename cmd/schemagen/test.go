package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/spf13/cobra"
)

// testRun is one run of the test command.
type testRun struct {
	tryRun
	// selects are the cases to run, by their full names.
	selects string
	verbose bool
}

func newTestCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var r testRun
	cmd := &cobra.Command{
		Use:   "test [files or folders]",
		Short: "Run test suites: what an API server should store, and refuse.",
		Long: `Run test suites: what an API server should store of custom resources, and what it
should refuse. No server is needed.

A suite is a YAML file as those of github.com/openshift/api (.testsuite.yaml); see
docs/try.md. In folders, files with a crdName are suites. Without an argument it is
the working directory.`,
		Example: `  schemagen test ./api/... --crd config/crd/bases
  schemagen test widget.testsuite.yaml --crd ./api/v1 --run 'onUpdate/.*immutable' -v`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.configure(cmd, &r.reporting); err != nil {
				return err
			}
			return r.run(cmd.Context(), args, stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&r.crds, "crd", nil, "CRDs: files, directories, - for standard input, or Go packages")
	flags.StringVar(&r.selects, "run", "", `regular expression: run the cases whose "suite/onCreate/case" it matches`)
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "name the cases that pass, too")
	flags.StringVar(&r.color, "color", "auto", "colour differences: auto, always, never")
	r.addFlags(cmd)
	r.definitions.add(cmd)
	return cmd
}

func (r *testRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	selected, err := regexp.Compile(r.selects)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	r.files = args
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	sources, err := suiteFiles(args)
	if err != nil {
		return err
	}
	t := newTrial(&r.tryRun, stdin)
	if err := t.readCRDs(ctx, wd); err != nil {
		return err
	}
	runner := &caseRunner{trial: t, kinds: map[suiteKind]*triedKind{}}
	findings := t.findings
	passed, failed, suites := 0, 0, 0
	for _, source := range sources {
		data, err := readSource(source, stdin)
		if err != nil {
			return err
		}
		if source.met && !isSuite(data) {
			continue
		}
		suites++
		suite, found := readSuite(source.name, data)
		findings = append(findings, found...)
		if suite == nil {
			continue
		}
		kind, found := runner.kindOf(suite)
		findings = append(findings, found...)
		if kind == nil {
			continue
		}
		for _, c := range suite.cases {
			if !selected.MatchString(c.name) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			failure, err := runner.run(ctx, kind, c)
			if err != nil {
				return err
			}
			if failure == nil {
				passed++
				if r.verbose {
					fmt.Fprintf(stdout, "ok   %s\n", c.name)
				}
				continue
			}
			failed++
			findings = append(findings, failure.finding)
			fmt.Fprintf(stdout, "FAIL %s\n", c.name)
			if _, err := failure.diff.WriteTo(stdout); err != nil {
				return err
			}
		}
	}
	if suites == 0 {
		return fmt.Errorf("no test suite found; one is a YAML file with crdName and tests")
	}
	if _, err := fmt.Fprintf(stdout, "%d passed, %d failed\n", passed, failed); err != nil {
		return err
	}
	return r.report(stderr, findings, wd)
}

// suiteFiles are the files that may be suites.
func suiteFiles(args []string) ([]manifestSource, error) {
	sources, missing, err := findSources(args)
	if err != nil {
		return nil, err
	}
	// A folder of Go files without a YAML file is no mistake, but has no suite.
	missing = slices.DeleteFunc(missing, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	})
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: no such file or directory", missing[0])
	}
	return sources, nil
}

// isSuite reports whether a file that was met in a folder is meant as a suite.
func isSuite(data []byte) bool {
	return bytes.HasPrefix(data, []byte("crdName:")) || bytes.Contains(data, []byte("\ncrdName:"))
}
