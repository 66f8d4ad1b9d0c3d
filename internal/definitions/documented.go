package definitions

import (
	"context"
	"path/filepath"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/pages/explain"
)

// Documented returns what is documented of the resource, with the positions of fields in Go
// relative to a directory. Positions in generated YAML are of no use to readers.
func (r *Resource) Documented(dir string) *explain.Documented {
	out := &explain.Documented{Resource: r.Resource, Field: explain.DocumentedField(r.Resource), Versions: explain.VersionsOf(r.Definition.CRD)}
	if out.Field != nil {
		r.setPositions(out.Field, dir, func(file string) bool { return filepath.Ext(file) == ".go" })
	}
	return out
}

// DocumentedWithExamples is Documented with the samples that a server accepts.
func (r *Resource) DocumentedWithExamples(ctx context.Context, dir string) (out *explain.Documented, err error) {
	out = r.Documented(dir)
	if out.Field != nil {
		out.Examples, err = r.examples(ctx)
	}
	return out, err
}

// SetPositions sets the positions of a field and of all fields below it, relative to a directory.
func (r *Resource) SetPositions(field *fields.Field, dir string) {
	r.setPositions(field, dir, func(file string) bool { return file != "" })
}

// setPositions sets the positions that are in wanted files.
func (r *Resource) setPositions(field *fields.Field, dir string, wanted func(file string) bool) {
	field.Each(func(f *fields.Field) {
		if f.SchemaPath == "" {
			return
		}
		if pos := (diag.List{{Pos: r.Position(f.SchemaPath)}}).RelativeTo(dir)[0].Pos; wanted(pos.File) {
			f.Position = pos.String()
		}
	})
}

// examples returns the samples that a server accepts.
func (r *Resource) examples(ctx context.Context) ([]explain.Example, error) {
	kind, err := dryrun.New(r.Definition).Kind(r.Kind + "." + r.GroupVersion())
	if err != nil {
		return nil, err
	}
	var out []explain.Example
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
		out = append(out, explain.Example{Title: title, YAML: string(sample.YAML)})
	}
	return out, nil
}
