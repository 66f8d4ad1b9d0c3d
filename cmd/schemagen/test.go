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

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/output"
	"github.com/schemagen/schemagen/internal/progress"
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
			if err := r.definitions.configure(cmd, &r.Reporter); err != nil {
				return err
			}
			return r.run(cmd.Context(), args, stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&r.crds, "crd", nil, crdFlagHelp)
	flags.StringVar(&r.selects, "run", "", `run only the cases whose name, "suite/onCreate/case", matches this regular expression`)
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "also list the cases that pass")
	r.addPolicyFlag(cmd)
	r.AddFlags(cmd)
	r.definitions.add(cmd)
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
	r.files = args
	sources, err := suiteFiles(args)
	if err != nil {
		return err
	}
	trial, findings, err := r.trial(ctx, stdin)
	if err != nil {
		return err
	}
	if err := r.addFeatureGates(trial, stdin); err != nil {
		return err
	}
	passed, failed, suites := 0, 0, 0
	ran := progress.Start(ctx, "running", "test suites", 0)
	for _, source := range sources {
		ran.Add(1)
		data, err := source.Read(stdin)
		if err != nil {
			return err
		}
		if source.Found && !dryrun.IsSuite(data) {
			continue
		}
		suites++
		if r.definitions.keep != nil {
			r.definitions.keep(crd.File{Name: source.Name, Data: data})
		}
		cases, found := trial.ReadSuite(source.Name, data)
		findings = append(findings, found...)
		for _, c := range cases {
			if !selected.MatchString(c.Name) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			failure, err := c.Run(ctx)
			if err != nil {
				return err
			}
			if failure == nil {
				passed++
				if r.verbose {
					fmt.Fprintf(stdout, "ok   %s\n", diag.Line(c.Name))
				}
				continue
			}
			failed++
			findings = append(findings, failure.Diagnostic)
			fmt.Fprintf(stdout, "FAIL %s\n", diag.Line(c.Name))
			if failure.Want == nil {
				continue
			}
			var text bytes.Buffer
			text.WriteString("  - expected, + stored\n")
			output.PrintFull(&text, diag.PaintOf(r.Console.Out.Terminal), failure.Want, failure.Got)
			if _, err := text.WriteTo(stdout); err != nil {
				return err
			}
		}
	}
	if suites == 0 {
		return fmt.Errorf("no test suite found; a suite is a YAML file with crdName and tests")
	}
	if _, err := fmt.Fprintf(stdout, "%d passed, %d failed\n", passed, failed); err != nil {
		return err
	}
	return r.Report(stderr, findings)
}

// addFeatureGates reads the states of gates in the files of --crd.
func (r *testRun) addFeatureGates(trial *dryrun.Trial, stdin io.Reader) error {
	sources, _, err := definitions.Find(slices.DeleteFunc(slices.Clone(r.crds), func(name string) bool { return name == "-" }))
	if err != nil {
		return err
	}
	for _, source := range sources {
		data, err := source.Read(stdin)
		if err != nil {
			return err
		}
		trial.AddFeatureGates(crd.File{Name: source.Name, Data: data})
	}
	return nil
}

// suiteFiles returns the files that may be suites.
func suiteFiles(args []string) ([]definitions.Source, error) {
	sources, missing, err := definitions.Find(args)
	if err != nil {
		return nil, err
	}
	// A directory with Go files but no YAML file has no suite; that is not a mistake.
	missing = slices.DeleteFunc(missing, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	})
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: no such file or directory", missing[0])
	}
	return sources, nil
}
