package define

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"sync"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/crdyaml"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// Lister finds the packages of a run.
type Lister = golist.Lister

// Package is a package found by a [Lister].
type Package = golist.Package

// File is one generated file.
type File struct {
	// Name is the base name of the file.
	Name string
	Data []byte
	// undescribed identifies the definition apart from its descriptions.
	undescribed string
}

// generate returns the definitions of the packages' kinds and their files, by the same
// index. Both are nil if an error was reported.
func generate(ctx context.Context, options Options, again rerun,
	unverified func(diag.List)) ([]*checks.Definition, []File, *Run, error) {
	all, run, err := defineKinds(ctx, options, again)
	if err != nil {
		return nil, nil, nil, err
	}
	run.unverified = unverified
	reporter := run.Reporter
	run.Checker.ReportLosses(all)
	if len(run.corrections) == 0 {
		run.defined = nil // only corrections need drafts, which take as much memory as the schemas
	}
	if unverified != nil && run.Checker.Verifies() {
		unverified(reporter.List.Normalize())
	}
	var files []File
	if !reporter.List.HasErrors() {
		files, err = emit(all, run.Options)
		if err != nil {
			return nil, nil, nil, err
		}
		for i, d := range all {
			d.Text = files[i].Data
			d.Undescribed = files[i].undescribed
		}
	} else if unverified != nil {
		// The runs of an editor find earlier results by it.
		whole := slices.DeleteFunc(slices.Clone(all),
			func(d *checks.Definition) bool { return d.Flawed || slices.Contains(d.Schemas, nil) })
		drafts, err := emit(whole, run.Options)
		if err != nil {
			return nil, nil, nil, err
		}
		for i, d := range whole {
			d.Draft = drafts[i].Data
			d.Undescribed = drafts[i].undescribed
		}
	}
	if err := run.Checker.Verify(ctx, all); err != nil {
		return nil, nil, nil, err
	}
	if reporter.List.HasErrors() {
		return nil, nil, run, nil
	}
	return all, files, run, nil
}

// Misspelled returns findings about misspelled markers of the options' generators, for runs
// that do not generate definitions.
func Misspelled(ctx context.Context, options Options) (diag.List, error) {
	run, err := newRun(ctx, options, rerun{})
	if err != nil {
		return nil, err
	}
	roots := run.addRoots()
	run.Reporter.List = nil // the generators report errors of packages themselves
	run.Scan(roots)
	run.Lint()
	run.reportLostComments(run.BuiltTypes())
	return slices.DeleteFunc(run.Reporter.List,
		func(d diag.Diagnostic) bool { return d.Severity == diag.Error }).Normalize(), ctx.Err()
}

// DefineKinds returns the definitions of the packages' kinds, before verification.
func DefineKinds(ctx context.Context, options Options) ([]*checks.Definition, *Run, error) {
	return defineKinds(ctx, options, rerun{})
}

// defineKinds defines the kinds in one run, or in those of the strategy that the options ask for.
func defineKinds(ctx context.Context, options Options, again rerun) ([]*checks.Definition, *Run, error) {
	i := options.Passes.strategyFor(&options)
	if i < 0 {
		return defineOnce(ctx, options, again)
	}
	strategy := options.Passes[i].(Strategy)
	newPasses := options.Passes[i+1:]
	options.Passes = options.Passes[:i]
	once := func(ctx context.Context, options Options) ([]*checks.Definition, *Run, error) {
		return defineOnce(ctx, options, again)
	}
	definitions, run, err := strategy.Define(ctx, options, once)
	if err != nil {
		return nil, nil, err
	}
	run.Combined = true
	run.defined = nil
	run.checkers = nil
	for _, pass := range newPasses {
		run.begin(pass.Begin(run))
	}
	return definitions, run, run.check(ctx, definitions)
}

// defineOnce defines the kinds in one run: it opens the packages, finds the kinds, defines each,
// and checks all.
func defineOnce(ctx context.Context, options Options, again rerun) ([]*checks.Definition, *Run, error) {
	roots, builder, err := open(ctx, options, again)
	if err != nil {
		return nil, nil, err
	}
	run := builder.Run
	finishSyntax := run.CheckSyntaxAhead(source.Unparsed(roots), run.stopped)
	reportSyntax := sync.OnceFunc(func() {
		finishSyntax()
		used := run.CheckSyntaxAhead(source.Unparsed(roots), run.stopped) // in packages that kinds turned out to use
		used()
	})
	defer reportSyntax() // nothing goes on after the run
	kinds := selectKinds(FindKinds(run, roots), &options, run.Reporter)
	if len(kinds) == 0 && !run.Reporter.List.HasErrors() {
		run.Reporter.Add(report.NoKinds.At(diag.Position{}, "", "no kind found: no struct embeds metav1.TypeMeta and metav1.ObjectMeta"))
	}
	if again.only != nil {
		kinds = slices.DeleteFunc(kinds, func(k GroupKind) bool { return !again.only[k] })
	}
	run.defined = NewDefiner(builder)
	definitions, err := run.defined.defineAll(ctx, kinds)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range roots {
		run.CheckOverrides(p)
	}
	run.checkOverrideFile(builder.overrides)
	reportSyntax()
	run.ParseGated()
	run.Lint()
	run.reportLostComments(run.BuiltTypes())
	return definitions, run, run.check(ctx, definitions)
}

// defineAll returns the definitions of kinds. It reports kinds that cannot be written to files of
// their own.
func (df *Definer) defineAll(ctx context.Context, kinds []GroupKind) ([]*checks.Definition, error) {
	var all []*checks.Definition
	files := map[string]GroupKind{}
	built := progress.Start(ctx, "building", "kinds", len(kinds))
	for _, kind := range kinds {
		d := df.define(kind)
		built.Add(1)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d == nil {
			continue
		}
		if err := df.run.fit(ctx, d); err != nil {
			return nil, err
		}
		if !checks.IsFileName(d.FileName()) {
			t := d.Roots[0]
			df.reporter.Report(report.InvalidFileName, t.Pkg.At(t.Spec.Name.Pos()), "correct +groupName or +kubebuilder:resource:path", "kind %s cannot be written: %q is not a file name", kind, d.FileName())
			d.Flawed = true // the server would report the same error
		}
		if other, ok := files[d.FileName()]; ok {
			df.reporter.Add(report.DuplicateFileName.At(diag.Position{}, "give one of them +kubebuilder:resource:path=…",
				"kinds %s and %s are both written to %s", other, kind, d.FileName()))
		}
		files[d.FileName()] = kind
		all = append(all, d)
	}
	return all, nil
}

// check lets the passes check the definitions.
func (run *Run) check(ctx context.Context, definitions []*checks.Definition) error {
	for _, c := range run.checkers {
		if err := c.Check(ctx, definitions); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Open loads the root packages of a run and returns them with a builder for their types.
func Open(ctx context.Context, options Options) (roots []*source.Package, b *Builder, err error) {
	return open(ctx, options, rerun{})
}

func open(ctx context.Context, options Options, again rerun) (roots []*source.Package, b *Builder, err error) {
	run, err := newRun(ctx, options, again)
	if err != nil {
		return nil, nil, err
	}
	roots = run.load(ctx)
	b = &Builder{Run: run, Reporter: run.Reporter, Options: run.Options, types: map[*source.Type]*draft{},
		overrides: run.overridesOf(options.Overrides), reached: new([]*source.Package)}
	for _, p := range roots {
		b.reach(p)
	}
	return roots, b, nil
}

// Listing describes how the packages of a run are found.
type Listing struct {
	// Packages are the sorted import paths of the packages that the patterns match, and
	// Dirs the directories of their files.
	Packages, Dirs []string
	// Reasons are, sorted, the reasons that the go command was run, each with its
	// directory. It is empty if it was not run.
	Reasons []string
}

// List finds the packages without reading them. The diagnostics are about patterns that
// match nothing and packages that cannot be found.
func List(ctx context.Context, options Options) (Listing, diag.List, error) {
	var out Listing
	options.Inputs = options.reader()
	r := &report.Reporter{Fset: token.NewFileSet()}
	if options.GoCommand {
		out.Reasons = append(out.Reasons, "it was requested")
	}
	lister := options.lister(func(dir, reason string) { out.Reasons = append(out.Reasons, dir+": "+reason) })
	listed, unmatched, err := golist.Roots(ctx, options.Inputs, lister, options.Dir, options.Patterns)
	if err != nil {
		return Listing{}, nil, err
	}
	r.Unmatched(unmatched, len(listed))
	for _, p := range listed {
		out.Packages = append(out.Packages, p.Path)
		if len(p.Files) > 0 {
			out.Dirs = append(out.Dirs, filepath.Dir(p.Files[0]))
		}
	}
	slices.Sort(out.Packages)
	slices.Sort(out.Reasons)
	return out, r.List.Normalize(), nil
}

// undescribed returns a hash of a document without its descriptions; empty if these are not known.
func undescribed(document []byte, descriptions []crdyaml.Span) string {
	if descriptions == nil {
		return ""
	}
	hash := sha256.New()
	offset := 0
	for _, d := range descriptions {
		hash.Write(document[offset:d.Start])
		offset = d.End
	}
	hash.Write(document[offset:])
	return string(hash.Sum(nil))
}

// emitRoom is the initial capacity of a buffer for files in bytes. Definitions with a pod template have
// up to 1.6 MB; growing a buffer to that size copies it several times.
const emitRoom = 2 << 20

// emit renders the definitions in parallel.
func emit(crds []*checks.Definition, options *Options) ([]File, error) {
	out := make([]File, len(crds))
	err := parallel.Do(len(crds), func(i int) error {
		buffer, ok := options.Loaded.buffers.Get().(*[]byte)
		if !ok {
			buffer = new(make([]byte, 0, emitRoom))
		}
		data, descriptions, err := crdyaml.Append(append((*buffer)[:0], options.Header...), &crds[i].Generated)
		if err != nil {
			return fmt.Errorf("write %s: %w", crds[i].FileName(), err)
		}
		out[i] = File{crds[i].FileName(), slices.Clone(data), undescribed(data, descriptions)}
		*buffer = data
		options.Loaded.buffers.Put(buffer)
		return nil
	})
	return out, err
}
