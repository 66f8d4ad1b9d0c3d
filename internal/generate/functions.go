package generate

import (
	"context"
	"path/filepath"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

// Functions are the Go functions for unions, and the admission policies, that a run writes.
type Functions struct {
	uniongen.FunctionOptions
	GoFiles
	// OnlyPolicies writes no functions.
	OnlyPolicies bool
}

// Run generates the functions and the policies. The options select the packages.
func (f Functions) Run(ctx context.Context, options define.Options) (*Result, error) {
	options.Header = f.Header
	out := &Result{Findings: f.Unreadable}
	var generated uniongen.Files
	var policies []define.File
	var err error
	if !f.OnlyPolicies {
		var found diag.List
		generated, found, err = uniongen.Generate(ctx, options, f.FunctionOptions)
		if err != nil {
			return nil, err
		}
		out.add(found, options.Dir, generated.Files)
	}
	if f.Policies != "" {
		var found diag.List
		policies, found, err = uniongen.Policies(ctx, options, f.FunctionOptions)
		if err != nil {
			return nil, err
		}
		out.Findings = append(out.Findings, found...)
	}
	if !out.Findings.HasErrors() {
		const reason = "the package of this file has no unions"
		var candidates []string
		for _, dir := range generated.Without {
			candidates = append(candidates, screen.Relative(options.Dir, filepath.Join(dir, uniongen.FileName), 0))
		}
		remove, found, err := staleAmong(options.Inputs, candidates, reason, f.GoFiles)
		if err != nil {
			return nil, err
		}
		out.Stale = remove
		out.Findings = append(out.Findings, found...)
		if err := f.addPolicies(ctx, options, policyFiles{policies, uniongen.PolicySuffix, reason}, out); err != nil {
			return nil, err
		}
	}
	return out.normalized(), nil
}
