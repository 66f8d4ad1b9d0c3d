package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/controllertools"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
)

// otherRun are the generators of controller-tools that a run in controller-gen's
// syntax has beside ours.
type otherRun struct {
	generators map[string]controllertools.Generator
	// rules say where the files of each generator go.
	rules map[string]any
	// unsaid are the generators that no argument has a rule for.
	unsaid []string
}

// run returns the files that the generators want, and those that are only to be
// printed.
func (o *otherRun) run(ctx context.Context, options generator.Options) (outputs, printed []output, findings diag.List, err error) {
	files, findings, err := controllertools.Run(ctx, controllertools.Options{
		Dir: options.Dir, Patterns: options.Patterns, Tags: options.Tags, Generators: o.generators,
		Read: func(name string) ([]byte, error) { return options.Inputs.ReadFile(name, nil) },
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for _, file := range files {
		switch rule := o.rules[file.Generator].(type) {
		case outputDir:
			outputs = append(outputs, output{filepath.Join(string(rule), file.Name), file.Data})
		case outputArtifacts:
			dir := string(rule.Config)
			if file.PackageDir != "" {
				dir = file.PackageDir
				if rule.Code != "" {
					dir = string(rule.Code)
				}
			}
			outputs = append(outputs, output{filepath.Join(dir, file.Name), file.Data})
		case outputStdout:
			printed = append(printed, output{file.Name, file.Data})
		}
	}
	return outputs, printed, findings, nil
}

// withOutputs returns the run with the directories that the project file says and no
// argument does.
func (o *otherRun) withOutputs(project *configFile, wd string) *otherRun {
	out := &otherRun{generators: o.generators, rules: maps.Clone(o.rules), unsaid: o.unsaid}
	for _, generator := range o.unsaid {
		if dir := project.texts("outputs."+generator, wd); len(dir) > 0 {
			out.rules[generator] = outputArtifacts{Config: outputDir(dir[0])}
		}
	}
	return out
}

// all and places are what tells one such run from another.
func (o *otherRun) all() map[string]controllertools.Generator {
	if o == nil {
		return nil
	}
	return o.generators
}

func (o *otherRun) places() map[string]string {
	if o == nil {
		return nil
	}
	places := map[string]string{}
	for name, rule := range o.rules {
		places[name] = fmt.Sprintf("%T %v", rule, rule)
	}
	return places
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
func (o *otherRun) noteSources(ctx context.Context, options generator.Options) {
	if err := generator.NoteClosure(ctx, options); err != nil {
		options.Inputs.Unsure(err.Error())
	}
}
