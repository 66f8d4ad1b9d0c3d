package definitions

import (
	"context"
	"path/filepath"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/publish"
)

// Documented returns what is documented of the resource, with the positions of fields in Go
// relative to a directory. Positions in generated YAML are of no use to readers. Examples are
// samples that a server accepts.
func (r *Resource) Documented(ctx context.Context, dir string, examples bool) (*publish.Documented, error) {
	out := &publish.Documented{Resource: r.Resource, Field: publish.DocumentedField(r.Resource)}
	if out.Field == nil {
		return out, nil
	}
	out.Field.Each(func(f *publish.Field) {
		if f.SchemaPath == "" {
			return
		}
		if pos := (diag.List{{Pos: r.Position(f.SchemaPath)}}).RelativeTo(dir)[0].Pos; filepath.Ext(pos.File) == ".go" {
			f.Position = pos.String()
		}
	})
	var err error
	if examples {
		out.Examples, err = r.examples(ctx)
	}
	return out, err
}

// examples returns the samples that a server accepts.
func (r *Resource) examples(ctx context.Context) ([]publish.Example, error) {
	kind, err := dryrun.New(r.Definition).Kind(r.Kind + "." + r.GroupVersion())
	if err != nil {
		return nil, err
	}
	var out []publish.Example
	for _, full := range []bool{false, true} {
		sample, err := kind.Sample(ctx, full)
		if err != nil {
			return nil, err
		}
		if len(sample.Findings) > 0 {
			continue // verify reports the reason
		}
		title := "Example: required fields only"
		if full {
			title = "Example: all fields that can be set together"
		}
		out = append(out, publish.Example{Title: title, YAML: string(sample.YAML)})
	}
	return out, nil
}
