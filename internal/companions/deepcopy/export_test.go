package deepcopy

import (
	"context"
	"go/types"

	"github.com/schemagen/schemagen/internal/source"
)

// Checked is a generated file that was type-checked, whether there is a reason or not.
type Checked struct {
	// Reason is the reason to check it, or empty.
	Reason string
	Errors []types.Error
}

// CheckAll generates files as Generate does, and type-checks all of them.
func CheckAll(ctx context.Context, p *source.Program, roots []*source.Package, options Options) ([]Checked, error) {
	g := newGenerator(p, options)
	if _, _, err := g.generate(ctx, roots); err != nil {
		return nil, err
	}
	var out []Checked
	for p, file := range g.written {
		found, err := g.check([]*source.Package{p})
		if err != nil {
			return nil, err
		}
		out = append(out, Checked{Reason: string(file.reason), Errors: found[p]})
	}
	return out, nil
}
