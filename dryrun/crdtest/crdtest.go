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
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
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

// Run calls [Options.Run] with the zero options.
func Run(t *testing.T, packages string, suites ...string) {
	t.Helper()
	Options{}.Run(t, packages, suites...)
}

// Run generates the CRDs of the packages that match a pattern of the go command, such as
// "./api/...", and runs the test suites that match the patterns of [filepath.Glob]. Each
// case is a subtest named suite/onCreate/case or suite/onUpdate/case. A failure names the
// line of the suite that does not hold.
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
	switch text := textOf(findings, dir); {
	case findings.HasErrors() && len(cases) == 0:
		t.Fatal(text)
	case findings.HasErrors(): // in some of the cases
		t.Error(text)
	case text != "":
		t.Log(text)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Helper() // messages contain the position in the suite
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
	definitions, findings, err := define.Definitions(ctx, define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{packages}}, Language: define.Language{Enable: o.Enable, Unions: o.Unions}, Final: true, Server: verify.New(target, verify.Options{})})
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	// Warnings about the types are left to schemagen crd.
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
