package define

import (
	"context"

	"github.com/schemagen/schemagen/diag"
)

// This file exports to tests with passes what they need of a run.

// Unfolded returns a run, in which the consequences of misspelled markers are findings.
func Unfolded(ctx context.Context, options Options) (*Run, error) {
	_, _, run, err := generate(ctx, options, rerun{}, nil)
	return run, err
}

// Fold returns the findings without the consequences of misspelled markers. If all is set, it
// does not find out which kinds they may affect.
func (run *Run) Fold(ctx context.Context, found diag.List, all bool) (diag.List, error) {
	if all {
		run.defined = nil
	}
	return run.foldConsequences(ctx, found)
}

// FewKinds reports whether there is one misspelled marker, which may affect one kind at most.
func (run *Run) FewKinds() bool {
	if len(run.corrections) != 1 {
		return false
	}
	only := run.kindsWith(run.corrections[0])
	return only != nil && len(only) < 2
}
