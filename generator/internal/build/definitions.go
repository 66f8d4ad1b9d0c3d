package build

import (
	"context"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
)

// Definitions reads the packages and returns the definitions of their kinds with their
// positions in the source, checked as [Make] checks them. It is for packages that compare
// or publish definitions. If a diagnostic is an error, no definitions are returned.
func Definitions(ctx context.Context, options Options) ([]*crd.Definition, diag.List, error) {
	crds, run, err := DefineKinds(ctx, &options)
	if err != nil {
		return nil, nil, err
	}
	if err := run.Checker.Verify(ctx, crds); err != nil {
		return nil, nil, err
	}
	findings := run.Reporter.List.Normalize()
	if findings.HasErrors() {
		return nil, findings, ctx.Err()
	}
	run.Checker.FindLocalFiles()
	out := run.Checker.Subjects(crds)
	for _, d := range out {
		d.CRD = d.Build()
	}
	return out, findings, ctx.Err()
}
