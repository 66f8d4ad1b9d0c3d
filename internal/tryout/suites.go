package tryout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Suites runs the test suites of one run.
type Suites struct {
	Trial *dryrun.Trial
	// Stdin is read as "-". Results are written to Stdout; Paint colours a diff.
	Stdin  io.Reader
	Stdout io.Writer
	Paint  screen.Paint
	// Selected matches the full names of the cases to run.
	Selected *regexp.Regexp
	// Verbose also lists the cases that pass.
	Verbose bool
	// Keep, if not nil, is called with what is read.
	Keep func(file crd.File)

	suites, passed, failed int
}

// AddFeatureGates reads the states of gates in the files that are named as CRDs.
func AddFeatureGates(trial *dryrun.Trial, names []string, stdin io.Reader) error {
	files := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "-" })
	sources, _, err := definitions.Find(files)
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

// All runs the suites in files, and returns findings about them and about failed cases.
func (s *Suites) All(ctx context.Context, sources []definitions.Source) (diag.List, error) {
	var findings diag.List
	ran := progress.Start(ctx, "running", "test suites", 0)
	for _, source := range sources {
		ran.Add(1)
		found, err := s.suite(ctx, source)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	if s.suites == 0 {
		return nil, errors.New("no test suite found; a suite is a YAML file with crdName and tests")
	}
	if s.passed+s.failed == 0 && !findings.HasErrors() {
		findings = nothingRan(findings, s.Selected.String())
	}
	_, err := fmt.Fprintf(s.Stdout, "%d passed, %d failed\n", s.passed, s.failed)
	return findings, err
}

// suite runs the suite in a file. A file that was found in a directory need not have one.
func (s *Suites) suite(ctx context.Context, source definitions.Source) (diag.List, error) {
	data, err := source.Read(s.Stdin)
	if err != nil || source.Found && !dryrun.IsSuite(data) {
		return nil, err
	}
	s.suites++
	if s.Keep != nil {
		s.Keep(crd.File{Name: source.Name, Data: data})
	}
	cases, findings := s.Trial.ReadSuite(source.Name, data)
	if len(cases) == 0 && !findings.HasErrors() {
		hint := "write cases below tests.onCreate or tests.onUpdate"
		findings = append(findings, noCases.At(diag.Position{File: source.Name}, hint, "the test suite has no cases"))
	}
	for _, c := range cases {
		if !s.Selected.MatchString(c.Name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		failure, err := c.Run(ctx)
		if err != nil {
			return nil, err
		}
		if failure != nil {
			findings = append(findings, failure.Diagnostic)
		}
		if err := s.print(c, failure); err != nil {
			return nil, err
		}
	}
	return findings, nil
}

// nothingRan adds to the findings about suites that none of their cases has run, which is an error.
// pattern is the expression that selects cases, or empty for all.
func nothingRan(findings diag.List, pattern string) diag.List {
	if pattern != "" {
		hint := `a name is "suite/onCreate/case": --run . --verbose lists those that pass`
		return append(findings, noCases.At(diag.Position{}, hint, "no case matches --run %s", pattern).As(diag.Error))
	}
	for i, d := range findings {
		if d.Code == noCases.Code {
			findings[i] = d.As(diag.Error)
		}
	}
	return findings
}

// print counts and prints the result of a case; failure is nil if it passes.
func (s *Suites) print(c *dryrun.Case, failure *dryrun.Failure) error {
	var text bytes.Buffer
	switch {
	case failure != nil:
		s.failed++
		fmt.Fprintf(&text, "FAIL %s\n", screen.Line(c.Name))
		if failure.Want != nil {
			text.WriteString("  - expected, + stored\n")
			output.PrintFull(&text, s.Paint, failure.Want, failure.Got)
		}
	default:
		s.passed++
		if s.Verbose {
			fmt.Fprintf(&text, "ok   %s\n", screen.Line(c.Name))
		}
	}
	_, err := text.WriteTo(s.Stdout)
	return err
}
