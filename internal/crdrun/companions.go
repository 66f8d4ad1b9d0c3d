package crdrun

import (
	"context"
	"maps"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/internal/controllertools"
	"github.com/schemagen/schemagen/internal/output"
	"github.com/schemagen/schemagen/internal/project"
)

// Companions are the generators of others that a run in controller-gen's
// syntax has beside ours.
type Companions struct {
	// Generators are the generators by name.
	Generators map[string]controllertools.Generator
	// Rules say where the files of each generator go.
	Rules map[string]any
	// Defaulted are the generators that no argument has a rule for.
	Defaulted []string
}

// run returns the files that the generators want, and those that are only to be
// printed. year is the one to write.
func (c Companions) run(ctx context.Context, options generator.Options, year int) (outputs, printed []output.File, findings diag.List, err error) {
	files, findings, err := controllertools.Run(ctx, controllertools.Options{
		Source: options, Generators: c.Generators, Year: year, Temporary: output.Temporary,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for _, file := range files {
		rule := c.Rules[file.Generator]
		if file.Generator == controllertools.ApplyConfigurationName {
			rule = controllertools.OutputArtifacts{} // it knows no other place
		}
		path, prints := controllertools.Place(rule, file.PackageDir, file.Name)
		switch {
		case prints:
			printed = append(printed, output.File{Path: file.Name, Data: file.Data})
		case path != "":
			outputs = append(outputs, output.File{Path: path, Data: file.Data})
		}
	}
	return outputs, printed, findings, nil
}

// WithOutputs returns the generators with the directories that the project file says and no
// argument does.
func (c Companions) WithOutputs(file *project.File, wd string) Companions {
	c.Rules = maps.Clone(c.Rules)
	for _, generator := range c.Defaulted {
		if dir := file.Texts("outputs."+generator, wd); len(dir) > 0 {
			c.Rules[generator] = controllertools.OutputArtifacts{Config: controllertools.OutputDir(dir[0])}
		}
	}
	return c
}

// notEchoed are findings of the other generators without those on lines that have
// an error already: both read the same files.
func notEchoed(found, errs diag.List) diag.List {
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(errs, func(e diag.Diagnostic) bool {
			return e.Severity == diag.Error && d.Pos.File != "" && e.Pos.File == d.Pos.File && e.Pos.Line == d.Pos.Line
		})
	})
}

// noteSources notes what the generators read, which their loader does not tell.
func (c Companions) noteSources(ctx context.Context, options generator.Options) {
	if err := driver.NoteClosure(ctx, options); err != nil {
		options.Inputs.Unsure(err.Error())
	}
}
