// Package crdrun executes runs of the generator of CRDs: what is asked is one value
// ([Request]), what is to be written and what was found another ([Result]). It looks for
// files that belong to no kind any more (stale.go, declared.go), writes what installs
// definitions (install.go), and runs the generators of others that a command line has beside
// crd (companions.go, schemapatch.go). It knows no flags, and writes no files.
package crdrun

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/output"
)

// Request is what is asked of a run of the generator of CRDs, and all that is known of its
// surroundings before anything is read. It is a value: all of its fields, byte for byte, are
// the key of kept runs, and [Run] gets nothing else that changes its result. What reads, and
// the server, are nil in its Options.
type Request struct {
	generator.Options
	// KubeVersion is the Kubernetes version of the server that has to accept the output.
	KubeVersion string
	// Destination is the directory that files go to; "-" is standard output, and
	// empty means nowhere.
	Destination string
	// Companions and Patch are generators that run beside this one; NoCRD leaves this
	// one out.
	Companions Companions
	Patch      *Patch
	NoCRD      bool
	// CurrentYear is what applyconfiguration writes; 0 without it.
	CurrentYear int
	// Within is the only directory that may be written to; empty is any.
	Within string
	// Whole reports whether the run covers all packages that the project file is for.
	Whole bool
	// Prune removes files of ours that no kind produces any more.
	Prune bool
	// Kustomize writes a kustomization.yaml into the output directory.
	Kustomize bool
	// Helm is the directory of a Helm chart that gets the CRDs, too: its crds, or
	// its templates, or one in that. Empty means none.
	Helm string
	// Strict is --strict, which the findings are judged by.
	Strict bool
	// ProjectFile tells the project file, with its content, from others: it has severities
	// and waivers.
	ProjectFile string
	// Environment has the variables that the go command and the server's code may look at.
	Environment []string
}

// Result is what a run wants written, and what it found.
type Result struct {
	// Outputs are all files to write, Printed those that are only to be printed.
	Outputs, Printed []output.File
	// Stale are the files to remove.
	Stale    []string
	Findings diag.List
}

// Run executes a request for a server. in notes what is read; nil notes nothing. If
// noteSources is set, what the companions read is noted, too.
func Run(ctx context.Context, request Request, server generator.Server, in *inputs.Reader, noteSources bool) (*Result, error) {
	r := &runner{Request: request, in: in, noteSources: noteSources}
	r.Options.Inputs, r.Options.Server = in, server
	crds, stale, findings, err := r.generate(ctx)
	if err != nil {
		return nil, err
	}
	outputs, printed, more, err := r.beside(ctx, crds)
	if err != nil {
		return nil, err
	}
	return &Result{outputs, printed, stale, append(findings, notEchoed(more, findings)...).Normalize()}, nil
}

// runner executes a request. Its Options have what reads, and the server.
type runner struct {
	Request
	in          *inputs.Reader
	noteSources bool
}

// beside runs the generators that are beside this one. It returns all files to
// write, those that are only to be printed, and what else was found.
func (r *runner) beside(ctx context.Context, crds []output.File) (outputs, printed []output.File, findings diag.List, err error) {
	if r.Patch == nil && len(r.Companions.Generators) == 0 {
		return crds, nil, nil, nil
	}
	if r.Destination == "-" {
		printed, crds = crds, nil
	}
	outputs = crds
	if r.Patch != nil {
		var only []output.File
		if outputs, only, findings, err = r.Patch.run(ctx, r.Options, crds); err != nil {
			return nil, nil, nil, err
		}
		printed, findings = append(printed, only...), definitions.WithoutIgnored(r.in, findings)
	}
	if len(r.Companions.Generators) > 0 {
		if r.noteSources {
			// Before they are read by somebody else: what changes in between is
			// a change then.
			r.Companions.noteSources(ctx, r.Options)
		}
		more, only, found, err := r.Companions.run(ctx, r.Options, r.CurrentYear)
		if err != nil {
			return nil, nil, nil, err
		}
		outputs, printed, findings = append(outputs, more...), append(printed, only...), append(findings, notEchoed(found, findings)...)
	}
	return outputs, printed, findings, nil
}

// generate returns the files of the definitions, and those that are stale.
func (r *runner) generate(ctx context.Context) (outputs []output.File, stale []string, findings diag.List, err error) {
	if r.NoCRD && r.Patch == nil {
		findings, err = driver.Misspelt(ctx, r.Options)
		return nil, nil, definitions.WithoutIgnored(r.in, findings), err
	} else if r.NoCRD {
		return nil, nil, nil, nil // schemapatch looks for them
	}
	options := r.Options
	if r.Destination != "-" {
		options.OutputDir = r.Destination
	}
	result, findings, err := generator.Run(ctx, options)
	if err != nil {
		return nil, nil, nil, err
	}
	var files []driver.File
	for _, c := range result.CRDs() {
		files = append(files, driver.File{Name: c.FileName(), Data: c.YAML()})
	}
	// Stale files are looked for first: with --strict they are errors, and
	// nothing is written while there is one.
	if !findings.HasErrors() {
		var more diag.List
		if stale, more, err = r.stale(files); err != nil {
			return nil, nil, nil, err
		}
		shipped, found, err := r.ship(files, stale)
		if err != nil {
			return nil, nil, nil, err
		}
		outputs = append(outputs, shipped...)
		findings = slices.Concat(findings, more, found).Normalize()
	}
	if r.Destination != "" {
		for _, file := range files {
			outputs = append(outputs, output.File{Path: filepath.Join(r.Destination, file.Name), Data: file.Data})
		}
	}
	return outputs, stale, definitions.WithoutIgnored(r.in, findings), nil
}
