package overlay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/gates/erasure"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Pass is the strategy of options with MergeOverlay: one run for each gate that is on, whose
// definitions are laid over each other.
type Pass struct {
	// shared has the results of runs; nil if they are for one set of gates.
	shared results
}

// results come from runs whose definitions are laid over each other, by the gates of the run and
// then by kind.
type results map[string]map[string]result

type result struct {
	definition *checks.Definition // nil if there is none
	found      diag.List          // of the run
}

// Begin implements [define.Pass].
func (Pass) Begin(*define.Run) any { return nil }

// Applies implements [define.Strategy].
func (Pass) Applies(options *define.Options) bool { return options.MergeOverlay }

// Sharing implements [define.Strategy].
func (Pass) Sharing() define.Pass { return Pass{results{}} }

// Define implements [define.Strategy]. The positions in the result come from a run that has what
// any gate has.
func (p Pass) Define(ctx context.Context, options define.Options,
	once define.DefineFunc) ([]*checks.Definition, *define.Run, error) {
	whole := options
	whole.Passes = options.Passes.With(erasure.Pass{Whole: true})
	all, run, err := once(ctx, whole)
	if err != nil {
		return nil, nil, err
	}
	options.Loaded = run.Options.Loaded
	missing := func(d diag.Diagnostic) bool { return slices.Contains(report.OfAllRuns(), d.Code) }
	findings := slices.DeleteFunc(run.Reporter.List, func(d diag.Diagnostic) bool { return !missing(d) })
	run.Reporter.List = nil
	named := gatedNames(run)
	eraser, _ := define.StateOf[*erasure.Eraser](run)
	parts := map[*checks.Definition][]Part{}
	kindsOf := map[string][]string{}
	sets := map[string]gates.Set{}
	for _, d := range all {
		var used []source.Gated
		for _, t := range d.Roots {
			used = append(used, Used(t)...)
		}
		parts[d] = Parts(used, options.Gates)
		for _, part := range parts[d] {
			kindsOf[part.String()] = append(kindsOf[part.String()], kindOf(d))
			sets[part.String()] = part.Set(eraser.Named(options.Gates), named)
		}
	}
	runs := results{}
	for _, part := range slices.Sorted(maps.Keys(sets)) {
		runs[part], err = p.definePart(ctx, options, once, sets[part], kindsOf[part])
		if err != nil {
			return nil, nil, err
		}
		for _, kind := range kindsOf[part] {
			findings = append(findings, slices.DeleteFunc(slices.Clone(runs[part][kind].found), missing)...)
		}
	}
	run.Reporter.List = append(run.Reporter.List, findings.Normalize()...)
	var out []*checks.Definition
	for _, d := range all {
		if merged := merge(run, d, parts[d], runs); merged != nil {
			out = append(out, merged)
		}
	}
	return out, run, ctx.Err()
}

func kindOf(d *checks.Definition) string { return d.Object.Spec.Names.Kind + "." + d.Object.Spec.Group }

// definePart returns what a run for a set of gates has, at least of the kinds.
func (p Pass) definePart(ctx context.Context, options define.Options, once define.DefineFunc, enabled gates.Set,
	kinds []string) (map[string]result, error) {
	key := fmt.Sprintf("%q", enabled)
	out := p.shared[key]
	if out == nil {
		out = map[string]result{}
	}
	options.Kinds = slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { _, ok := out[kind]; return ok })
	if len(options.Kinds) == 0 {
		return out, nil
	}
	options.Passes = options.Passes.With(erasure.Pass{Kinds: gates.Set(options.Gates)})
	options.Gates = enabled
	options.Groups = nil
	options.Annotations = nil
	options.Labels = nil // the result has its own
	all, run, err := once(ctx, options)
	if err != nil {
		return nil, err
	}
	for _, kind := range options.Kinds {
		out[kind] = result{found: run.Reporter.List}
	}
	for _, d := range all {
		out[kindOf(d)] = result{d, run.Reporter.List}
	}
	if p.shared != nil {
		p.shared[key] = out
	}
	return out, nil
}

// merge returns a definition with the schemas of the parts laid over each other, or nil if there
// are none because of an error.
func merge(run *define.Run, d *checks.Definition, parts []Part, runs results) *checks.Definition {
	out := *d
	out.Schemas = nil
	for _, version := range d.Object.Spec.Versions {
		var schemas []*structural.Schema
		var owners []Part
		for _, part := range parts {
			if p := runs[part.String()][kindOf(d)].definition; p != nil && p.SchemaOf(version.Name) != nil {
				schemas = append(schemas, p.SchemaOf(version.Name))
				owners = append(owners, part)
				out.Flawed = out.Flawed || p.Flawed
			}
		}
		if len(schemas) == 0 {
			return nil
		}
		schema, lost := Schemas(owners, schemas)
		out.Schemas = append(out.Schemas, schema)
		for _, l := range lost {
			reportLost(run, d, l)
		}
	}
	return &out
}

// reportLost reports a rule of a gate that a definition does not have because of another gate.
func reportLost(run *define.Run, d *checks.Definition, l Lost) {
	t := d.Roots[0]
	used := Used(t)
	index := slices.IndexFunc(used, func(g source.Gated) bool { return g.Pos == l.Rule })
	n := slices.IndexFunc(used, func(g source.Gated) bool {
		return slices.ContainsFunc(g.Gates, func(names []string) bool { return slices.Equal(names, l.Later) })
	})
	if index < 0 || n < 0 {
		return
	}
	var names []string
	for _, part := range used[index].Gates {
		if name := Part(part).String(); name != gates.Base {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return // what has the empty name is not that of a gate
	}
	found := run.Reporter.Report(report.MergeLosesRule, t.Pkg.At(l.Rule), "write merge: once in schemagen.yaml, or give the rule the gate, too",
		"the merge loses this rule of gate %s: gate %s comes later, and has the same list without it", strings.Join(names, " or "), l.Later)
	found.Related = []diag.Related{{Pos: run.Reporter.Position(used[n].Pos), Message: "the later gate"}}
}

// gatedNames returns the names in OpenShift's markers, sorted.
func gatedNames(run *define.Run) []string {
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
