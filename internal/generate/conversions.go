package generate

import (
	"context"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/laws"
	"github.com/schemagen/schemagen/internal/conversions/policy"
	"github.com/schemagen/schemagen/internal/define"
)

// Conversions are the Go functions that convert the versions of kinds, with their tests and the
// admission policies for what they keep, that a run writes.
type Conversions struct {
	conversions.Options
	GoFiles
	// LawsOnly generates only tests, of hand-written conversions.
	LawsOnly bool
}

// Run generates the conversions, the tests and the policies. The options select the packages.
func (c Conversions) Run(ctx context.Context, options define.Options) (*Result, error) {
	options.Header = c.Header
	made, findings, err := c.generate(ctx, options)
	if err != nil {
		return nil, err
	}
	remove, stale, err := staleConversions(ctx, options, *made)
	if err != nil {
		return nil, err
	}
	out := &Result{Stale: remove, Findings: slices.Concat(findings, c.Unreadable, stale)}
	out.add(nil, options.Dir, append(made.Generated.Files, made.Tests.Files...))
	if !out.Findings.HasErrors() && !c.LawsOnly {
		const reason = "the kind of this file has no such version that keeps anything"
		if err := c.addPolicies(ctx, options, policyFiles{made.Generated.Policies, policy.Suffix, reason}, out); err != nil {
			return nil, err
		}
	}
	return out.normalized(), nil
}

// generate returns the files beside Go packages.
func (c Conversions) generate(ctx context.Context, options define.Options) (*conversionOutputs, diag.List, error) {
	out := &conversionOutputs{GoFiles: c.GoFiles}
	var findings diag.List
	var err error
	if c.LawsOnly {
		out.Tests, findings, err = laws.Generate(ctx, options)
		return out, findings, err
	}
	out.Generated, findings, err = conversions.Generate(ctx, options, c.Options)
	if err != nil {
		return nil, nil, err
	}
	if out.Generated.Model != nil {
		out.Tests, err = laws.Generated(out.Generated.Model, options.Header)
	}
	return out, findings, err
}
