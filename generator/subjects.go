package generator

import (
	"context"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/verify"
)

// Subjects reads the packages and returns the definitions of their kinds with
// their places in the source, proven as [Generate] proves them. There are none
// where a diagnostic is an error.
func Subjects(ctx context.Context, options Options) ([]*verify.Subject, diag.List, error) {
	crds, w, err := definitions(ctx, &options)
	if err != nil {
		return nil, nil, err
	}
	if err := w.verify(ctx, crds, nil); err != nil {
		return nil, nil, err
	}
	findings := w.reporter.list.Normalize()
	if findings.HasErrors() {
		return nil, findings, ctx.Err()
	}
	w.findLocalFiles()
	var out []*verify.Subject
	for _, crd := range crds {
		s := w.subject(crd)
		s.CRD = s.Build()
		out = append(out, s)
	}
	return out, findings, ctx.Err()
}
