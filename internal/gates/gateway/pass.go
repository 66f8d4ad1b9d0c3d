package gateway

import "github.com/schemagen/schemagen/internal/define"

// Pass applies the tags of packages that enable them.
type Pass struct{}

// Begin implements [define.Pass].
func (Pass) Begin(run *define.Run) any { return tagger{run} }

type tagger struct{ run *define.Run }

// Tags implements [define.Tagger].
func (t tagger) Tags(prefix string, maxDescription int) define.Tags {
	return &Tags{Prefix: prefix, Gates: t.run, Reporter: t.run.Reporter, Program: t.run.Program, Table: t.run.Table,
		MaxDescription: maxDescription}
}
