package conversions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/unions/gounions"
)

// FileName is the name of the generated file in each package.
const FileName = "zz_generated.conversions.go"

// Options configure the conversions.
type Options struct {
	// Functions generates functions that take a context, instead of methods; the packages
	// then do not import controller-runtime.
	Functions bool
	// Strict requires a marker for each field that only the hub has.
	Strict bool
	// KeepOnCreate is [policy.Policy.KeepOnCreate].
	KeepOnCreate bool
	// Mutable makes code of which conditions can be removed while it runs, to find out whether
	// tests notice.
	Mutable bool
	// BuildTag is the build constraint of the files. If it is empty, they have none.
	BuildTag string
}

// Find returns the kinds with several versions and how each version is converted. If a
// diagnostic is an error, the model is incomplete. The error is as in [define.Make].
func Find(ctx context.Context, options define.Options, conversions Options) (*Model, diag.List, error) {
	m, r, err := find(ctx, options, conversions)
	if err != nil {
		return nil, nil, err
	}
	return m, r.List.Normalize(), ctx.Err()
}

func find(ctx context.Context, options define.Options, conversions Options) (*Model, *report.Reporter, error) {
	options.Gates = []string{"*"}      // the Go types are the same for all gates
	options.AllowDangerousTypes = true // they do not affect the conversions
	options.Ignored = FileName
	definitions, run, err := define.DefineKinds(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	r := run.Reporter
	m := &Model{Run: run, Options: conversions, fset: run.Fset, inputs: run.Options.Inputs, types: gotypes.New(),
		declarations: map[*source.Package]map[string]source.Declared{}}
	m.roots = slices.DeleteFunc(slices.Clone(run.Roots), func(p *source.Package) bool { return len(p.Files) == 0 })
	p := &pairer{model: m, reporter: r, types: m.types, unions: gounions.InRun(run), parse: run.ParseMarkers,
		memo: map[string]*Pair{}, strict: conversions.Strict, properties: properties{&locate.Locator{}}}
	var defined []*checks.Definition // of m.Kinds
	for _, d := range definitions {
		if len(d.Roots) == 1 {
			m.Alone = append(m.Alone,
				Alone{d.Object.Spec.Group, d.Object.Spec.Names.Kind, filepath.Dir(d.Roots[0].Pkg.Files[0])})
		}
		if kind := p.kind(d); kind != nil {
			m.Kinds = append(m.Kinds, kind)
			defined = append(defined, d)
		}
	}
	if r.List.HasErrors() {
		return m, r, nil
	}
	for i, kind := range m.Kinds {
		kind.Equal = true
		start := len(r.List)
		for _, spoke := range kind.Spokes {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			p.current = kind
			p.spoke = spoke
			spoke.Pair = p.pair(spoke.Type, kind.Hub.Type, spoke.Schema, kind.Hub.Schema,
				place{spokeThere: true, hubThere: true})
			p.checkHooks(spoke.Pair, map[*Pair]bool{})
			kind.Equal = kind.Equal && p.identical(spoke.Pair)
		}
		kind.incomplete = r.List[start:].HasErrors()
		switch {
		case kind.incomplete:
		case !kind.Equal:
			p.unaddressed(kind)
			p.existing(kind)
			run.Checker.ReportUnconverted(defined[i])
		case !r.List.HasErrors(): // in structs that other kinds use, too
			r.Add(noWebhook.At(r.Position(kind.Hub.Type.Decl.Spec.Name.Pos()), "", "%s needs no conversion webhook: all versions have the same fields", kind.Name))
		}
	}
	p.misplaced()
	settleFates(m.Pairs)
	settleMetadata(m.Pairs)
	p.idleGuards()
	p.uncheckedRules()
	return m, r, nil
}

// kind returns the kind of a definition; nil if it has one version, or no hub.
func (p *pairer) kind(d *checks.Definition) *Kind {
	if len(d.Roots) < 2 {
		return nil
	}
	kind := &Kind{Group: d.Object.Spec.Group, Name: d.Object.Spec.Names.Kind, Plural: d.Object.Spec.Names.Plural}
	var stored, marked []*Version
	for i, t := range d.Roots {
		version := &Version{Name: d.Object.Spec.Versions[i].Name, Type: p.types.Declared(t.Load()), Schema: d.Schemas[i],
			Storage: d.Object.Spec.Versions[i].Storage, Served: d.Object.Spec.Versions[i].Served}
		if version.Storage {
			stored = append(stored, version)
		}
		if t.Markers.Get(markers.ConvertPrefix+"hub") != nil {
			marked = append(marked, version)
		}
		kind.Spokes = append(kind.Spokes, version)
	}
	hubs := marked
	marker := "+" + markers.ConvertPrefix + "hub"
	if len(marked) == 0 {
		hubs = stored
		marker = "+" + markers.StorageVersionName
	}
	if len(hubs) != 1 {
		p.notOneHub(kind, hubs, marker)
		return nil
	}
	kind.Hub = hubs[0]
	p.stores(kind)
	kind.Spokes = slices.DeleteFunc(kind.Spokes, func(v *Version) bool { return v == kind.Hub })
	for _, v := range kind.Spokes {
		hub := kind.Hub.Type.Decl.Pkg
		spoke := v.Type.Decl.Pkg
		if pos := hub.FindImport(spoke); pos.IsValid() {
			found := p.reporter.Report(notOneHub, hub.At(pos), "move what needs both versions to a third package, or make "+v.Name+" the hub", "%s cannot be the hub of %s: its package imports that of %s, whose conversions import the hub's", kind.Hub.Name, kind.Name, v.Name)
			*found = found.With(diag.Related{Pos: p.at(v), Message: "version " + v.Name})
		}
	}
	return kind
}

// notOneHub reports a kind without a hub, or with several that have a marker. Storage versions that were
// reported are not reported again, but the hint then says which one to keep.
func (p *pairer) notOneHub(kind *Kind, hubs []*Version, marker string) {
	first := slices.Concat(hubs, kind.Spokes)[0]
	problem := "no version of " + kind.Name + " is the hub"
	hint := "write " + marker + " above one of the types"
	if len(hubs) > 1 {
		problem = "several versions of " + kind.Name + " are the hub"
		hint = oneHubHint(hubs, marker)
	}
	for i, d := range p.reporter.List {
		if (d.Code == report.NoStorageVersion.Code || d.Code == report.SeveralStorageVersions.Code) && strings.Contains(d.Message, "kind "+kind.Name+"."+kind.Group+" ") {
			if len(hubs) > 1 {
				p.reporter.List[i].Hint = hint
			}
			return
		}
	}
	found := notOneHub.At(p.at(first), hint, "%s", problem)
	for _, v := range kind.Spokes {
		if v != first {
			found = found.With(diag.Related{Pos: p.at(v), Message: "version " + v.Name})
		}
	}
	p.reporter.Add(found)
}

// misplaced reports markers that nothing reads.
func (p *pairer) misplaced() {
	for _, m := range misplacedMarkers(p.model.Kinds) {
		p.fail(noRule, m.Pos, m.In.Pkg, m.Hint, "+%s has no effect: %s", m.Name, m.Problem)
	}
}

// at returns the position of the type of a version.
func (p *pairer) at(v *Version) diag.Position {
	return p.reporter.Position(v.Type.Decl.Spec.Name.Pos())
}
