package generation

import (
	"cmp"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/verify"
)

// Settle returns the settings of a command that reads or writes Go files: unions, conversions, or
// gates.
func (inv *Invocation) Settle() (s *Settings, err error) {
	inv.Dir, err = os.Getwd()
	if err != nil {
		return nil, err
	}
	s, err = inv.settle(nil, &Session{})
	if err != nil {
		return nil, err
	}
	return s, s.Reporter.CheckFormat()
}

// goFiles completes the settings of a command that reads or writes Go files.
func (inv *Invocation) goFiles(s *Settings, v *Values) (err error) {
	s.in = s.Reporter.Reader
	s.Mode = cli.ModeOf("", inv.Check, inv.Diff)
	v.Inputs = s.in
	if inv.Of == project.OfGates {
		v.Inputs = cmp.Or(s.in, inputs.New())
	}
	v.Patterns, err = s.Reporter.Packages(inv.Command, s.in, v.Patterns)
	if err != nil {
		return err
	}
	if inv.Of != project.OfUnions {
		tags := v.Tags
		v.Options, err = Options(s.Reporter.Project, v.Options)
		v.Tags = tags
		return err
	}
	server, err := NewVerifier("", verify.Options{})
	if err != nil {
		return err
	}
	v.Server = server
	v.Passes = passes.All()
	s.Reporter.Project.AddTo(&v.Options)
	if unions := s.Reporter.Project.Texts("unions", inv.Dir); len(unions) > 0 {
		v.Unions = unions[0]
	}
	return nil
}

// GoFiles returns the options that unions and conversions have in common.
func (s *Settings) GoFiles() generate.GoFiles {
	return generate.GoFiles{Header: s.Header, Policies: s.policies, Prune: s.Prune, Unreadable: s.unreadable}
}

// CheckFunctions returns an error for settings of unions with which no functions can be generated: a
// feature that does not exist, or a header that cannot be in a Go file.
func (s *Settings) CheckFunctions() error {
	if err := CheckFeatures(s.Enable); err != nil {
		return err
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", s.Header+"\npackage p", 0); err != nil {
		return fmt.Errorf("header file: %s is not a Go comment", s.headerFile)
	}
	return nil
}

// Execute runs a generator of Go files, and writes nothing.
func (s *Settings) Execute(
	ctx context.Context, generator func(context.Context, define.Options) (*generate.Result, error),
) (*Outcome, error) {
	made, err := generator(ctx, s.Request.Options)
	if err != nil {
		return nil, err
	}
	return &Outcome{Result: *made, Verdict: s.Reporter.Judge(made.Findings)}, nil
}
