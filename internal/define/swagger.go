package define

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/kube-openapi/pkg/util"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// SwaggerTypes are types of one package.
type SwaggerTypes struct {
	// Package is the import path.
	Package string
	// Group and Version belong to the kinds, and Types are the Go names of the types.
	Group, Version string
	Types          []string
}

// Swagger returns OpenAPI v2 documents of types in the packages of a run.
type Swagger struct {
	roots   []*source.Package
	builder *Builder
	ctx     context.Context
}

// NewSwagger reads the packages. The error is as for [Make].
func NewSwagger(ctx context.Context, options Options) (*Swagger, error) {
	options.AllowDangerousTypes = true
	options.IgnoreUnexportedFields = true
	roots, b, err := Open(ctx, options)
	if err != nil {
		return nil, err
	}
	b.declaredObjectMeta = true
	return &Swagger{roots, b, ctx}, nil
}

// Document returns an OpenAPI v2 document, encoded as JSON, with definitions of the given
// types, which are kinds, and of all types that they refer to. The name of a definition is
// the Go name as written by util.ToRESTFriendlyName of kube-openapi. The document is the
// input of code-generator's applyconfiguration-gen (--openapi-schema). Its schemas equal those by
// controller-tools' buildOpenAPISchema (pkg/applyconfiguration), with ObjectMeta as declared and
// without the keywords that OpenAPI v2 lacks. It does not contain unions and other edits of this
// project, because they do not affect how objects are merged.
//
// The package must match one of the options' patterns. The diagnostics only contain errors
// in the source found so far; other findings belong to definitions.
func (run *Swagger) Document(types SwaggerTypes) ([]byte, diag.List, error) {
	i := slices.IndexFunc(run.roots, func(p *source.Package) bool { return p.Path == types.Package })
	if i < 0 {
		return nil, nil, fmt.Errorf("package %s does not match the patterns", types.Package)
	}
	s := &swagger{builder: run.builder, flattener: NewFlattener(run.builder), definitions: map[string]map[string]any{}}
	for _, name := range types.Types {
		t := run.roots[i].Lookup(name)
		if t == nil {
			continue // it is in a file that the build constraints exclude
		}
		s.define(t)["x-kubernetes-group-version-kind"] = []any{
			map[string]any{"group": types.Group, "version": types.Version, "kind": name},
		}
	}
	if s.err != nil {
		return nil, nil, s.err
	}
	data, err := json.Marshal(map[string]any{
		"swagger":     "2.0",
		"info":        map[string]any{"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
		"paths":       map[string]any{},
		"definitions": s.definitions,
	})
	if err != nil {
		return nil, nil, err
	}
	errs := slices.DeleteFunc(slices.Clone(run.builder.Reporter.List),
		func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	return data, errs.Normalize(), run.ctx.Err()
}

// swagger collects definitions by their names in the document.
type swagger struct {
	builder     *Builder
	flattener   *Flattener
	definitions map[string]map[string]any
	// embedding are the embedded types that are currently being expanded.
	embedding []*source.Type
	err       error
}

func swaggerName(t *source.Type) string { return util.ToRESTFriendlyName(t.Pkg.Path + "." + t.Label()) }

// define returns the definition of a type. A type that refers to another one has the
// keywords of that type, overridden by its own (resolveRefDefinitions).
func (s *swagger) define(t *source.Type) map[string]any {
	name := swaggerName(t)
	if known, ok := s.definitions[name]; ok {
		return known
	}
	out := map[string]any{}
	s.definitions[name] = out // placeholder for types that contain themselves
	d := s.flattener.merge(s.embed(s.builder.build(t)))
	own := s.node(d)
	if d.ref != nil {
		maps.Copy(out, s.define(d.ref))
		delete(out, "x-kubernetes-group-version-kind")
		delete(own, "$ref")
	}
	maps.Copy(out, own)
	return out
}

// embed returns a draft in which references to embedded types, here and below, are replaced
// by the types (resolveAllOfRefs). As in controller-tools, an embedded type that refers to
// another type remains a reference. A struct that embeds itself through a pointer adds
// nothing.
func (s *swagger) embed(d *draft) *draft {
	if len(d.allOf) == 0 && len(d.properties) == 0 && d.items == nil && d.additional == nil {
		return d
	}
	out := d.clone()
	out.allOf = nil
	out.properties = nil
	for _, part := range d.allOf {
		if part.ref == nil {
			out.allOf = append(out.allOf, s.embed(part))
			continue
		}
		if slices.Contains(s.embedding, part.ref) {
			continue
		}
		s.embedding = append(s.embedding, part.ref)
		out.allOf = append(out.allOf, s.embed(s.builder.build(part.ref)))
		s.embedding = s.embedding[:len(s.embedding)-1]
	}
	for _, p := range d.properties {
		out.properties = append(out.properties, draftProperty{p.name, s.embed(p.node)})
	}
	if d.items != nil {
		out.items = s.embed(d.items)
	}
	if d.additional != nil {
		out.additional = s.embed(d.additional)
	}
	return out
}

// node renders a draft after merging what it embeds (FlattenEmbedded). References are kept.
func (s *swagger) node(d *draft) map[string]any {
	out := s.keywords(d)
	if d.ref != nil {
		s.define(d.ref)
		out["$ref"] = "#/definitions/" + swaggerName(d.ref)
		delete(out, "type")
		delete(out, "format")
	}
	if len(d.properties) > 0 {
		properties := map[string]any{}
		for _, p := range d.properties {
			properties[p.name] = s.node(s.flattener.merge(p.node))
		}
		out["properties"] = properties
	}
	if d.items != nil {
		out["items"] = s.node(s.flattener.merge(d.items))
	}
	if d.additional != nil {
		out["additionalProperties"] = s.node(s.flattener.merge(d.additional))
	} else if d.open {
		out["additionalProperties"] = true
	}
	var parts []any
	for _, part := range d.allOf {
		parts = append(parts, s.node(part))
	}
	if parts != nil {
		out["allOf"] = parts
	}
	return out
}

// keywords returns the keywords of the draft itself, without its children and without keywords that
// OpenAPI v2 lacks.
func (s *swagger) keywords(d *draft) map[string]any {
	schema := structural.Schema{Generic: d.Generic, Extensions: d.Extensions, ValueValidation: d.values}
	out := map[string]any{}
	data, err := json.Marshal(schema.Props())
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	s.err = cmp.Or(s.err, err)
	for _, keyword := range []string{"nullable", "anyOf", "oneOf", "not"} {
		delete(out, keyword)
	}
	return out
}
