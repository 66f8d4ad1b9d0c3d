package erasure

import (
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/gates"
)

// Pass applies conditions on the gates in the options of a run.
type Pass struct {
	// Kinds are the gates on which kinds depend by OpenShift's markers; nil for those of the run.
	Kinds gates.Set
	// Whole is set if nothing else of OpenShift's markers is applied.
	Whole bool
}

// Begin implements [define.Pass].
func (p Pass) Begin(run *define.Run) any {
	e := &Eraser{
		Reporter: run.Reporter, Table: run.Table, Gates: run.Options.Gates, Known: run.Options.KnownGates, used: map[string]bool{},
		Corrected: run.Corrected, Enabled: run.EnabledEarly, Whole: p.Whole, Kinds: p.Kinds,
	}
	e.CheckGates()
	return e
}

// Used implements [define.Conditions].
func (e *Eraser) Used() map[string]bool { return e.used }
