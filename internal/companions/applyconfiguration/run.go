package applyconfiguration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/types"
	"sigs.k8s.io/controller-tools/pkg/loader"
	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
)

// Options configure [Generate] and [GenerateLoaded].
type Options struct {
	Generator
	// Source configures the schemas. Inputs reads the header.
	Source define.Options
	// Year replaces YEAR in the header.
	Year int
	// Temporary writes data to a file outside the project, which remove deletes.
	Temporary func(data []byte) (name string, remove func(), err error)
	// Complaint is the kind of diagnostics with errors that code-generator only logs.
	Complaint *diag.Kind
}

// run is a run of the generator.
type run struct {
	Options
	ctx      context.Context
	header   []byte
	external map[types.Name]string
	// schemas is created on first use.
	schemas  *define.Swagger
	files    []source.Output
	findings diag.List
}

// Generate returns the files for those root packages of a program that request apply
// configurations. The program must be one of the packages that are loaded in o.Source, and
// reports errors in their files.
//
// The findings are errors in the source, and what code-generator logs. The error is a
// [source.Unsure] if [GenerateLoaded] has to be called instead; otherwise it is what
// code-generator fails for, or several such errors in a [loader.ErrList].
func Generate(ctx context.Context, program *source.Program, roots []*source.Package,
	o Options) ([]source.Output, diag.List, error) {
	r, err := newRun(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	requested := requesting(program, roots)
	if len(requested) == 0 {
		return nil, r.findings, ctx.Err()
	}
	if tags := o.Source.Tags; tags != nil && !slices.Equal(tags, []string{gengo.StdBuildTag}) {
		return nil, nil, source.Unsuref("gengo ignores the build tags %s", strings.Join(tags, ","))
	}
	collector, err := newCollector()
	if err != nil {
		return nil, nil, err
	}
	var enabled []*packageRun
	for _, root := range requested {
		p, err := r.read(program, root, collector)
		if err != nil {
			return nil, nil, err
		}
		if p != nil {
			enabled = append(enabled, p)
		}
	}
	if sharesOutput(enabled) {
		if err := inOrder(enabled, program, roots); err != nil {
			return nil, nil, err
		}
	}
	return r.generate(enabled)
}

// GenerateLoaded is [Generate] for packages loaded by controller-tools. gengo loads their
// types, as it does for controller-gen.
func GenerateLoaded(ctx context.Context, roots []*loader.Package, collector *ctmarkers.Collector,
	o Options) ([]source.Output, diag.List, error) {
	r, err := newRun(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	var enabled []*packageRun
	for _, root := range roots {
		if p := r.describe(root, collector); p != nil {
			p.model = p.load
			enabled = append(enabled, p)
		}
	}
	return r.generate(enabled)
}

func newRun(ctx context.Context, o Options) (*run, error) {
	r := &run{Options: o, ctx: ctx, external: args.New().ExternalApplyConfigurations}
	var text []byte
	if o.HeaderFile != "" {
		file, err := o.Source.Inputs.ReadFile(o.HeaderFile, nil)
		if err != nil {
			r.findings = append(r.findings, report.UnreadableHeader(o.HeaderFile, err))
		}
		text = bytes.ReplaceAll(file, []byte("YEAR"), []byte(strconv.Itoa(o.Year)))
	}
	// The rest is gengo.GoBoilerplate, with the name of controller-gen's command.
	generated := strings.ReplaceAll(gengo.StdGeneratedBy, "GENERATOR_NAME", "controller-gen")
	r.header = slices.Concat(text, []byte("\n"+generated+"\n\n"))
	for _, each := range o.ExternalApplyConfigurations {
		name, channel, ok := strings.Cut(each, "@")
		if !ok {
			return nil, fmt.Errorf("invalid external apply configuration format %q, expected <package>.<TypeName>@<applyconfiguration-package>", each)
		}
		r.external[types.ParseFullyQualifiedName(name)] = channel
	}
	return r, nil
}

// newCollector returns a collector of the markers that the generator registers.
func newCollector() (*ctmarkers.Collector, error) {
	registry := &ctmarkers.Registry{}
	return &ctmarkers.Collector{Registry: registry}, Generator{}.RegisterMarkers(registry)
}

// requesting returns the packages that may request apply configurations. Their files have
// been parsed. There are none if a file of any of the packages cannot be parsed, which the
// program has reported.
func requesting(program *source.Program, roots []*source.Package) (out []*source.Package) {
	program.Scan(roots)
	var all, files []*source.File
	for _, p := range roots {
		all = append(all, p.Sources...)
		if slices.ContainsFunc(p.Sources, func(f *source.File) bool { return f.MentionsApply }) {
			out = append(out, p)
			files = append(files, p.Sources...)
		}
	}
	program.Trees(files, func(int, *ast.File) {})
	if !program.CheckSyntax(all) {
		return nil
	}
	for _, p := range out {
		p.Index()
		for _, f := range p.Sources {
			f.Parse()
		}
	}
	return out
}

// read returns what is generated for a package of a program, or nil. The error is a
// [source.Unsure].
func (r *run) read(program *source.Program, root *source.Package, collector *ctmarkers.Collector) (*packageRun, error) {
	syntax := make([]*ast.File, len(root.Sources))
	for i, f := range root.Sources {
		syntax[i] = f.Syntax
	}
	p := r.describe(&loader.Package{Package: &packages.Package{
		PkgPath: root.Path, Name: root.Name, Dir: filepath.Dir(root.Files[0]), GoFiles: root.Files, Syntax: syntax, Fset: program.Fset,
	}}, collector)
	if p == nil {
		return nil, nil
	}
	universe, err := newUniverse(program, root)
	if len(universe.missing) > 0 {
		r.findings = slices.AppendSeq(r.findings, maps.Values(universe.missing))
		return nil, nil
	}
	p.model = func() (types.Universe, []*types.Type, error) {
		return universe.Universe, order(root, universe.Universe), nil
	}
	return p, err
}

// sharesOutput reports whether two packages may write the same file. The last one is kept.
func sharesOutput(all []*packageRun) bool {
	for i, p := range all {
		for _, q := range all[:i] {
			a := p.arguments().OutputDir + string(filepath.Separator)
			b := q.arguments().OutputDir + string(filepath.Separator)
			if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
				return true
			}
		}
	}
	return false
}

// inOrder sorts packages as controller-gen processes them. The error is a [source.Unsure].
func inOrder(all []*packageRun, program *source.Program, roots []*source.Package) error {
	ordered, ok := program.InOrder(roots)
	if !ok {
		return source.Unsuref("several packages write to the same directory, and the order in which controller-gen loads them is not known")
	}
	location := func(p *packageRun) int {
		return slices.IndexFunc(ordered, func(q *source.Package) bool { return q.Path == p.path })
	}
	slices.SortStableFunc(all, func(a, b *packageRun) int { return location(a) - location(b) })
	return nil
}

// order returns the types for which code-generator runs. It generates some files for the
// first one, whatever that is: without types, functions, variables or constants in the
// package, these files are empty.
func order(root *source.Package, universe types.Universe) (out []*types.Type) {
	declared := universe.Package(root.Path).Types
	for name := range declared {
		out = append(out, declared[name])
	}
	slices.SortFunc(out, func(a, b *types.Type) int { return strings.Compare(a.Name.Name, b.Name.Name) })
	if len(out) > 0 {
		return out
	}
	for name := range root.Names() {
		if len(out) == 0 && name != "_" && name != "init" {
			out = append(out, &types.Type{Kind: types.DeclarationOf})
		}
	}
	return out
}

// generate generates the files of packages.
func (r *run) generate(enabled []*packageRun) ([]source.Output, diag.List, error) {
	for _, p := range enabled {
		if err := r.ctx.Err(); err != nil {
			return nil, r.findings, err
		}
		if err := p.generate(); err != nil {
			r.refuse(p.root, err)
		}
	}
	return r.files, r.findings, r.ctx.Err()
}

// refuse reports the errors of a package, each at its marker, or else at the package clause.
func (r *run) refuse(root *loader.Package, err error) {
	errs := loader.ErrList{err}
	errors.As(err, &errs)
	for _, err := range errs {
		pos := root.Syntax[0].Name.Pos()
		if positioned, ok := errors.AsType[loader.PositionedError](err); ok {
			pos = positioned.Pos
		}
		r.findings = append(r.findings, r.Complaint.At(diag.PositionOf(root.Fset, pos), "",
			"%s: package %s: %s", Name, root.PkgPath, firstLine(err.Error())))
	}
}
