package define

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// Loaded are the packages that the patterns of a run match, listed once for all generators
// of the run, and their files, each of which is read and parsed once.
type Loaded struct {
	inputs *inputs.Reader
	// dir and patterns are copies of the options'.
	dir       string
	patterns  []string
	table     *markers.Table
	files     *source.Files
	roots     []*golist.Package
	unmatched []golist.Unmatched
	// linted are the results of lint.
	linted sync.Map
	// buffers are where files are rendered, in this run and in later ones.
	buffers *sync.Pool
}

// Load lists the packages that the options name. It reads none of their files in full.
func Load(ctx context.Context, options Options) (*Loaded, error) {
	table, err := markers.NewTable()
	if err != nil {
		return nil, err
	}
	return load(ctx, options, table, source.NewFiles)
}

// LoadAgain is like [Load] for one of several runs, which reuse what they know of files that are
// the same. oldLoaded is what the last one was loaded as, or nil. That run must have ended.
func LoadAgain(ctx context.Context, options Options, oldLoaded *Loaded) (*Loaded, error) {
	if oldLoaded != nil {
		again := func(reader *inputs.Reader, _ *markers.Table) *source.Files { return oldLoaded.files.Again(reader) }
		loaded, err := load(ctx, options, oldLoaded.table, again)
		if loaded != nil {
			loaded.buffers = oldLoaded.buffers
		}
		return loaded, err
	}
	table, err := markers.NewTable()
	if err != nil {
		return nil, err
	}
	return load(ctx, options, table, source.NewKeptFiles)
}

func load(ctx context.Context, options Options, table *markers.Table,
	files func(*inputs.Reader, *markers.Table) *source.Files) (*Loaded, error) {
	options.Inputs = options.reader()
	progress.Start(ctx, "finding", "packages", 0)
	roots, unmatched, err := golist.Roots(ctx, options.Inputs, options.lister(nil), options.Dir, options.Patterns)
	if err != nil {
		return nil, err
	}
	return &Loaded{
		inputs: options.Inputs, dir: options.Dir, patterns: options.Patterns, table: table, files: files(options.Inputs, table),
		roots: roots, unmatched: unmatched, buffers: &sync.Pool{},
	}, nil
}

// LoadOthers lists the packages that other options name. The files of both are read and parsed once.
func (l *Loaded) LoadOthers(ctx context.Context, options Options) (*Loaded, error) {
	return load(ctx, options, l.table, func(*inputs.Reader, *markers.Table) *source.Files { return l.files })
}

// without returns the packages without their files of a name, or l itself if the name is empty. What
// is known of other files is shared.
func (l *Loaded) without(base string) *Loaded {
	if base == "" {
		return l
	}
	out := &Loaded{
		inputs: l.inputs, dir: l.dir, patterns: l.patterns, table: l.table, files: l.files, unmatched: l.unmatched, buffers: l.buffers,
		roots: make([]*golist.Package, len(l.roots)),
	}
	for i, p := range l.roots {
		root := *p
		root.Files = slices.DeleteFunc(slices.Clone(p.Files), func(name string) bool { return filepath.Base(name) == base })
		out.roots[i] = &root
	}
	return out
}

// Program returns a program of the packages, its root packages, and the reporter of errors
// in its files, which has those of the listing.
func (l *Loaded) Program() (*source.Program, []*source.Package, *report.Reporter) {
	r := l.newReporter()
	p := source.New(source.Config{Files: l.files, Problems: r, Markers: noMarkers{}, Dir: l.dir, Patterns: l.patterns})
	roots := l.addRoots(p)
	l.reportUnmatched(r)
	for _, root := range roots {
		r.PackageErrors(root)
	}
	return p, roots, r
}

// ReadClosure reads the source of the packages and of all their imports, except for the
// standard library, which is determined by the version of the toolchain. It is for
// generators that read the packages through other programs: the inputs of the run then
// include what these read.
func (l *Loaded) ReadClosure(ctx context.Context) error {
	return source.ReadClosure(ctx, l.inputs, l.roots)
}

func (l *Loaded) newReporter() *report.Reporter { return &report.Reporter{Fset: l.files.Fset} }

func (l *Loaded) reportUnmatched(r *report.Reporter) { r.Unmatched(l.unmatched, len(l.roots)) }

func (l *Loaded) addRoots(p *source.Program) (roots []*source.Package) {
	for _, listed := range l.roots {
		roots = append(roots, p.AddRoot(listed))
	}
	return roots
}

// noMarkers is the marker parser of programs for generators that read markers themselves.
type noMarkers struct{}

// ParseMarkers implements [source.MarkerParser].
func (noMarkers) ParseMarkers(*source.Package, []markers.Comment, markers.Target) (source.Markers, source.Malformed) {
	return nil, nil
}

// Corrects implements [source.MarkerParser].
func (noMarkers) Corrects(string) bool { return false }
