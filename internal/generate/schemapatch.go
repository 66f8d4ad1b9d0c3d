package generate

import (
	"context"
	"path/filepath"
	"slices"

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
func (p *Patch) run(ctx context.Context, options define.Options, crds []written) (*made, error) {
	options.MaxDescription = p.MaxDescLen
	options.EmbeddedObjectMeta = p.GenerateEmbeddedObjectMeta != nil && *p.GenerateEmbeddedObjectMeta
	options.AllowDangerousTypes = false
	options.IgnoreUnexportedFields = false
	var generated []define.File
	for _, out := range crds {
		if p.CRDFirst && filepath.Clean(filepath.Dir(out.Path)) == filepath.Clean(p.ManifestsPath) {
			generated = append(generated, define.File{Name: filepath.Base(out.Path), Data: out.Data})
		}
	}
	files, findings, err := schemapatch.Patch(ctx, options, p.ManifestsPath, generated)
	if err != nil {
		return nil, err
	}
	out := &made{files: slices.Clone(crds), findings: findings}
	for _, file := range files {
		path, prints := commandline.OutputPath(p.Rule, "", file.Name)
		if prints {
			printed := output.File{Path: file.Name, Data: file.Data}
			out.printed = append(out.printed, written{File: printed, generator: "schemapatch"})
			continue
		}
		if path == "" {
			continue
		}
		i := slices.IndexFunc(out.files, func(f written) bool { return filepath.Clean(f.Path) == path })
		switch {
		case i < 0:
			out.files = append(out.files, written{File: output.File{Path: path, Data: file.Data}, generator: "schemapatch"})
		case p.CRDFirst:
			out.files[i].Data = file.Data
		}
	}
	return out, nil
}
