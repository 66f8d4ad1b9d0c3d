package define

import (
	"cmp"
	"context"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/conventions/clients"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/crdyaml"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/define/transitions"
	"github.com/schemagen/schemagen/internal/gates/erasure"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/unions/gounions"
	"github.com/schemagen/schemagen/markers"
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
	table   *markers.Table
	// Reporter collects the findings.
	Reporter *report.Reporter
	options  *Options
	// uses are the uses of the types that were built.
	uses map[*source.Type]*typeUses
	// Unions are the unions of the types that were built.
	Unions *gounions.Unions
	// Checker verifies the definitions.
	Checker *checks.Checker
	eraser  *erasure.Eraser
	// edits creates edits from markers.
	edits *edits.Reader
	// transitions adds the rules of read-only fields.
	transitions *transitions.Fitter
	// usedGates are the names in the conditions of the files that were parsed.
	usedGates map[string]bool
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

// builtTypes returns the user's types that were built.
func (run *Run) builtTypes() (out []*source.Type) {
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

// checkClients reports what Go clients of the definitions cannot say, if the rules ask for it.
func (run *Run) checkClients(ctx context.Context, definitions []*checks.Definition) error {
	if run.options.Server == nil {
		return nil
	}
	handler := run.options.Server.Handler()
	c := &clients.Checker{Reporter: run.Reporter, Codes: run.options.Rules, Handler: func(d *checks.Definition, version int) (crd.Handle, error) {
		// Another run may have asked about a definition with the same text.
		of := &crd.Definition{Build: d.Complete, BuildWith: d.With, Schemas: d.Schemas}
		if !run.options.hidesUnions() && !d.Flawed && !slices.Contains(d.Schemas, nil) {
			text, _, err := crdyaml.Append(nil, &d.Generated)
			if err != nil {
				return nil, err
			}
			of.Bytes = text
		}
		return handler(of, d.Object.Spec.Versions[version].Name)
	}}
	return c.Check(ctx, definitions)
}

// hidesUnions reports whether schemas have unions that are not written.
func (o *Options) hidesUnions() bool { return o.extensions || o.allUnions }

// newRun returns a run of the packages that the options name, or of those that are loaded.
func newRun(ctx context.Context, options *Options) (*Run, error) {
	if options.Loaded == nil {
		loaded, err := Load(ctx, *options)
		if err != nil {
			return nil, err
		}
		options.Loaded = loaded
	}
	loaded := options.Loaded
	options.Inputs = loaded.inputs
	r := loaded.newReporter()
	m := &sourceMarkers{table: loaded.table, reporter: r, options: options, facts: map[*source.Package]*packageFacts{}, settings: map[*source.Package]*PackageOptions{}}
	eraser := &erasure.Eraser{Reporter: r, Table: loaded.table, Gates: options.Gates, Known: options.KnownGates, Used: map[string]bool{}, Corrected: m.corrected, Enabled: m.enables}
	if options.merging != nil {
		eraser.Whole, eraser.Kinds = options.merging.whole, options.merging.kinds
	}
	eraser.CheckGates()
	p := source.New(source.Config{Files: loaded.files, Problems: r, Markers: m, Eraser: eraser})
	checker := &checks.Checker{
		Program: p, Reporter: r, Server: options.Server, SkipVerify: options.SkipVerify, Final: options.Final,
		Inputs: options.Inputs, Dir: options.Dir, OutputDir: options.OutputDir,
	}
	reader := &edits.Reader{Reporter: r, Table: loaded.table, Markers: m}
	fitter := &transitions.Fitter{Reporter: r, PackageOf: reader.PackageOf, Plain: options.Server != nil && options.Server.Before(28)}
	if options.Server != nil {
		fitter.Server = options.Server
	}
	return &Run{
		Program: p, sourceMarkers: m, table: loaded.table, Reporter: r, options: options, edits: reader,
		transitions: fitter, uses: map[*source.Type]*typeUses{},
		Unions:  &gounions.Unions{Reporter: r, Settings: m, Table: loaded.table, Server: options.Server, Extensions: options.extensions, All: options.allUnions, IsConverted: checker.IsConverted},
		Checker: checker, usedGates: eraser.Used,
		eraser: eraser,
	}, nil
}

// addRoots adds the root packages, and reports those of the patterns that match none.
func (run *Run) addRoots() []*source.Package {
	run.options.Loaded.reportUnmatched(run.Reporter)
	run.Roots = run.options.Loaded.addRoots(run.Program)
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
