// Package crdtest runs test suites of custom resources as Go tests, without a server: objects that
// an API server should store, and objects that it should reject. The CRDs are generated from the
// API packages in memory, so tests always use the current types.
//
//	package v1
//
//	import (
//		"testing"
//
//		"github.com/schemagen/schemagen/dryrun/crdtest"
//	)
//
//	func TestCRDs(t *testing.T) {
//		crdtest.Run(t, "./...", "testdata/*.testsuite.yaml")
//	}
//
// A suite is a YAML file in the format of schemagen test, described in docs/try.md.
package crdtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/verify"
)

// Options configure how the CRDs are generated, for projects that do not configure it in
// their packages. The zero value uses only the markers of the packages.
type Options struct {
	// Enable are the features to enable, as with schemagen crd --enable.
	Enable []string
	// Unions is the form of unions for packages that do not set it, as with
	// schemagen crd --unions.
	Unions string
}

// TestingT is what a test needs. *testing.T and the result of Ginkgo's GinkgoT implement it.
type TestingT interface {
	Helper()
	Context() context.Context
	Log(args ...any)
	Error(args ...any)
	Fatal(args ...any)
}

// Run calls [Options.Run] with the zero options.
func Run(t TestingT, packages string, suites ...string) {
	t.Helper()
	Options{}.Run(t, packages, suites...)
}

// Run generates the CRDs of the packages that match a pattern of the go command, such as
// "./api/...", and runs the test suites that match the patterns of [filepath.Glob]. If t is a
// *testing.T, each case is a subtest named suite/onCreate/case or suite/onUpdate/case; otherwise
// all cases are run, and each that fails is an error with its name. A failure names the
// line of the suite that does not hold.
//
// Both patterns are relative to the directory of the test. It is an error if the CRDs
// cannot be generated, if an option has an unknown value, or if a pattern matches no suite.
func (o Options) Run(t TestingT, packages string, suites ...string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cases, findings, err := o.cases(t.Context(), dir, packages, suites)
	if err != nil {
		t.Fatal(err)
	}
	switch text := textOf(findings, dir); {
	case findings.HasErrors() && len(cases) == 0:
		t.Fatal(text)
	case findings.HasErrors(): // in some of the cases
		t.Error(text)
	case text != "":
		t.Log(text)
	}
	for _, c := range cases {
		if t, ok := t.(*testing.T); ok {
			t.Run(c.Name, func(t *testing.T) {
				t.Helper() // messages contain the position in the suite
				runCase(t, c, dir)
			})
			continue
		}
		runCase(t, c, dir)
	}
}

// runCase runs a case.
func runCase(t TestingT, c *dryrun.Case, dir string) {
	t.Helper()
	failure, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", c.Name, err))
	}
	if failure != nil {
		t.Error(describe(failure, dir))
	}
}

// cases reads the cases of the suites.
func (o Options) cases(ctx context.Context, dir, packages string, suites []string) ([]*dryrun.Case, diag.List, error) {
	target, err := verify.NewTarget("")
	if err != nil {
		return nil, nil, err
	}
	if len(suites) == 0 {
		return nil, nil, errors.New("no test suite is named: pass a pattern such as testdata/*.testsuite.yaml")
	}
	result, findings, err := generator.Run(ctx, generator.Options{
		Source: generator.Source{Dir: dir, Patterns: []string{packages}}, Language: generator.Language{Enable: o.Enable, Unions: o.Unions},
		Final: true, Server: verify.New(target, verify.Options{}),
	})
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	// Warnings about the types are left to schemagen crd.
	findings = nil
	var definitions []*crd.Definition
	for _, c := range result.CRDs() {
		definitions = append(definitions, c.Definition())
	}
	trial := dryrun.New(definitions...)
	var out []*dryrun.Case
	for _, pattern := range suites {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(names) == 0 {
			return nil, nil, fmt.Errorf("no test suite matches %s", pattern)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, nil, err
			}
			cases, found := trial.ReadSuite(name, data)
			out = append(out, cases...)
			findings = append(findings, found...)
		}
	}
	return out, findings, nil
}

// describe returns the message of a failed case.
func describe(f *dryrun.Failure, dir string) string {
	text := "\n" + textOf(diag.List{f.Diagnostic}, dir)
	if f.Want != nil {
		text += udiff.Unified("expected", "stored", string(f.Want), string(f.Got))
	}
	return strings.TrimSuffix(text, "\n")
}

// textOf formats findings, with file names relative to a directory.
func textOf(findings diag.List, dir string) string {
	var out bytes.Buffer
	err := slices.Clone(findings).Normalize().RelativeTo(dir).WriteText(&out)
	if err != nil { // writing to a buffer never fails
		return err.Error()
	}
	return out.String()
}
