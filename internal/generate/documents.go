package generate

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/pages/apidocs"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/publish"
)

// Documents are the documents about the definitions of a project, with the directories that they are written
// to. A document without a directory is not written.
type Documents struct {
	Docs, JSONSchema, OpenAPI string
	// Format and Title are arguments of [apidocs.Files] for Docs.
	Format, Title string
}

// documentsOf returns the documents that a project file has outputs for.
func documentsOf(file *project.File, dir string) Documents {
	text := func(key, missing string) string {
		if texts := file.Texts(key, dir); len(texts) > 0 {
			return texts[0]
		}
		return missing
	}
	return Documents{
		Docs: text("outputs.docs", ""), JSONSchema: text("outputs.jsonschema", ""), OpenAPI: text("outputs.openapi", ""),
		Format: text("docs.format", apidocs.Formats()[0]), Title: text("docs.title", apidocs.DefaultTitle),
	}
}

// names returns the generators of the documents.
func (d Documents) names() (out []string) {
	for i, dir := range []string{d.Docs, d.JSONSchema, d.OpenAPI} {
		if dir != "" {
			out = append(out, documentGenerators()[i])
		}
	}
	return out
}

// only returns the documents of some generators.
func (d Documents) only(generators []string) Documents {
	for i, dir := range []*string{&d.Docs, &d.JSONSchema, &d.OpenAPI} {
		if !slices.Contains(generators, documentGenerators()[i]) {
			*dir = ""
		}
	}
	return d
}

// run returns the documents about the definitions in files, which are like those of the commands that write
// them.
func (d Documents) run(ctx context.Context, dir string, crds []written) (*made, error) {
	if len(d.names()) == 0 {
		return &made{}, nil
	}
	var files []crd.File
	for _, f := range crds {
		files = append(files, crd.File{Name: f.Path, Data: f.Data})
	}
	resources, findings := definitions.ResourcesOf(files)
	out := &made{findings: findings}
	if findings.HasErrors() {
		return out, nil
	}
	add := func(generator, dir string, files []publish.File, err error) error {
		for _, f := range files {
			path := filepath.Join(dir, filepath.FromSlash(f.Path))
			out.files = append(out.files, written{File: output.File{Path: path, Data: f.Data}, generator: generator})
		}
		return err
	}
	if d.Docs != "" {
		kinds := make([]*explain.Documented, len(resources))
		for i, r := range resources {
			var err error
			kinds[i], err = r.DocumentedWithExamples(ctx, dir)
			if err != nil {
				return nil, err
			}
		}
		files, err := apidocs.Files(d.Format, d.Title, kinds)
		if err := add("docs", d.Docs, files, err); err != nil {
			return nil, err
		}
	}
	if d.JSONSchema != "" {
		files, err := publish.JSONSchemas(definitions.Published(resources), publish.JSONSchemaOptions{})
		if err := add("jsonschema", d.JSONSchema, files, err); err != nil {
			return nil, err
		}
	}
	if d.OpenAPI != "" {
		files, err := OpenAPIFiles(resources, publish.Options{})
		if err := add("openapi", d.OpenAPI, files, err); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// OpenAPIFiles returns the OpenAPI documents of resources as files below a directory.
func OpenAPIFiles(resources []*definitions.Resource, options publish.Options) (files []publish.File, err error) {
	documents, err := publish.Documents(definitions.Published(resources), options)
	for _, d := range documents {
		path := d.Path
		if path == "v3" {
			path = "v3/index.json" // a file cannot also be a directory
		}
		files = append(files, publish.File{Path: "openapi/" + path, Data: d.Data})
	}
	return files, err
}
