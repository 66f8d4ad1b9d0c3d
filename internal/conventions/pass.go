package conventions

import (
	"context"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
)

// Pass checks the conventions that the rules of a run name.
type Pass struct{}

// Begin implements [define.Pass].
func (Pass) Begin(run *define.Run) any { return checker{run} }

type checker struct{ run *define.Run }

// Check implements [define.Checker].
func (c checker) Check(_ context.Context, definitions []*checks.Definition) error {
	if len(c.run.Options.Rules) > 0 {
		Check(c.run.Reporter, c.run.Options.Rules, definitions, c.run.BuiltTypes())
	}
	return nil
}
