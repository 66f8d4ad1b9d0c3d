package build

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/generator/internal/checks"
	"github.com/schemagen/schemagen/generator/internal/edits"
	"github.com/schemagen/schemagen/generator/internal/golist"
	"github.com/schemagen/schemagen/generator/internal/gounions"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
)

// Run is the state of one run: its source, and the results of reading it.
type Run struct {
	*source.Program
	*sourceMarkers
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
	// edits creates edits from markers.
	edits *edits.Reader
	// corrections are the misspelled markers in the user's packages, with the probably
	// intended text.
	corrections []correction
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
func (w *Run) usesOf(t *source.Type) *typeUses {
	u := w.uses[t]
	if u == nil {
		u = &typeUses{}
		w.uses[t] = u
	}
	return u
}

func newRun(options *Options) (*Run, error) {
	table, err := markers.NewTable()
	if err != nil {
		return nil, err
	}
	options.Inputs = options.reader()
	r := &report.Reporter{}
	m := &sourceMarkers{table: table, reporter: r, options: options, facts: map[*source.Package]*packageFacts{}, settings: map[*source.Package]*PackageOptions{}}
	p := source.New(source.Config{Inputs: options.Inputs, Table: table, Problems: r, Markers: m})
	r.Fset = p.Fset
	checker := &checks.Checker{
		Program: p, Reporter: r, Server: options.Server, SkipVerify: options.SkipVerify, Final: options.Final,
		Inputs: options.Inputs, Dir: options.Dir, OutputDir: options.OutputDir,
	}
	return &Run{
		Program: p, sourceMarkers: m, table: table, Reporter: r, options: options, edits: &edits.Reader{Reporter: r, Table: table, Markers: m},
		uses:    map[*source.Type]*typeUses{},
		Unions:  &gounions.Unions{Reporter: r, Settings: m, Server: options.Server, Extensions: options.extensions, IsConverted: checker.IsConverted},
		Checker: checker,
	}, nil
}

// list finds the root packages.
func (w *Run) list(ctx context.Context, options *Options) ([]*source.Package, error) {
	listed, unmatched, err := golist.Roots(ctx, options.Inputs, options.lister(nil), options.Dir, options.Patterns)
	if err != nil {
		return nil, err
	}
	w.Reporter.Unmatched(unmatched, len(listed) > 0)
	var roots []*source.Package
	for _, l := range listed {
		if options.ignored != "" {
			l.Files = slices.DeleteFunc(slices.Clone(l.Files), func(name string) bool { return filepath.Base(name) == options.ignored })
		}
		roots = append(roots, w.AddRoot(l))
	}
	return roots, nil
}

// load finds the root packages, parses their files ahead and indexes them.
func load(ctx context.Context, options *Options, w *Run) ([]*source.Package, error) {
	w.stopped = func() bool { return ctx.Err() != nil }
	roots, err := w.list(ctx, options)
	if err != nil {
		return nil, err
	}
	w.ParseAhead(roots, w.stopped)
	for _, p := range roots {
		w.Reporter.PackageErrors(p)
		p.Index()
	}
	return roots, nil
}
