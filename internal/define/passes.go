package define

import (
	"context"
	"go/token"
	"reflect"
	"slices"

	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/transitions"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Pass is what a capability adds to a run. Its value has settings. What happens in a run is in
// the state that Begin returns, which has the methods of the moments at which the pass acts: it
// is a [Conditions], [Structs], [Tagger], [Fitter], [Checker] or [Hider], or several of them.
type Pass interface {
	// Begin returns the state of the pass in a run. The run has no program yet.
	Begin(run *Run) any
}

// Conditions act before files are read: they remove what does not exist for a set of gates.
type Conditions interface {
	source.Eraser
	// Used has the names of the gates in the conditions that were read.
	Used() map[string]bool
	// IsOn reports whether a gate is on, and whether it is known.
	IsOn(gate string) (on, known bool)
	// Agrees reports whether all that was read would be the same for another set of gates.
	Agrees(other gates.Set) bool
	// ReportDisagreements reports markers of the same meaning whose conditions both hold, at the
	// positions that are needed.
	ReportDisagreements(needed func(f *source.File, pos token.Pos) bool)
}

// Structs act on each struct that is built.
type Structs interface {
	// Edits returns changes to the schema of a struct with the given fields.
	Edits(t *source.Type, fields []source.NamedField) []*edits.Edit
	// Uses reports whether a marker has an effect by the pass, although its package does not
	// enable the feature of the marker.
	Uses(marker token.Pos) bool
}

// Tagger acts on merged schemas.
type Tagger interface {
	// Tags returns what applies the tags with a prefix in descriptions, and then limits their
	// length in bytes unless that is negative.
	Tags(prefix string, maxDescription int) Tags
}

// Tags applies tags in descriptions.
type Tags interface {
	// Inherited returns a description with the tags of another one, of the type of its field.
	Inherited(description, other string) string
	// Shorten returns the description of a node, shortened by a function that does not see tags.
	Shorten(s *structural.Schema, by func(string) string) string
	// Kind returns the schema of a kind with the tags applied.
	Kind(s *structural.Schema, kind *source.Type) *structural.Schema
}

// Fitter acts on each definition: it adds what depends on where a type occurs in it.
type Fitter interface {
	Fit(ctx context.Context, d *checks.Definition) error
}

// Checker acts on all definitions of a run, before they are verified. It reports what it finds to
// the reporter of the run.
type Checker interface {
	Check(ctx context.Context, definitions []*checks.Definition) error
}

// Hider is a pass that may add to schemas what is not written.
type Hider interface {
	// Hides reports whether it does.
	Hides() bool
}

// Strategy is a pass that makes the definitions of a run in several runs. Passes after it in the
// list see their result, and act as in a single run.
type Strategy interface {
	Pass
	// Applies reports whether the options ask for it.
	Applies(options *Options) bool
	// Define returns the definitions, and the run with their positions. The passes in the options
	// are those before it, and define does one run.
	Define(ctx context.Context, options Options, define DefineFunc) ([]*checks.Definition, *Run, error)
	// Sharing returns the pass for several runs of the same source with different gates, which
	// share what they have in common.
	Sharing() Pass
}

// DefineFunc does a run, before verification.
type DefineFunc func(context.Context, Options) ([]*checks.Definition, *Run, error)

// Passes act in a run, in their order.
type Passes []Pass

// With returns the passes with another value for the one of its type. If there is none, they are
// the same.
func (all Passes) With(pass Pass) Passes {
	out := slices.Clone(all)
	for i, old := range out {
		if reflect.TypeOf(old) == reflect.TypeOf(pass) {
			out[i] = pass
		}
	}
	return out
}

// sharing returns the passes for several runs that share what they have in common.
func (all Passes) sharing() Passes {
	out := slices.Clone(all)
	for i, pass := range out {
		if strategy, ok := pass.(Strategy); ok {
			out[i] = strategy.Sharing()
		}
	}
	return out
}

// strategyFor returns the index of the strategy that the options ask for; negative if there is none.
func (all Passes) strategyFor(options *Options) int {
	return slices.IndexFunc(all, func(pass Pass) bool {
		strategy, ok := pass.(Strategy)
		return ok && strategy.Applies(options)
	})
}

// moments are the states of passes in a run, by the moments at which they act.
type moments struct {
	states     []any
	conditions Conditions // nil if conditions have no effect
	structs    []Structs
	tagger     Tagger // nil if descriptions have no tags
	fitters    []Fitter
	checkers   []Checker
	hiders     []Hider
}

// begin adds the state of a pass, which may be nil.
func (m *moments) begin(state any) {
	m.states = append(m.states, state)
	if s, ok := state.(Conditions); ok {
		m.conditions = s
	}
	if s, ok := state.(Structs); ok {
		m.structs = append(m.structs, s)
	}
	if s, ok := state.(Tagger); ok {
		m.tagger = s
	}
	if s, ok := state.(Fitter); ok {
		m.fitters = append(m.fitters, s)
	}
	if s, ok := state.(Checker); ok {
		m.checkers = append(m.checkers, s)
	}
	if s, ok := state.(Hider); ok {
		m.hiders = append(m.hiders, s)
	}
}

// StateOf returns the state of a pass in a run, by its type; ok is false if the run does not have it.
func StateOf[S any](run *Run) (state S, ok bool) {
	for _, s := range run.states {
		state, ok = s.(S)
		if ok {
			return state, true
		}
	}
	return state, false
}

// Hides reports whether schemas have what is not written.
func (run *Run) Hides() bool { return slices.ContainsFunc(run.hiders, Hider.Hides) }

// UsesGate reports whether what was read depends on a gate.
func (run *Run) UsesGate(name string) bool {
	return run.conditions != nil && run.conditions.Used()[name]
}

// IsOn reports whether a gate is on, and whether it is known.
func (run *Run) IsOn(gate string) (enabled, known bool) {
	if run.conditions == nil {
		return false, true
	}
	return run.conditions.IsOn(gate)
}

// Transitions is the pass that adds the rules of read-only fields, and rules that compare an object
// with its old version.
type Transitions struct{}

// Begin implements [Pass].
func (Transitions) Begin(run *Run) any {
	f := &transitions.Fitter{Reporter: run.Reporter, PackageOf: run.edits.PackageOf}
	if server := run.Options.Server; server != nil {
		f.Server = server
		f.Plain = server.Before(28)
	}
	return transitionsState{f}
}

type transitionsState struct{ *transitions.Fitter }

// Fit implements [Fitter].
func (s transitionsState) Fit(ctx context.Context, d *checks.Definition) error {
	s.Fitter.Fit(d)
	return s.FitRatchets(ctx, d)
}
