package define

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Run is the state of one run: its source, and the results of reading it.
type Run struct {
	*source.Program
	*sourceMarkers
	// Roots are the packages that the run was asked for.
	Roots []*source.Package
	// stopped reports whether the run was canceled. Loops whose length depends on the
	// user's source call it.
	stopped func() bool
	Table   *markers.Table
	// Reporter collects the findings.
	Reporter *report.Reporter
	Options  *Options
	moments
	// uses are the uses of the types that were built.
	uses map[*source.Type]*typeUses
	// Checker verifies the definitions.
	Checker *checks.Checker
	// Combined is set if a strategy made the definitions from several runs.
	Combined bool
	// unverified is called with the findings that are known before definitions are verified; it
	// may be nil.
	unverified func(diag.List)
	// edits creates edits from markers.
	edits *edits.Reader
	// corrections are the misspelled markers in the user's packages, with the probably
	// intended text.
	corrections []correction
	// defined has defined the kinds.
	defined *Definer
}

// typeUses counts the uses of a type in the run.
type typeUses struct {
	// built is set once the type has been built.
	built bool
	// references is the number of references to the type, and closed the number of those
	// where markers of the field list the permitted values.
	references, closed int
}

// usesOf returns the uses of a type, creating them if necessary.
func (run *Run) usesOf(t *source.Type) *typeUses {
	u := run.uses[t]
	if u == nil {
		u = &typeUses{}
		run.uses[t] = u
	}
	return u
}

// BuiltTypes returns the user's types that were built.
func (run *Run) BuiltTypes() (out []*source.Type) {
	for t, u := range run.uses {
		if u.built && t.Pkg.Local() && (t.Generic != nil || t.Spec.TypeParams == nil) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *source.Type) int {
		return cmp.Or(cmp.Compare(a.Spec.Pos(), b.Spec.Pos()), cmp.Compare(a.String(), b.String()))
	})
	return out
}

// newRun returns a run of the packages that the options name, or of the loaded ones.
func newRun(ctx context.Context, options Options, again rerun) (*Run, error) {
	if options.Passes == nil {
		return nil, errors.New("the options of the run have no passes: say which, or that there are none")
	}
	if options.Loaded == nil {
		loaded, err := Load(ctx, options)
		if err != nil {
			return nil, err
		}
		options.Loaded = loaded
	}
	loaded := options.Loaded.without(options.Ignored)
	options.Loaded = loaded
	options.Inputs = loaded.inputs
	r := loaded.newReporter()
	m := &sourceMarkers{
		table: loaded.table, reporter: r, options: &options, corrected: again.corrections,
		facts: map[*source.Package]*packageFacts{}, settings: map[*source.Package]*PackageOptions{},
	}
	run := &Run{
		sourceMarkers: m, Table: loaded.table, Reporter: r, Options: &options,
		edits: &edits.Reader{Reporter: r, Table: loaded.table, Markers: m},
		uses:  map[*source.Type]*typeUses{},
	}
	for _, pass := range options.Passes {
		run.begin(pass.Begin(run))
	}
	config := source.Config{Files: loaded.files, Problems: r, Markers: m}
	if run.conditions != nil {
		config.Eraser = run.conditions
	}
	run.Program = source.New(config)
	run.Checker = &checks.Checker{
		Program: run.Program, Reporter: r, Server: options.Server, SkipVerify: options.SkipVerify, Final: options.Final,
		Inputs: options.Inputs, Dir: options.Dir, OutputDir: options.OutputDir,
	}
	return run, nil
}

// addRoots adds the root packages, and reports those of the patterns that match none.
func (run *Run) addRoots() []*source.Package {
	run.Options.Loaded.reportUnmatched(run.Reporter)
	run.Roots = run.Options.Loaded.addRoots(run.Program)
	return run.Roots
}

// load adds the root packages, parses their files ahead and indexes them.
func (run *Run) load(ctx context.Context) []*source.Package {
	run.stopped = func() bool { return ctx.Err() != nil }
	roots := run.addRoots()
	run.ParseAhead(roots, run.stopped)
	for _, p := range roots {
		run.Reporter.PackageErrors(p)
		p.Index()
	}
	return roots
}
