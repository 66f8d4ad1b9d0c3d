package deepcopy

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/typecheck"
)

// FileName is the base name of the generated files.
const FileName = "zz_generated.deepcopy.go"

// Options are the arguments of controller-gen's generator object.
type Options struct {
	// HeaderFile is the name of a file whose text is written below the build constraint, or
	// empty. Year replaces YEAR in it.
	HeaderFile, Year string
}

// Generate generates the files of the root packages. There are none if a diagnostic is an
// error, or if the program reported one: files that cannot be parsed, even without types. An error
// of type [*source.Unsure] means that controller-gen has to decide.
func Generate(ctx context.Context, p *source.Program, roots []*source.Package,
	options Options) ([]source.Output, diag.List, error) {
	return newGenerator(p, options).generate(ctx, roots)
}

func newGenerator(p *source.Program, options Options) *generator {
	return &generator{
		program: p, options: options, checker: typecheck.New(p),
		generated: map[*types.TypeName]bool{}, assumed: map[*types.TypeName]bool{},
		elsewhere: map[*source.Package]map[string]bool{}, written: map[*source.Package]*generatedFile{},
	}
}

func (g *generator) generate(ctx context.Context, roots []*source.Package) ([]source.Output, diag.List, error) {
	p := g.program
	header, unreadable := report.Header(p.ReadFile, g.options.HeaderFile, g.options.Year)
	g.header = header
	g.findings = unreadable
	sound := parse(p, roots) && len(unreadable) == 0
	var selected []*selection
	for _, root := range roots {
		if !mentions(root) {
			continue
		}
		s, err := g.enabled(root)
		if err != nil {
			return nil, nil, err
		}
		if s != nil {
			selected = append(selected, s)
		}
	}
	if !sound || g.findings.HasErrors() || len(selected) == 0 || ctx.Err() != nil {
		return nil, g.findings.Normalize(), ctx.Err()
	}
	if err := g.checkTypes(selected); err != nil {
		if g.reportMissing(); g.findings.HasErrors() {
			return nil, g.findings.Normalize(), ctx.Err()
		}
		return nil, nil, err
	}
	if err := g.findGenerated(selected); err != nil {
		return nil, nil, err
	}
	var files []source.Output
	for _, s := range selected {
		file, err := g.file(s)
		if err != nil {
			return nil, nil, err
		}
		if file != nil {
			g.written[s.pkg] = file
			files = append(files, source.Output{PackageDir: filepath.Dir(s.pkg.Files[0]), Name: FileName, Data: file.text})
		}
	}
	if !g.findings.HasErrors() {
		if err := g.compile(); err != nil {
			return nil, nil, err
		}
	}
	// Types and methods of more packages have been looked up.
	if !p.CheckRelevantSyntax(roots) || g.findings.HasErrors() {
		files = nil
	}
	return files, g.findings.Normalize(), ctx.Err()
}

// findGenerated finds the types that this run generates methods for.
func (g *generator) findGenerated(selected []*selection) error {
	for _, s := range selected {
		for _, t := range s.types {
			obj := g.checker.Lookup(s.pkg, t.spec.Name.Name)
			if obj == nil {
				return source.Unsuref("type %s of package %s was not checked", t.spec.Name.Name, s.pkg.Path)
			}
			g.generated[obj] = true
		}
	}
	return nil
}

// compile type-checks the generated files with a reason for it, and reports what does not compile at the
// type or field that it is about.
func (g *generator) compile() error {
	var suspects []*source.Package
	for p, file := range g.written {
		if file.reason != "" {
			suspects = append(suspects, p)
		}
	}
	slices.SortFunc(suspects, func(a, b *source.Package) int { return strings.Compare(a.Path, b.Path) })
	found, err := g.check(suspects)
	for p, errors := range found {
		reported := map[token.Pos]bool{}
		for _, err := range errors {
			pos := g.written[p].lines[g.program.Fset.Position(err.Pos).Line-1]
			if reported[pos] {
				continue
			}
			reported[pos] = true
			g.report(notCompiled, pos, "write DeepCopyInto by hand, or +kubebuilder:object:generate=false above the type", "the generated copy does not compile: %s", err.Msg)
		}
	}
	return err
}

// check type-checks the generated files of packages.
func (g *generator) check(packages []*source.Package) (map[*source.Package][]types.Error, error) {
	if len(packages) == 0 {
		return nil, nil
	}
	files := typecheck.Generated{Files: map[*source.Package][]byte{}, Methods: assumedMethods(hiddenMethods(), g.assumed)}
	for p, file := range g.written {
		files.Files[p] = file.text
	}
	return g.checker.CheckGenerated(packages, files)
}

// generator is the state of a run.
type generator struct {
	options  Options
	program  *source.Program
	checker  *typecheck.Checker
	header   string
	findings diag.List
	// generated are the types that this run generates methods for.
	generated map[*types.TypeName]bool
	// assumed are the types that were met and that another run generates methods for.
	assumed map[*types.TypeName]bool
	// elsewhere has, by package, the names of the types that another run generates methods for.
	elsewhere map[*source.Package]map[string]bool
	// written are the files of this run.
	written map[*source.Package]*generatedFile
}

// report adds a diagnostic.
func (g *generator) report(kind *diag.Kind, pos token.Pos, hint, format string, args ...any) {
	g.findings = append(g.findings, kind.At(diag.PositionOf(g.program.Fset, pos), hint, format, args...))
}

// parse parses the files of packages with markers of the generator. It returns whether these and
// other packages that matter are free of syntax errors.
func parse(p *source.Program, roots []*source.Package) bool {
	p.Scan(roots)
	var needed []*source.File
	for _, root := range roots {
		if mentions(root) {
			needed = append(needed, root.Sources...)
		}
	}
	p.Trees(needed, func(int, *ast.File) {})
	sound := p.CheckRelevantSyntax(roots)
	for _, root := range roots {
		if mentions(root) {
			root.Index()
		}
	}
	for _, f := range needed {
		f.Parse()
		sound = sound && f.Syntax != nil
	}
	return sound
}

// mentions reports whether a package has markers of the generator.
func mentions(p *source.Package) bool {
	return slices.ContainsFunc(p.Sources, func(f *source.File) bool { return f.MentionsObject })
}

// checkTypes type-checks the selected types.
func (g *generator) checkTypes(selected []*selection) error {
	for _, s := range selected {
		for _, f := range s.pkg.Sources {
			for _, spec := range f.Syntax.Imports {
				if spec.Path.Value == `"C"` {
					return source.Unsuref("package %s uses cgo", s.pkg.Path)
				}
			}
		}
		g.checker.Replace(s.pkg, FileName)
		for _, t := range s.types {
			g.checker.Need(s.pkg, t.spec.Name.Name)
		}
	}
	return g.checker.Check()
}

// reportMissing reports the imports that cannot be found or are not written, each at the first type that needs it.
func (g *generator) reportMissing() {
	reported := map[string]bool{}
	for _, m := range g.checker.Missing {
		qualifier, _, _ := strings.Cut(m.Name, ".")
		key := m.Path
		if key == "" {
			key = g.program.Fset.Position(m.Pos).Filename + " " + qualifier
		}
		if reported[key] {
			continue
		}
		reported[key] = true
		if m.Path == "" {
			hint, message := report.Unimported(m.Name)
			g.report(report.UnknownType, m.Pos, hint, "%s", message)
			continue
		}
		g.report(report.ImportNotFound, m.Pos, report.ImportHint(m.Package, m.Path), "cannot find package %q, which declares %s", m.Path, m.Name)
	}
}
