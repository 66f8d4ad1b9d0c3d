package gounions

import (
	"context"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
)

// Pass writes the unions that markers declare.
type Pass struct {
	// Extensions adds x-kubernetes-unions to schemas, which is not written.
	Extensions bool
	// All adds it also for unions that packages do not enable.
	All bool
}

// Begin implements [define.Pass].
func (p Pass) Begin(run *define.Run) any {
	var server Server
	if run.Options.Server != nil {
		server = run.Options.Server
	}
	return &Unions{
		Reporter: run.Reporter, Settings: run, Table: run.Table, Server: server, Extensions: p.Extensions, All: p.All,
		IsConverted: func(d *checks.Definition) bool { return run.Checker.IsConverted(d) },
	}
}

// Hides implements [define.Hider].
func (all *Unions) Hides() bool { return all.Extensions || all.All }

// Check implements [define.Checker]: it adds the fixes that enable unions.
func (all *Unions) Check(context.Context, []*checks.Definition) error {
	all.fixOff()
	return nil
}

// InRun returns the unions of a run, which has none without the pass.
func InRun(run *define.Run) *Unions {
	if all, ok := define.StateOf[*Unions](run); ok {
		return all
	}
	return &Unions{}
}
