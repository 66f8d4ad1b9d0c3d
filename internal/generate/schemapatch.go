package generate

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/companions/schemapatch"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Patch is the generator schemapatch in a run with controller-gen's syntax.
type Patch struct {
	commandline.SchemaPatchArguments
	// Rule is the output rule for its files.
	Rule any
	// CRDFirst is set if crd precedes schemapatch on the command line, so that schemapatch
	// reads the files that crd writes.
	CRDFirst bool
}

// run patches definitions. It returns the files to write, in which patched definitions
// replace those of crd for the same files, and the files to print.
func (p *Patch) run(ctx context.Context, options define.Options,
	crds []output.File) (outputs, printed []output.File, findings diag.List, err error) {
	options.MaxDescription = p.MaxDescLen
	options.EmbeddedObjectMeta = p.GenerateEmbeddedObjectMeta != nil && *p.GenerateEmbeddedObjectMeta
	options.AllowDangerousTypes = false
	options.IgnoreUnexportedFields = false
	var written []define.File
	for _, out := range crds {
		if p.CRDFirst && filepath.Clean(filepath.Dir(out.Path)) == filepath.Clean(p.ManifestsPath) {
			written = append(written, define.File{Name: filepath.Base(out.Path), Data: out.Data})
		}
	}
	files, findings, err := schemapatch.Patch(ctx, options, p.ManifestsPath, written)
	if err != nil {
		return nil, nil, nil, err
	}
	outputs = slices.Clone(crds)
	for _, file := range files {
		path, prints := commandline.OutputPath(p.Rule, "", file.Name)
		if prints {
			printed = append(printed, output.File{Path: file.Name, Data: file.Data})
			continue
		}
		if path == "" {
			continue
		}
		i := slices.IndexFunc(outputs, func(o output.File) bool { return filepath.Clean(o.Path) == path })
		switch {
		case i < 0:
			outputs = append(outputs, output.File{Path: path, Data: file.Data})
		case p.CRDFirst:
			outputs[i].Data = file.Data
		}
	}
	return outputs, printed, findings, nil
}
