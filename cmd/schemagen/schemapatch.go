package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
)

// schemaPatchArguments are the options of controller-gen's generator schemapatch,
// in the form that its own parser of markers reads.
type schemaPatchArguments struct {
	ManifestsPath              string `marker:"manifests"`
	MaxDescLen                 *int   `marker:",optional"`
	GenerateEmbeddedObjectMeta *bool  `marker:",optional"`
}

// patchRun is schemapatch in a run in controller-gen's syntax.
type patchRun struct {
	schemaPatchArguments
	rule any
	// crdFirst: what crd writes is read, as it stands before schemapatch on the
	// command line.
	crdFirst bool
}

// run returns the patched definitions in the place of those that crd has for the
// same files, and what is to be printed.
func (p *patchRun) run(ctx context.Context, options generator.Options, crds []output) (outputs, printed []output, findings diag.List, err error) {
	options.MaxDescription = p.MaxDescLen
	options.EmbeddedObjectMeta = p.GenerateEmbeddedObjectMeta != nil && *p.GenerateEmbeddedObjectMeta
	options.AllowDangerousTypes, options.IgnoreUnexportedFields = false, false
	var written []generator.File
	for _, out := range crds {
		if p.crdFirst && filepath.Clean(filepath.Dir(out.path)) == filepath.Clean(p.ManifestsPath) {
			written = append(written, generator.File{Name: filepath.Base(out.path), Data: out.data})
		}
	}
	files, findings, err := generator.Patch(ctx, options, p.ManifestsPath, written)
	if err != nil {
		return nil, nil, nil, err
	}
	outputs = slices.Clone(crds)
	for _, file := range files {
		path, prints := place(p.rule, "", file.Name)
		if prints {
			printed = append(printed, output{file.Name, file.Data})
			continue
		}
		if path == "" {
			continue
		}
		i := slices.IndexFunc(outputs, func(o output) bool { return filepath.Clean(o.path) == path })
		switch {
		case i < 0:
			outputs = append(outputs, output{path, file.Data})
		case p.crdFirst:
			outputs[i].data = file.Data
		}
	}
	return outputs, printed, findings, nil
}

// key is what tells one such run from another.
func (p *patchRun) key() any {
	if p == nil {
		return nil
	}
	return []any{p.schemaPatchArguments, fmt.Sprintf("%T %v", p.rule, p.rule), p.crdFirst}
}
