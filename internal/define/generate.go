package define

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conventions"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/crdyaml"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/gates/absent"
	"github.com/schemagen/schemagen/internal/gates/gateway"
	"github.com/schemagen/schemagen/internal/gates/overlay"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/structural"
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
func generate(ctx context.Context, options *Options) ([]*checks.Definition, []File, *Run, error) {
	all, run, err := DefineKinds(ctx, options)
	if err != nil {
		return nil, nil, nil, err
	}
	r := run.Reporter
	run.Checker.ReportLosses(all)
	if options.unverified != nil && run.Checker.Verifies() {
		options.unverified(r.List.Normalize())
	}
	var files []File
	if !r.List.HasErrors() {
		if files, err = emit(all, options); err != nil {
			return nil, nil, nil, err
		}
		for i, d := range all {
			d.Text, d.Undescribed = files[i].Data, files[i].undescribed
		}
	} else if options.unverified != nil {
		// The runs of an editor find earlier results by it.
		whole := slices.DeleteFunc(slices.Clone(all), func(d *checks.Definition) bool { return d.Flawed || slices.Contains(d.Schemas, nil) })
		drafts, err := emit(whole, options)
		if err != nil {
			return nil, nil, nil, err
		}
		for i, d := range whole {
			d.Draft, d.Undescribed = drafts[i].Data, drafts[i].undescribed
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
	run.reportLostComments(run.builtTypes())
	return slices.DeleteFunc(run.Reporter.List, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }).Normalize(), ctx.Err()
}

// DefineKinds returns the definitions of the packages' kinds, before verification.
func DefineKinds(ctx context.Context, options *Options) ([]*checks.Definition, *Run, error) {
	if options.MergeOverlay && options.merging == nil {
		return defineMerged(ctx, options)
	}
	roots, b, err := Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	run, r, definer := b.Run, b.Reporter, NewDefiner(b)
	finishSyntax := run.CheckSyntaxAhead(source.Unparsed(roots), run.stopped)
	reportSyntax := sync.OnceFunc(func() { finishSyntax() })
	defer reportSyntax() // nothing goes on after the run
	kinds := selectKinds(FindKinds(run, roots), options, r)
	if len(kinds) == 0 && !r.List.HasErrors() {
		r.Add(report.NoKinds.At(diag.Position{}, "", "no kind found: no struct embeds metav1.TypeMeta and metav1.ObjectMeta"))
	}
	if options.only != nil {
		kinds = slices.DeleteFunc(kinds, func(k GroupKind) bool { return !options.only[k] })
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
		if err := run.fit(ctx, crd); err != nil {
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
	if options.merging == nil {
		run.defined = definer
	}
	for _, p := range roots {
		run.CheckOverrides(p)
	}
	run.checkOverrideFile(b.overrides)
	reportSyntax()
	run.ParseGated()
	run.Unions.FixOff()
	if options.merging == nil {
		absent.Check(run.Checker, crds, run.usedGates[gateway.Gate])
	}
	run.Lint()
	run.reportLostComments(run.builtTypes())
	if len(options.Rules) > 0 {
		conventions.Check(r, options.Rules, crds, run.builtTypes())
	}
	if options.merging == nil {
		if err := run.checkClients(ctx, crds); err != nil {
			return nil, nil, err
		}
	}
	return crds, run, ctx.Err()
}

// merging is what is different in a run whose definitions are laid over those of others: either
// nothing of OpenShift's markers is erased except for kinds, or kinds depend on other gates than
// all else.
type merging struct {
	whole bool
	kinds gates.Set
}

// mergedRuns are the results of runs whose definitions are laid over each other, by the gates of
// the run and then by kind.
type mergedRuns map[string]map[string]mergedKind

type mergedKind struct {
	definition *checks.Definition // nil if there is none
	found      diag.List          // of the run
}

// defineMerged is [DefineKinds] for definitions that are laid over each other: one for each gate
// that is on. The positions in the result are those of a run that has what any gate has.
func defineMerged(ctx context.Context, options *Options) ([]*checks.Definition, *Run, error) {
	whole := *options
	whole.merging = &merging{whole: true}
	all, run, err := DefineKinds(ctx, &whole)
	if err != nil {
		return nil, nil, err
	}
	options.Loaded = whole.Loaded
	missing := func(d diag.Diagnostic) bool { return slices.Contains(ofAllChannels(), d.Code) }
	findings := slices.DeleteFunc(run.Reporter.List, func(d diag.Diagnostic) bool { return !missing(d) })
	run.Reporter.List = nil
	named := run.gatedNames()
	parts, kindsOf, sets := map[*checks.Definition][]overlay.Part{}, map[string][]string{}, map[string]gates.Set{}
	for _, d := range all {
		var used []source.Gated
		for _, t := range d.Roots {
			used = append(used, overlay.Used(t)...)
		}
		parts[d] = overlay.Parts(used, options.Gates)
		for _, part := range parts[d] {
			kindsOf[part.String()] = append(kindsOf[part.String()], kindOf(d))
			sets[part.String()] = part.Set(run.eraser.Named(options.Gates), named)
		}
	}
	runs := mergedRuns{}
	for _, part := range slices.Sorted(maps.Keys(sets)) {
		if runs[part], err = options.definePart(ctx, sets[part], kindsOf[part]); err != nil {
			return nil, nil, err
		}
		for _, kind := range kindsOf[part] {
			findings = append(findings, slices.DeleteFunc(slices.Clone(runs[part][kind].found), missing)...)
		}
	}
	run.Reporter.List = append(run.Reporter.List, findings.Normalize()...)
	var out []*checks.Definition
	for _, d := range all {
		if merged := run.merge(d, parts[d], runs); merged != nil {
			out = append(out, merged)
		}
	}
	absent.Check(run.Checker, out, true)
	if err := run.checkClients(ctx, out); err != nil {
		return nil, nil, err
	}
	return out, run, ctx.Err()
}

func kindOf(d *checks.Definition) string { return d.Object.Spec.Names.Kind + "." + d.Object.Spec.Group }

// definePart returns what a run for a set of gates has, at least of the kinds.
func (o *Options) definePart(ctx context.Context, on gates.Set, kinds []string) (map[string]mergedKind, error) {
	key := fmt.Sprintf("%q", on)
	out := o.merged[key]
	if out == nil {
		out = map[string]mergedKind{}
	}
	options := *o
	options.Kinds = slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { _, ok := out[kind]; return ok })
	if len(options.Kinds) == 0 {
		return out, nil
	}
	options.merging = &merging{kinds: gates.Set(o.Gates)}
	options.Gates, options.Groups = on, nil
	options.Annotations, options.Labels = nil, nil // the result has its own
	all, run, err := DefineKinds(ctx, &options)
	if err != nil {
		return nil, err
	}
	for _, kind := range options.Kinds {
		out[kind] = mergedKind{found: run.Reporter.List}
	}
	for _, d := range all {
		out[kindOf(d)] = mergedKind{d, run.Reporter.List}
	}
	if o.merged != nil {
		o.merged[key] = out
	}
	return out, nil
}

// merge returns a definition with the schemas of the parts laid over each other, or nil if there
// are none because of an error.
func (run *Run) merge(d *checks.Definition, parts []overlay.Part, runs mergedRuns) *checks.Definition {
	out := *d
	out.Schemas = nil
	for _, version := range d.Object.Spec.Versions {
		var schemas []*structural.Schema
		var of []overlay.Part
		for _, part := range parts {
			if p := runs[part.String()][kindOf(d)].definition; p != nil && p.SchemaOf(version.Name) != nil {
				schemas, of = append(schemas, p.SchemaOf(version.Name)), append(of, part)
				out.Flawed = out.Flawed || p.Flawed
			}
		}
		if len(schemas) == 0 {
			return nil
		}
		schema, lost := overlay.Schemas(of, schemas)
		out.Schemas = append(out.Schemas, schema)
		for _, l := range lost {
			run.reportLost(d, l)
		}
	}
	return &out
}

// reportLost reports a rule of a gate that a definition does not have because of another gate.
func (run *Run) reportLost(d *checks.Definition, l overlay.Lost) {
	t := d.Roots[0]
	used := overlay.Used(t)
	of := slices.IndexFunc(used, func(g source.Gated) bool { return g.Pos == l.Rule })
	by := slices.IndexFunc(used, func(g source.Gated) bool {
		return slices.ContainsFunc(g.Gates, func(names []string) bool { return slices.Equal(names, l.Later) })
	})
	if of < 0 || by < 0 {
		return
	}
	var names []string
	for _, part := range used[of].Gates {
		if name := overlay.Part(part).String(); name != gates.Base {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return // what has the empty name is not that of a gate
	}
	found := run.Reporter.Report(report.MergeLosesRule, t.Pkg.At(l.Rule), "write merge: once in schemagen.yaml, or give the rule the gate, too",
		"the merge loses this rule of gate %s: gate %s comes later, and has the same list without it", strings.Join(names, " or "), l.Later)
	found.Related = []diag.Related{{Pos: run.Reporter.Position(used[by].Pos), Message: "the later gate"}}
}

// gatedNames returns the names in OpenShift's markers, sorted.
func (run *Run) gatedNames() []string {
	names := map[string]bool{}
	for p := range run.Packages() {
		for _, f := range p.Sources {
			for _, used := range f.Gated {
				for _, g := range used {
					for _, name := range slices.Concat(g.Gates...) {
						names[name] = name != gates.Base
					}
				}
			}
		}
	}
	maps.DeleteFunc(names, func(_ string, named bool) bool { return !named })
	return slices.Sorted(maps.Keys(names))
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

// undescribed returns a hash of a document without its descriptions; empty if these are not known.
func undescribed(document []byte, descriptions []crdyaml.Span) string {
	if descriptions == nil {
		return ""
	}
	hash, at := sha256.New(), 0
	for _, d := range descriptions {
		hash.Write(document[at:d.Start])
		at = d.End
	}
	hash.Write(document[at:])
	return string(hash.Sum(nil))
}

// emitRoom is the initial capacity of a buffer for files in bytes.
const emitRoom = 1 << 20

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
