package generate

import (
	"context"
	"path/filepath"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/laws"
	"github.com/schemagen/schemagen/internal/conversions/policy"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Conversions are the Go functions that convert the versions of kinds, with their tests and the
// admission policies for what they keep, that a run writes.
type Conversions struct {
	conversions.Options
	// LawsOnly generates only tests, of hand-written conversions.
	LawsOnly bool
	// Policies is the directory of admission policies; none are written if it is empty.
	Policies string
	// Prune removes files that schemagen wrote for packages, or versions, without conversions.
	Prune bool
	// Unreadable are findings about the file whose text is the header of the options.
	Unreadable diag.List
}

// Run generates the conversions, the tests and the policies. The options are those of the packages.
func (c Conversions) Run(ctx context.Context, options define.Options) (*Result, error) {
	made, findings, err := c.generate(ctx, options)
	if err != nil {
		return nil, err
	}
	out := &Result{Findings: append(findings, c.Unreadable...)}
	remove, found, err := staleConversions(ctx, options, *made)
	if err != nil {
		return nil, err
	}
	out.Stale = remove
	out.Findings = append(out.Findings, found...)
	for _, f := range append(made.Generated.Files, made.Tests.Files...) {
		out.Outputs = append(out.Outputs, output.File{Path: screen.Relative(options.Dir, f.Name, 0), Data: f.Data})
	}
	if c.Policies != "" && !out.Findings.HasErrors() {
		if err := c.addPolicies(ctx, options, made.Generated, out); err != nil {
			return nil, err
		}
	}
	out.Findings = definitions.WithoutIgnored(nil, out.Findings.Normalize())
	return out, nil
}

// generate returns the files beside Go packages.
func (c Conversions) generate(ctx context.Context, options define.Options) (*conversionOutputs, diag.List, error) {
	out := &conversionOutputs{Prune: c.Prune}
	var findings diag.List
	var err error
	if c.LawsOnly {
		out.Tests, findings, err = laws.Generate(ctx, options)
		return out, findings, err
	}
	if out.Generated, findings, err = conversions.Generate(ctx, options, c.Options); err != nil {
		return nil, nil, err
	}
	if out.Generated.Model != nil {
		out.Tests, err = laws.Generated(out.Generated.Model, options.Header)
	}
	return out, findings, err
}

// addPolicies adds the policies to a result, and those in their directory that are no longer needed.
func (c Conversions) addPolicies(ctx context.Context, options define.Options, generated conversions.Files, to *Result) error {
	for _, f := range generated.Policies {
		to.Outputs = append(to.Outputs, output.File{Path: filepath.Join(c.Policies, f.Name), Data: f.Data})
	}
	remove, found, err := stalePolicies(ctx, options, policies{
		Outputs: to.Outputs, Dir: c.Policies, Suffix: policy.Suffix,
		Reason: "the kind of this file has no such version that keeps anything", Prune: c.Prune,
	})
	to.Stale = append(to.Stale, remove...)
	to.Findings = append(to.Findings, found...)
	return err
}
