package commandline

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	ctdeepcopy "sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	ctrbac "sigs.k8s.io/controller-tools/pkg/rbac"
	ctwebhook "sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/applyconfiguration"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/companions/deepcopy"
	"github.com/schemagen/schemagen/internal/companions/rbac"
	"github.com/schemagen/schemagen/internal/companions/webhook"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/temporary"
	"github.com/schemagen/schemagen/internal/source"
)

// Generator is one of the generators, whose fields are its options.
type Generator = genall.Generator

// HeaderFile returns the header file that a generator reads, or "".
func HeaderFile(g Generator) string {
	switch g := g.(type) {
	case applyconfiguration.Generator:
		return g.HeaderFile
	case ctdeepcopy.Generator:
		return g.HeaderFile
	case ctrbac.Generator:
		return g.HeaderFile
	case ctwebhook.Generator:
		return g.HeaderFile
	}
	return ""
}

// ApplyConfigurationName is the name of the generator applyconfiguration.
const ApplyConfigurationName = applyconfiguration.Name

// Generators returns the generators by the name that controller-gen uses, with default
// options.
func Generators() map[string]Generator {
	return map[string]Generator{
		ApplyConfigurationName: applyconfiguration.Generator{}, "object": ctdeepcopy.Generator{}, "rbac": ctrbac.Generator{}, "webhook": ctwebhook.Generator{},
	}
}

// Options configure [Run].
type Options struct {
	// Source selects the packages: Dir, Patterns and Tags apply to all generators, and
	// Inputs reads other files, such as headers. The rest configures the schemas for
	// applyconfiguration.
	Source define.Options
	// Generators run in the order of their names.
	Generators map[string]Generator
	// Kinds are what rbac and webhook compare with. There are none if the run generates no CRDs.
	Kinds configgen.Kinds
	// Year replaces YEAR in the header of applyconfiguration's files.
	Year int
	// Temporary writes data to a file outside the project, which remove deletes.
	Temporary func(data []byte) (name string, remove func(), err error)
	// NoteSources records, in Inputs of Source, everything that generators with their own
	// loader may read. It is recorded before they read it, so that a change in between
	// invalidates the recorded run.
	NoteSources bool
	// If OwnOnly is set, controller-gen's own code does not run: the generators that would
	// need it return no files.
	OwnOnly bool
}

// File is an output file of a generator.
type File struct {
	// Generator is the name of the generator.
	Generator string
	source.Output
}

// Result is the result of [Run].
type Result struct {
	Files    []File
	Findings diag.List
	// Unsure are, sorted, the generators that ran controller-gen's own code, each with the
	// reason.
	Unsure []string
}

// Run runs the generators on the packages of the run. A generator that cannot be certain that
// its output would be controller-gen's runs controller-gen's own code instead. The findings
// are errors of the generators and of the loader; if there is one, no file may be written.
// The error means that nothing could be loaded.
func Run(ctx context.Context, options Options) (*Result, error) {
	if options.Source.Loaded == nil {
		loaded, err := define.Load(ctx, options.Source)
		if err != nil {
			return nil, err
		}
		options.Source.Loaded = loaded
	}
	out := &Result{}
	upstream := map[string]Generator{}
	for _, name := range slices.Sorted(maps.Keys(options.Generators)) {
		progress.Start(ctx, "running", name, 0)
		files, findings, err := generate(ctx, options, options.Generators[name])
		if unsure, ok := errors.AsType[*source.Unsure](err); ok {
			upstream[name] = options.Generators[name]
			out.Unsure = append(out.Unsure, name+": "+unsure.Reason)
			continue
		}
		if err != nil {
			findings = append(findings, toDiagnostics(name, err)...)
		}
		out.add(name, files, findings)
	}
	if len(upstream) > 0 && !options.OwnOnly {
		if err := out.runUpstream(ctx, options, upstream); err != nil {
			return nil, err
		}
	}
	out.Findings = out.Findings.Normalize()
	return out, ctx.Err()
}

func (r *Result) add(generator string, files []source.Output, findings diag.List) {
	for _, f := range files {
		r.Files = append(r.Files, File{generator, f})
	}
	r.Findings = append(r.Findings, findings...)
}

// generate runs one generator. The error is a [source.Unsure] if controller-gen's own code has
// to run.
func generate(ctx context.Context, options Options, g Generator) (files []source.Output, findings diag.List, err error) {
	program, roots, reporter := options.Source.Loaded.Program()
	switch g := g.(type) {
	case applyconfiguration.Generator:
		files, findings, err = applyconfiguration.Generate(ctx, program, roots, applyOptions(options, g))
	case ctdeepcopy.Generator:
		files, findings, err = deepcopy.Generate(ctx, program, roots, deepcopy.Options{HeaderFile: g.HeaderFile, Year: g.Year})
	case ctrbac.Generator:
		files, findings, err = rbac.Generate(ctx, program, roots,
			rbac.Options{Generator: g, SkipVerify: options.Source.SkipVerify, Kinds: options.Kinds})
	case ctwebhook.Generator:
		files, findings, err = webhook.Generate(ctx, program, roots, webhook.Options{Generator: g,
			SkipVerify: options.Source.SkipVerify, Kinds: options.Kinds, Server: options.Source.Server})
	}
	return files, append(findings, reporter.List...), err
}

func applyOptions(o Options, apply applyconfiguration.Generator) applyconfiguration.Options {
	return applyconfiguration.Options{
		Generator: apply, Source: o.Source, Year: o.Year, Temporary: o.Temporary, Complaint: generatorError,
	}
}

// Upstream returns the generators for which controller-gen's own code would run on the packages,
// each with the reason. Nothing is written.
func Upstream(ctx context.Context, options define.Options) ([]string, error) {
	result, err := Run(ctx, Options{
		Source: options, Generators: Generators(), Year: time.Now().UTC().Year(), Temporary: temporary.Schemas.Write, OwnOnly: true,
	})
	if err != nil {
		return nil, err
	}
	return result.Unsure, nil
}
