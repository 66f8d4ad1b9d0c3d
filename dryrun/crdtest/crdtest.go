// Package crdtest runs test suites of custom resources as Go tests: what an API server
// should store of them and what it should refuse, without a server. The CRDs are
// generated from the API packages in memory, so that a test sees the types as they are.
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
// A suite is a YAML file as schemagen test reads it; docs/try.md describes the format.
package crdtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/verify"
)

// Options say how the CRDs are generated, for projects that state it outside of their
// packages. The zero value leaves everything to the markers of the packages.
type Options struct {
	// Enable are features that are switched on, as by schemagen crd --enable.
	Enable []string
	// Unions is the form of unions whose source does not state it, as for schemagen crd
	// --unions.
	Unions string
}

// Run calls [Options.Run] with the zero options.
func Run(t *testing.T, packages string, suites ...string) {
	t.Helper()
	Options{}.Run(t, packages, suites...)
}

// Run generates the CRDs of the packages that a pattern of the go command names, such as
// "./api/...", and runs the test suites that match the patterns of [filepath.Glob]. Each
// case is a subtest with the name suite/onCreate/case or suite/onUpdate/case. Its failure
// has the line of the suite that is not met.
//
// Both patterns are relative to the directory of the test. It is an error if the CRDs
// cannot be generated, or if a pattern matches no suite.
func (o Options) Run(t *testing.T, packages string, suites ...string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cases, findings, err := o.cases(t.Context(), dir, packages, suites)
	if err != nil {
		t.Fatal(err)
	}
	if text := textOf(findings, dir); findings.HasErrors() {
		t.Fatal(text)
	} else if text != "" {
		t.Log(text)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Helper() // positions are those of the suite
			failure, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if failure != nil {
				t.Error(describe(failure, dir))
			}
		})
	}
}

// cases reads the cases of the suites.
func (o Options) cases(ctx context.Context, dir, packages string, suites []string) ([]*dryrun.Case, diag.List, error) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		return nil, nil, err
	}
	definitions, findings, err := driver.Definitions(ctx, generator.Options{Source: generator.Source{Dir: dir, Patterns: []string{packages}}, Language: generator.Language{Enable: o.Enable, Unions: o.Unions}, Final: true, Server: verify.New(target, verify.Options{})})
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	// Warnings about the types are for those who generate.
	findings = nil
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
			out, findings = append(out, cases...), append(findings, found...)
		}
	}
	return out, findings, nil
}

// describe is what a failed case prints.
func describe(f *dryrun.Failure, dir string) string {
	text := "\n" + textOf(diag.List{f.Diagnostic}, dir)
	if f.Want != nil {
		text += udiff.Unified("expected", "stored", string(f.Want), string(f.Got))
	}
	return strings.TrimSuffix(text, "\n")
}

// textOf is the text of findings, with file names relative to a directory.
func textOf(findings diag.List, dir string) string {
	var out bytes.Buffer
	err := slices.Clone(findings).Normalize().RelativeTo(dir).WriteText(&out)
	if err != nil { // a buffer takes everything
		return err.Error()
	}
	return out.String()
}
