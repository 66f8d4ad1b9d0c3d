package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/schemagen/schemagen/controllertools"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
)

// otherRun are the generators of others that a run in controller-gen's
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
		Source: options, Generators: o.generators, Year: time.Now().UTC().Year(), Temporary: temporary,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for _, file := range files {
		rule := o.rules[file.Generator]
		if file.Generator == applyConfiguration {
			rule = outputArtifacts{} // it knows no other place
		}
		path, prints := place(rule, file.PackageDir, file.Name)
		switch {
		case prints:
			printed = append(printed, output{file.Name, file.Data})
		case path != "":
			outputs = append(outputs, output{path, file.Data})
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

// applyConfiguration is the generator whose files are beside the packages.
const applyConfiguration = "applyconfiguration"

// place is where a file goes by an output rule: a path, standard output, or, if
// neither, nowhere. packageDir is the directory of the package that the file is a
// part of; empty for configuration.
func place(rule any, packageDir, name string) (path string, prints bool) {
	switch rule := rule.(type) {
	case outputDir:
		return filepath.Join(string(rule), name), false
	case outputArtifacts:
		dir := string(rule.Config)
		if packageDir != "" {
			dir = packageDir
			if rule.Code != "" {
				dir = string(rule.Code)
			}
		}
		return filepath.Join(dir, name), false
	case outputStdout:
		return "", true
	}
	return "", false
}

// temporary puts data into a file outside of the project, until remove is called.
func temporary(data []byte) (name string, remove func(), err error) {
	file, err := os.CreateTemp("", "schemagen-*.json")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(file.Name()) }
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return file.Name(), remove, nil
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
	if o.generators[applyConfiguration] != nil {
		places["YEAR"] = strconv.Itoa(time.Now().UTC().Year())
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
