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
	crds, w, err := DefineKinds(ctx, &options)
	if err != nil {
		return nil, nil, err
	}
	if err := w.Checker.Verify(ctx, crds); err != nil {
		return nil, nil, err
	}
	findings := w.Reporter.List.Normalize()
	if findings.HasErrors() {
		return nil, findings, ctx.Err()
	}
	w.Checker.FindLocalFiles()
	out := w.Checker.Subjects(crds)
	for _, d := range out {
		d.CRD = d.Build()
	}
	return out, findings, ctx.Err()
}
