package generate

import (
	"context"
	"maps"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/temporary"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Companions are the companion generators: those of controller-gen that a command line in its
// syntax names in addition to crd.
type Companions struct {
	// Generators are the companion generators by name.
	Generators map[string]commandline.Generator
	// Order has the names of all generators, crd included, in the order in which they print.
	Order []string
	// Rules are the output rules of the generators, by name.
	Rules map[string]any
	// Defaulted are the generators without an output rule in the arguments.
	Defaulted []string
	// Patterns are the packages that they read, if those are not the packages of the request.
	Patterns []string
}

// CompanionsOf returns the companion generators that arguments in controller-gen's syntax name.
func CompanionsOf(line *commandline.CommandLine) Companions {
	if len(line.Generators) == 0 {
		return Companions{Order: line.Order}
	}
	out := Companions{Generators: line.Generators, Order: line.Order, Rules: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(line.Generators)) {
		rule, explicit := commandline.RuleFor(name, line.Rules)
		out.Rules[name] = rule
		if !explicit {
			out.Defaulted = append(out.Defaulted, name)
		}
	}
	return out
}

// run runs the generators and returns the files that they write and those to print.
func (c Companions) run(ctx context.Context, options commandline.Options) (*made, error) {
	var misspelled diag.List
	source := &options.Source
	if len(c.Patterns) > 0 && !slices.Equal(c.Patterns, source.Patterns) {
		source.Patterns = c.Patterns
		loaded, err := source.Loaded.LoadOthers(ctx, *source)
		if err != nil {
			return nil, err
		}
		source.Loaded = loaded
		// A misspelled +kubebuilder:rbac in a package without types is a permission less.
		misspelled, err = define.Misspelled(ctx, *source)
		if err != nil {
			return nil, err
		}
	}
	options.Generators = c.Generators
	options.Temporary = temporary.Schemas.Write
	result, err := commandline.Run(ctx, options)
	if err != nil {
		return nil, err
	}
	out := &made{findings: slices.Concat(definitions.WithoutIgnored(source.Inputs, misspelled), result.Findings)}
	for _, file := range result.Files {
		rule := c.Rules[file.Generator]
		if file.Generator == commandline.ApplyConfigurationName {
			rule = commandline.OutputArtifacts{} // it supports no other output rule
		}
		path, prints := commandline.OutputPath(rule, file.PackageDir, file.Name)
		switch {
		case prints:
			printed := output.File{Path: file.Name, Data: file.Data}
			out.printed = append(out.printed, written{File: printed, generator: file.Generator})
		case path != "":
			path = screen.Relative(source.Dir, path, 0)
			out.files = append(out.files, written{output.File{Path: path, Data: file.Data}, file.Generator, file.PackageDir})
		}
	}
	return out, nil
}

// WithOutputs returns a copy in which generators without an output rule in the arguments use
// the directory from the project file, if there is one.
func (c Companions) WithOutputs(file *project.File, wd string) Companions {
	c.Rules = maps.Clone(c.Rules)
	for _, generator := range c.Defaulted {
		if dir := file.Texts("outputs."+generator, wd); len(dir) > 0 {
			c.Rules[generator] = commandline.OutputArtifacts{Config: commandline.OutputDir(dir[0])}
		}
	}
	return c
}

// named returns the directories that the arguments name for the output of the generators.
func (c Companions) named() (dirs []string) {
	for _, generator := range slices.Sorted(maps.Keys(c.Rules)) {
		if !slices.Contains(c.Defaulted, generator) {
			dirs = append(dirs, commandline.Directories(c.Rules[generator])...)
		}
	}
	return dirs
}

// HeaderFiles returns the header files of the generators.
func (c Companions) HeaderFiles() (names []string) {
	for _, generator := range slices.Sorted(maps.Keys(c.Generators)) {
		if name := commandline.HeaderFile(c.Generators[generator]); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// notEchoed returns the findings of companion generators, without those on lines that already
// have an error: both read the same files.
func notEchoed(found, errs diag.List) diag.List {
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(errs, func(e diag.Diagnostic) bool {
			return e.Severity == diag.Error && d.Pos.File != "" && e.Pos.File == d.Pos.File && e.Pos.Line == d.Pos.Line
		})
	})
}
