package controllertools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	"k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	"k8s.io/gengo/v2"
	gengogenerator "k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"
	"k8s.io/klog/v2"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/driver"
)

// ApplyConfigurationName is the name of the generator.
const ApplyConfigurationName = "applyconfiguration"

// ApplyConfiguration has the options of controller-gen's generator (Generator of
// pkg/applyconfiguration). As there, its files are written next to the packages whatever
// the output rules.
type ApplyConfiguration struct {
	// HeaderFile is the file whose text precedes every generated file, with YEAR
	// replaced.
	HeaderFile string `marker:",optional"`
	// ExternalApplyConfigurations name the packages with the apply configurations of
	// external types: <package>.<TypeName>@<package>.
	ExternalApplyConfigurations []string `marker:",optional"`
	// OmitToolVersion has no effect: generated files always name controller-gen as
	// the generator.
	OmitToolVersion *bool `marker:",optional"`
}

// RegisterMarkers implements [genall.Generator].
func (ApplyConfiguration) RegisterMarkers(into *markers.Registry) error {
	define := func(name string, target markers.TargetType, value any, help string) error {
		definition, err := markers.MakeDefinition(name, target, value)
		if err != nil {
			return err
		}
		if err := into.Register(definition); err != nil {
			return err
		}
		into.AddHelp(definition, markers.SimpleHelp("apply", help))
		return nil
	}
	return errors.Join(
		define(enableMarker, markers.DescribesPackage, false, "overrides enabling or disabling applyconfiguration generation for the package"),
		define(enableMarker, markers.DescribesType, false, "overrides enabling or disabling applyconfiguration generation for the type, can be used to generate applyconfiguration for a single type when the package generation is disabled, or to disable generation for a single type when the package generation is enabled"),
		define(outputMarker, markers.DescribesPackage, "", "overrides the default output package for the applyconfiguration generation, supports relative paths to the API directory. The default value is \"applyconfiguration\""),
		crdmarkers.Register(into),
	)
}

// Markers of the generator.
const (
	resourceMarker = "kubebuilder:resource"
	enableMarker   = "kubebuilder:ac:generate"
	outputMarker   = "kubebuilder:ac:output:package"
)

// Generate implements [genall.Generator]. It always fails: see applyRun.
func (ApplyConfiguration) Generate(*genall.GenerationContext) error {
	return errors.New("it needs the schemas of a run")
}

// applyRun is the generator with the state of a run.
type applyRun struct {
	ApplyConfiguration
	ctx      context.Context
	options  Options
	findings *diag.List
}

// Generate implements [genall.Generator].
func (g applyRun) Generate(c *genall.GenerationContext) error {
	header, err := g.header(c)
	if err != nil {
		return err
	}
	external := args.New().ExternalApplyConfigurations
	for _, each := range g.ExternalApplyConfigurations {
		name, in, ok := strings.Cut(each, "@")
		if !ok {
			return fmt.Errorf("invalid external apply configuration format %q, expected <package>.<TypeName>@<applyconfiguration-package>", each)
		}
		external[types.ParseFullyQualifiedName(name)] = in
	}
	var errs []error
	for _, root := range c.Roots {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		p := &applyPackage{applyRun: g, genall: c, root: root, header: header, external: maps.Clone(external)}
		if err := p.generate(); err != nil {
			errs = append(errs, fmt.Errorf("package %s: %w", root.PkgPath, err))
		}
	}
	return loader.MaybeErrList(errs)
}

// header returns the text that precedes each file (gengo.GoBoilerplate), with the name of
// controller-gen's command.
func (g applyRun) header(c *genall.GenerationContext) ([]byte, error) {
	var text []byte
	if g.HeaderFile != "" {
		file, err := c.ReadFile(g.HeaderFile)
		if err != nil {
			return nil, err
		}
		text = bytes.ReplaceAll(file, []byte("YEAR"), []byte(strconv.Itoa(g.options.Year)))
	}
	generated := strings.ReplaceAll(gengo.StdGeneratedBy, "GENERATOR_NAME", "controller-gen")
	return slices.Concat(text, []byte("\n"+generated+"\n\n")), nil
}

// applyPackage is one package with kinds.
type applyPackage struct {
	applyRun
	genall   *genall.GenerationContext
	root     *loader.Package
	header   []byte
	external map[types.Name]string
}

// kind is a type that gets an apply configuration.
type kind struct {
	name       string
	namespaced bool
}

// generate generates the files of the package if it is enabled (generateForPackage of
// pkg/applyconfiguration).
func (p *applyPackage) generate() error {
	marks, err := markers.PackageMarkers(p.genall.Collector, p.root)
	if err != nil {
		return err
	}
	if enabled, _ := marks.Get(enableMarker).(bool); !enabled || len(p.root.GoFiles) == 0 {
		return nil
	}
	group, ok := marks.Get("groupName").(string)
	if !ok {
		return errors.New("could not infer groupVersion for package - Is the `// +groupName` marker set?")
	}
	version := p.root.Name
	if name, ok := marks.Get("versionName").(string); ok {
		version = name
	}
	output := "applyconfiguration"
	if name, ok := marks.Get(outputMarker).(string); ok {
		output = name
	}
	kinds, err := p.kinds()
	if err != nil {
		return err
	}
	arguments := args.New()
	arguments.ExternalApplyConfigurations = p.external
	arguments.OutputDir = filepath.Join(p.root.Dir, output)
	arguments.OutputPkg = filepath.Join(p.root.PkgPath, output)
	if len(kinds) > 0 {
		schemas := driver.SwaggerTypes{Package: p.root.PkgPath, Group: group, Version: version}
		for _, k := range kinds {
			schemas.Types = append(schemas.Types, k.name)
		}
		document, found, err := driver.Swagger(p.ctx, p.options.Source, schemas)
		*p.findings = append(*p.findings, found...)
		if err != nil || found.HasErrors() {
			return err
		}
		name, remove, err := p.options.Temporary(document)
		if err != nil {
			return err
		}
		defer remove()
		arguments.OpenAPISchemaFilePath = name
	}
	return p.upstream(func() error { return p.execute(arguments, group, kinds) })
}

// kinds returns the types of the package that are kinds or that request an apply
// configuration.
func (p *applyPackage) kinds() ([]kind, error) {
	var out []kind
	err := markers.EachType(p.genall.Collector, p.root, func(info *markers.TypeInfo) {
		resource, isKind := info.Markers.Get(resourceMarker).(crdmarkers.Resource)
		enabled, says := info.Markers.Get(enableMarker).(bool)
		if says && enabled || !says && isKind {
			out = append(out, kind{info.Name, resource.Scope != string(apiextensionsv1.ClusterScoped)})
		}
	})
	return out, err
}

// execute runs code-generator over the package, with the comments that control it.
func (p *applyPackage) execute(arguments *args.Args, group string, kinds []kind) error {
	source := parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
	if err := source.LoadPackages(p.root.PkgPath); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	universe, err := source.NewUniverse()
	if err != nil {
		return err
	}
	// gengo's NewContext links goimports, whose tables add a millisecond to each
	// start.
	systems := generators.NameSystems()
	order := namer.Orderer{Namer: systems[generators.DefaultNameSystem()]}
	c := &gengogenerator.Context{
		Namers: systems, Universe: universe, Inputs: source.UserRequestedPackages(), Order: order.OrderUniverse(universe),
		FileTypes: map[string]gengogenerator.FileType{gengogenerator.GoFileType: applyFiles{p, arguments.OutputPkg, arguments.OutputDir}},
	}
	declared := universe.Package(p.root.PkgPath)
	declared.Comments = append(declared.Comments, "+groupName="+group)
	for _, k := range kinds {
		t, ok := declared.Types[k.name]
		if !ok {
			continue
		}
		t.CommentLines = append(t.CommentLines, "+genclient")
		if !k.namespaced {
			t.CommentLines = append(t.CommentLines, "+genclient:nonNamespaced")
		}
	}
	for _, target := range generators.GetTargets(c, arguments) {
		if err := c.ExecuteTarget(inMemory{target}); err != nil {
			return err
		}
	}
	return nil
}

// inMemory is a target for which no directory is created.
type inMemory struct{ gengogenerator.Target }

// Dir implements [gengogenerator.Target].
func (inMemory) Dir() string { return "." }

// applyFiles is gengo's file type for Go, which collects files instead of writing them.
type applyFiles struct {
	*applyPackage
	outputPackage, outputDir string
}

// AssembleFile implements [gengogenerator.FileType].
func (a applyFiles) AssembleFile(f *gengogenerator.File, _ string) error {
	text, err := format.Source(assembled(a.header, f))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	dir := filepath.Join(a.outputDir, strings.TrimPrefix(f.PackagePath, a.outputPackage))
	name, err := filepath.Rel(a.root.Dir, filepath.Join(dir, f.Name))
	if err != nil {
		return err
	}
	out, err := a.genall.Open(a.root, name)
	if err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	return out.Close()
}

// assembled returns the source of a file (assembleGoFile of gengo), with imports ordered
// and grouped as by goimports.
func assembled(header []byte, f *gengogenerator.File) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%spackage %s\n\n", header, f.PackageName)
	if imports := importSpecs(f.Imports); len(imports) > 0 {
		text.WriteString("import (\n")
		for i, spec := range imports {
			if i > 0 && spec.elsewhere && !imports[i-1].elsewhere {
				text.WriteByte('\n')
			}
			fmt.Fprintf(&text, "\t%s %q\n", spec.name, spec.path)
		}
		text.WriteString(")\n\n")
	}
	if f.Vars.Len() > 0 {
		fmt.Fprintf(&text, "var (\n%s)\n\n", f.Vars.Bytes())
	}
	if f.Consts.Len() > 0 {
		fmt.Fprintf(&text, "const (\n%s)\n\n", f.Consts.Bytes())
	}
	text.Write(f.Body.Bytes())
	return text.Bytes()
}

// importSpec is a line of an import declaration.
type importSpec struct {
	name, path string
	// elsewhere is true if the package is not in the standard library.
	elsewhere bool
}

// importSpecs parses import lines: a path, or a name and a quoted path. The standard
// library comes first.
func importSpecs(lines map[string]struct{}) []importSpec {
	var out []importSpec
	for line := range lines {
		spec := importSpec{path: line}
		if name, quoted, ok := strings.Cut(line, "\""); ok {
			spec = importSpec{name: strings.TrimSpace(name), path: strings.TrimSuffix(quoted, "\"")}
		}
		first, _, _ := strings.Cut(spec.path, "/")
		spec.elsewhere = strings.Contains(first, ".")
		out = append(out, spec)
	}
	slices.SortFunc(out, func(a, b importSpec) int {
		if a.elsewhere != b.elsewhere {
			if b.elsewhere {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.name, b.name))
	})
	return out
}

// upstream calls code that exits the process or panics if it encounters something
// unexpected, and returns an error for both. Errors that it only logs become warnings.
func (p *applyPackage) upstream(call func() error) error {
	done := make(chan error, 1)
	log := &upstreamLog{}
	klog.SetLogger(logr.New(log))
	defer klog.ClearLogger()
	exit := klog.OsExit
	defer func() { klog.OsExit = exit }()
	klog.OsExit = func(int) {
		done <- errors.New(log.last)
		select {} // the caller relies on this not returning
	}
	go func() {
		defer func() {
			if reason := recover(); reason != nil {
				done <- fmt.Errorf("%v", reason)
			}
		}()
		done <- call()
	}()
	select {
	case err := <-done:
		for _, message := range log.errors {
			*p.findings = append(*p.findings, generatorComplains.At(diag.Position{}, "", "%s: %s", ApplyConfigurationName, firstLine(message)).As(diag.Warning))
		}
		return err
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// upstreamLog is a log sink that keeps the last message and the errors.
type upstreamLog struct {
	last   string
	errors []string
}

// Init implements [logr.LogSink].
func (*upstreamLog) Init(logr.RuntimeInfo) {}

// Enabled implements [logr.LogSink].
func (*upstreamLog) Enabled(int) bool { return true }

// Info implements [logr.LogSink].
func (l *upstreamLog) Info(_ int, message string, _ ...any) { l.last = message }

// Error implements [logr.LogSink].
func (l *upstreamLog) Error(_ error, message string, _ ...any) {
	l.errors = append(l.errors, message)
}

// WithValues implements [logr.LogSink].
func (l *upstreamLog) WithValues(...any) logr.LogSink { return l }

// WithName implements [logr.LogSink].
func (l *upstreamLog) WithName(string) logr.LogSink { return l }
