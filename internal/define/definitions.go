package define

import (
	"context"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Definitions reads the packages and returns the definitions of their kinds with their
// positions in the source, checked as [Make] checks them. It is for packages that compare
// or publish definitions. The definitions share parts, and must not be changed. If a diagnostic
// is an error, none are returned.
func Definitions(ctx context.Context, options Options) ([]*crd.Definition, diag.List, error) {
	crds, run, err := DefineKinds(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	// With their texts, the parts that definitions share are verified once.
	if !run.Hides() && !run.Reporter.List.HasErrors() {
		files, err := emit(crds, run.Options)
		if err != nil {
			return nil, nil, err
		}
		for i, d := range crds {
			d.Text = files[i].Data
		}
	}
	subjects := run.Checker.Subjects(crds)
	if err := run.Checker.VerifySubjects(ctx, subjects); err != nil {
		return nil, nil, err
	}
	findings := run.Reporter.List.Normalize()
	if findings.HasErrors() {
		return nil, findings, ctx.Err()
	}
	run.Checker.FindLocalFiles()
	var props structural.SharedProps
	for i, d := range subjects {
		d.CRD = crds[i].Shared(&props)
	}
	return subjects, findings, ctx.Err()
}
