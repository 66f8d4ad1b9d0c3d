package absent

import (
	"context"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/gates/gateway"
)

// Pass reports what refers to fields that do not exist for the gates of a run.
type Pass struct{}

// Begin implements [define.Pass].
func (Pass) Begin(run *define.Run) any { return checker{run} }

type checker struct{ run *define.Run }

// Check implements [define.Checker].
func (c checker) Check(_ context.Context, definitions []*checks.Definition) error {
	Check(c.run.Checker, definitions, c.run.Combined || c.run.UsesGate(gateway.Gate))
	return nil
}
