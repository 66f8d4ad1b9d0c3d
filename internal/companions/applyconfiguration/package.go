package applyconfiguration

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	"k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	"k8s.io/gengo/v2"
	gengogenerator "k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
)

// packageRun is a package that requests apply configurations.
type packageRun struct {
	*run
	root      *loader.Package
	path, dir string
	// group and version belong to its kinds, and output is the package of the apply configurations,
	// relative to it.
	group, version, output string
	kinds                  []kind
	// lacks is the diagnostic about what the package lacks for apply configurations, or nil.
	lacks *diag.Diagnostic
	// model returns gengo's model of the package, and the types for which code-generator
	// runs.
	model func() (types.Universe, []*types.Type, error)
}

// kind is a type that gets an apply configuration.
type kind struct {
	name       string
	namespaced bool
}

// describe returns what the markers of a package request, or nil, also for errors, which it reports.
func (r *run) describe(root *loader.Package, collector *ctmarkers.Collector) *packageRun {
	p, err := r.requested(root, collector)
	if err != nil {
		r.refuse(root, err)
		return nil
	}
	return p
}

// requested returns what the markers of a package request, or nil (generateForPackage of
// pkg/applyconfiguration).
func (r *run) requested(root *loader.Package, collector *ctmarkers.Collector) (*packageRun, error) {
	marks, err := ctmarkers.PackageMarkers(collector, root)
	if err != nil {
		return nil, err
	}
	if enabled, _ := marks.Get(markers.ApplyName).(bool); !enabled || len(root.GoFiles) == 0 {
		return nil, nil
	}
	p := &packageRun{run: r, root: root, path: root.PkgPath, dir: root.Dir, version: root.Name, output: "applyconfiguration"}
	var ok bool
	p.group, ok = marks.Get(markers.GroupName).(string)
	if !ok {
		return nil, errors.New("could not infer groupVersion for package - Is the `// +groupName` marker set?")
	}
	if name, ok := marks.Get(markers.VersionName).(string); ok {
		p.version = name
	}
	if name, ok := marks.Get(markers.ApplyOutputName).(string); ok {
		p.output = name
	}
	err = ctmarkers.EachType(collector, root, func(info *ctmarkers.TypeInfo) {
		resource, isKind := info.Markers.Get(markers.ResourceName).(crdmarkers.Resource)
		enabled, explicit := info.Markers.Get(markers.ApplyName).(bool)
		if explicit && enabled || !explicit && isKind {
			p.kinds = append(p.kinds, kind{info.Name, resource.Scope != string(apiextensionsv1.ClusterScoped)})
		}
	})
	if err == nil && len(p.kinds) > 0 {
		p.lacks, err = p.checkGroupVersion(root)
	}
	return p, err
}

// load is a model that gengo loads.
func (p *packageRun) load() (types.Universe, []*types.Type, error) {
	source := parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
	if err := source.LoadPackages(p.path); err != nil {
		return nil, nil, fmt.Errorf("load: %w", err)
	}
	universe, err := source.NewUniverse()
	if err != nil {
		return nil, nil, err
	}
	order := namer.Orderer{Namer: generators.NameSystems()[generators.DefaultNameSystem()]}
	return universe, order.OrderUniverse(universe), nil
}

// generate generates the files of the package.
func (p *packageRun) generate() error {
	if p.lacks != nil {
		p.findings = append(p.findings, *p.lacks)
		return nil
	}
	arguments := p.arguments()
	if len(p.kinds) > 0 {
		document, err := p.document()
		if err != nil || document == nil {
			return err
		}
		name, remove, err := p.Temporary(document)
		if err != nil {
			return err
		}
		defer remove()
		arguments.OpenAPISchemaFilePath = name
	}
	return p.upstream(func() error { return p.execute(arguments) })
}

// arguments returns those of code-generator's command, without schemas.
func (p *packageRun) arguments() *args.Args {
	arguments := args.New()
	arguments.ExternalApplyConfigurations = maps.Clone(p.external)
	arguments.OutputDir = filepath.Join(p.dir, p.output)
	arguments.OutputPkg = filepath.Join(p.path, p.output)
	return arguments
}

// document returns the OpenAPI document of the package's kinds, or nil if there is an error
// in the source.
func (p *packageRun) document() ([]byte, error) {
	if p.schemas == nil {
		options := p.Source
		options.Gates = []string{"*"} // the Go types are the same for all gates
		schemas, err := define.NewSwagger(p.ctx, options)
		if err != nil {
			return nil, err
		}
		p.schemas = schemas
	}
	swagger := define.SwaggerTypes{Package: p.path, Group: p.group, Version: p.version}
	for _, k := range p.kinds {
		swagger.Types = append(swagger.Types, k.name)
	}
	document, found, err := p.schemas.Document(swagger)
	p.findings = append(p.findings, found...)
	if err != nil || found.HasErrors() {
		return nil, err
	}
	return document, nil
}

// execute runs code-generator over the package, with the comments that control it.
func (p *packageRun) execute(arguments *args.Args) error {
	universe, order, err := p.model()
	if err != nil {
		return err
	}
	// gengo's NewContext links goimports, whose tables add a millisecond to each
	// start.
	c := &gengogenerator.Context{
		Namers: generators.NameSystems(), Universe: universe, Inputs: []string{p.path}, Order: order,
		FileTypes: map[string]gengogenerator.FileType{gengogenerator.GoFileType: collector{p, arguments.OutputPkg,
			arguments.OutputDir}},
	}
	declared := universe.Package(p.path)
	declared.Comments = append(declared.Comments, "+"+markers.GroupName+"="+p.group)
	for _, k := range p.kinds {
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
