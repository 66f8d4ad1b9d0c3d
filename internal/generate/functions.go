package generate

import (
	"context"
	"path/filepath"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

// Functions are the Go functions for unions, and the admission policies, that a run writes.
type Functions struct {
	uniongen.FunctionOptions
	// OnlyPolicies writes no functions.
	OnlyPolicies bool
	// Policies is the directory of admission policies; none are written if it is empty.
	Policies string
	// Prune removes files that schemagen wrote for packages without unions.
	Prune bool
	// Unreadable are findings about the file whose text is the header of the options.
	Unreadable diag.List
}

// Run generates the functions and the policies. The options are those of the packages.
func (f Functions) Run(ctx context.Context, options define.Options) (*Result, error) {
	out := &Result{Findings: f.Unreadable}
	stale := unionOutputs{Policy: f.Policies, Prune: f.Prune}
	if !f.OnlyPolicies {
		generated, found, err := uniongen.Generate(ctx, options, f.FunctionOptions)
		if err != nil {
			return nil, err
		}
		out.Findings = append(out.Findings, found...)
		for _, file := range generated.Files {
			out.Outputs = append(out.Outputs, output.File{Path: screen.Relative(options.Dir, file.Name, 0), Data: file.Data})
		}
		stale.Without = generated.Without
	}
	if f.Policies != "" {
		files, found, err := uniongen.Policies(ctx, options, f.FunctionOptions)
		if err != nil {
			return nil, err
		}
		out.Findings = append(out.Findings, found...)
		for _, file := range files {
			out.Outputs = append(out.Outputs, output.File{Path: filepath.Join(f.Policies, file.Name), Data: file.Data})
		}
	}
	if !out.Findings.HasErrors() {
		stale.Outputs = out.Outputs
		remove, found, err := staleUnions(ctx, options, stale)
		if err != nil {
			return nil, err
		}
		out.Stale = remove
		out.Findings = append(out.Findings, found...)
	}
	out.Findings = definitions.WithoutIgnored(nil, out.Findings.Normalize())
	return out, nil
}
