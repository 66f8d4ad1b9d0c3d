package build

import (
	"context"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
)

// Definitions reads the packages and returns the definitions of their kinds with
// their positions in the source, checked as [Make] checks them, for packages that compare
// or publish definitions. There are none if a diagnostic is an error.
func Definitions(ctx context.Context, options Options) ([]*crd.Definition, diag.List, error) {
	crds, w, err := DefineKinds(ctx, &options)
	if err != nil {
		return nil, nil, err
	}
	if err := w.verify(ctx, crds, nil); err != nil {
		return nil, nil, err
	}
	findings := w.Reporter.List.Normalize()
	if findings.HasErrors() {
		return nil, findings, ctx.Err()
	}
	w.findLocalFiles()
	var out []*crd.Definition
	for _, c := range crds {
		s := w.subject(c)
		s.CRD = s.Build()
		out = append(out, s)
	}
	return out, findings, ctx.Err()
}
