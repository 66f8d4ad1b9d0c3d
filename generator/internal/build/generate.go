package build

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/absent"
	"github.com/schemagen/schemagen/generator/internal/checks"
	"github.com/schemagen/schemagen/generator/internal/crdyaml"
	"github.com/schemagen/schemagen/generator/internal/gateway"
	"github.com/schemagen/schemagen/generator/internal/golist"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/internal/parallel"
	"github.com/schemagen/schemagen/internal/progress"
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
}

// generate returns the definitions of the packages' kinds and their files, by the same
// index. Both are nil if an error was reported.
func generate(ctx context.Context, options *Options) ([]*checks.Definition, []File, *Run, error) {
	all, run, err := DefineKinds(ctx, options)
	if err != nil {
		return nil, nil, nil, err
	}
	r := run.Reporter
	run.Checker.ReportLosses(all)
	var files []File
	if !r.List.HasErrors() {
		if files, err = emit(all, options.Header); err != nil {
			return nil, nil, nil, err
		}
		for i, d := range all {
			d.Text = files[i].Data
		}
	}
	if err := run.Checker.Verify(ctx, all); err != nil {
		return nil, nil, nil, err
	}
	if r.List.HasErrors() {
		return nil, nil, run, nil
	}
	return all, files, run, nil
}

// Misspelled returns findings about misspelled markers of the options' generators, for runs
// that do not generate definitions.
func Misspelled(ctx context.Context, options Options) (diag.List, error) {
	run, err := newRun(ctx, &options)
	if err != nil {
		return nil, err
	}
	roots := run.addRoots()
	run.Reporter.List = nil // the generators report errors of packages themselves
	run.Scan(roots)
	run.Lint()
	return slices.DeleteFunc(run.Reporter.List, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }).Normalize(), ctx.Err()
}

// DefineKinds returns the definitions of the packages' kinds, before verification.
func DefineKinds(ctx context.Context, options *Options) ([]*checks.Definition, *Run, error) {
	roots, b, err := Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	run, r, definer := b.Run, b.Reporter, NewDefiner(b)
	reportSyntax := run.CheckSyntaxAhead(source.Unparsed(roots), run.stopped)
	kinds := selectKinds(FindKinds(run, roots), options, r)
	if len(kinds) == 0 && !r.List.HasErrors() {
		r.Add(report.NoKinds.At(diag.Position{}, "", "no kind found: no struct embeds metav1.TypeMeta and metav1.ObjectMeta"))
	}
	var crds []*checks.Definition
	files := map[string]GroupKind{}
	built := progress.Start(ctx, "building", "kinds", len(kinds))
	for _, k := range kinds {
		crd := definer.define(k)
		built.Add(1)
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if crd == nil {
			continue
		}
		b.Run.transitions.Fit(crd)
		if err := b.Run.Unions.Fit(ctx, crd); err != nil {
			return nil, nil, err
		}
		if !checks.IsFileName(crd.FileName()) {
			t := crd.Roots[0]
			r.Report(report.InvalidFileName, t.Pkg.At(t.Spec.Name.Pos()), "correct +groupName or +kubebuilder:resource:path", "kind %s cannot be written: %q is not a file name", k, crd.FileName())
			crd.Flawed = true // the server would report the same error
		}
		if other, ok := files[crd.FileName()]; ok {
			r.Add(report.DuplicateFileName.At(diag.Position{}, "give one of them +kubebuilder:resource:path=…",
				"kinds %s and %s are both written to %s", other, k, crd.FileName()))
		}
		files[crd.FileName()] = k
		crds = append(crds, crd)
	}
	for _, p := range roots {
		run.CheckOverrides(p)
	}
	run.checkOverrideFile(b.overrides)
	reportSyntax()
	run.ParseGated()
	run.Unions.FixOff()
	absent.Check(run.Checker, crds, run.usedGates[gateway.Gate])
	run.Lint()
	return crds, run, ctx.Err()
}

// Open loads the root packages of a run and returns them with a builder for their types.
func Open(ctx context.Context, options *Options) (roots []*source.Package, b *Builder, err error) {
	run, err := newRun(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	roots = run.load(ctx)
	b = &Builder{Run: run, Reporter: run.Reporter, Options: options, types: map[*source.Type]*draft{}, overrides: run.overridesOf(options.Overrides), reached: new([]*source.Package)}
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
	r.Unmatched(unmatched, len(listed) > 0)
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

// emitRoom is the initial buffer capacity for a file in bytes, enough for most files. Only
// the pages that are written cost memory.
const emitRoom = 1 << 18

// emit renders the definitions in parallel.
func emit(crds []*checks.Definition, header string) ([]File, error) {
	out := make([]File, len(crds))
	errs := make([]error, len(crds))
	parallel.Workers(len(crds), func() func(int) {
		// Files share a block as long as it probably has room for the next one.
		var block []byte
		room := emitRoom
		return func(i int) {
			if cap(block) < room {
				block = make([]byte, 0, 4*room)
			}
			data, err := crdyaml.Append(append(block, header...), &crds[i].Generated)
			if err != nil {
				errs[i] = fmt.Errorf("write %s: %w", crds[i].FileName(), err)
			}
			out[i] = File{Name: crds[i].FileName(), Data: slices.Clip(data)}
			block, room = data[len(data):], max(room, len(data)+len(data)/4)
		}
	})
	return out, errors.Join(errs...)
}
