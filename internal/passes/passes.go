// Package passes lists what capabilities add to a run of package define, in the order in which
// they act. A capability is here in one line, and define does not know it.
package passes

//go:generate go test . -run ^TestReference$ -update

import (
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conventions"
	"github.com/schemagen/schemagen/internal/conventions/clients"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/gates/absent"
	"github.com/schemagen/schemagen/internal/gates/erasure"
	"github.com/schemagen/schemagen/internal/gates/gateway"
	"github.com/schemagen/schemagen/internal/gates/overlay"
	"github.com/schemagen/schemagen/internal/unions/gounions"
)

// All returns the passes of a run that generates definitions.
func All() define.Passes {
	return define.Passes{
		erasure.Pass{},       // before files are read: what conditions on gates remove
		gateway.Pass{},       // merged schemas: tags in descriptions
		define.Transitions{}, // each definition: rules of read-only fields
		gounions.Pass{},      // each struct, each definition: unions
		conventions.Pass{},   // all definitions: --rules
		overlay.Pass{},       // instead of all above: a run for each gate, laid over each other
		absent.Pass{},        // all definitions: what refers to fields that conditions removed
		clients.Pass{},       // all definitions: --rules about Go clients
	}
}

// Codes returns the kinds of diagnostics that such a run reports itself, sorted by code. Those of a
// server are not among them.
func Codes() []*diag.Kind { return slices.Concat(report.Codes(), Rules()) }

// Rules returns the kinds of diagnostics about API conventions, sorted by code. They are reported
// only if options name them.
func Rules() []*diag.Kind { return slices.Concat(conventions.Codes(), clients.Codes()) }
