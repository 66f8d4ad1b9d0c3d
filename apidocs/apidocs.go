// Package apidocs writes documentation of custom resources for the users of an operator: pages in
// Markdown, or one HTML file with a searchable tree of fields.
//
//	definitions, err := crd.Read("config/crd/bases/example.com_widgets.yaml")
//	…
//	files, err := apidocs.Markdown(ctx, definitions, apidocs.Options{Examples: true})
//
// All served versions with a schema that the API server publishes are documented: their fields with
// types, limits, defaults, rules and unions.
//
// The package neither verifies definitions nor writes files.
package apidocs

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/definitions"
	pages "github.com/schemagen/schemagen/internal/pages/apidocs"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/publish"
)

// Options configure documentation. The zero value is that of schemagen docs without examples.
type Options struct {
	// Title is the title of the HTML page. The default is "Custom resources".
	Title string
	// Examples adds objects that the API server accepts, which takes long for large definitions.
	Examples bool
}

// Markdown returns the documentation in Markdown, one file for each group.
func Markdown(ctx context.Context, all []*crd.Definition, o Options) ([]publish.File, error) {
	kinds, err := o.kinds(ctx, all)
	if err != nil {
		return nil, err
	}
	return explain.MarkdownDocs(kinds), nil
}

// HTML returns the documentation as one page, which needs no other file and makes no requests.
func HTML(ctx context.Context, all []*crd.Definition, o Options) ([]byte, error) {
	kinds, err := o.kinds(ctx, all)
	if err != nil {
		return nil, err
	}
	return pages.Page(cmp.Or(o.Title, pages.DefaultTitle), kinds)
}

// kinds returns what is documented. Positions in Go are relative to the working directory.
func (o Options) kinds(ctx context.Context, all []*crd.Definition) ([]*explain.Documented, error) {
	dir, err := filepath.Abs("")
	if err != nil {
		return nil, err
	}
	var out []*explain.Documented
	for _, d := range all {
		resources, err := definitions.Resources(d)
		if err != nil {
			return nil, err
		}
		for _, r := range resources {
			documented := r.Documented(dir)
			if o.Examples {
				documented, err = r.DocumentedWithExamples(ctx, dir)
				if err != nil {
					return nil, err
				}
			}
			out = append(out, documented)
		}
	}
	return out, nil
}
