package structural

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Unsupported is a part of JSONSchemaProps that no structural schema can hold.
// The API server refuses all of them (apiextensions' validation.go).
type Unsupported struct {
	// Path is the node's place, for example ".properties[foo].items".
	Path *Path
	// Keyword is the JSON name of what was left out, for example "$ref".
	Keyword string
}

// FromProps makes a schema of JSONSchemaProps, and says what it cannot hold.
// Properties are sorted by name. The result shares leaf values with p.
//
// [Schema.Props] gives back what was held.
func FromProps(p *apiextensionsv1.JSONSchemaProps) (*Schema, []Unsupported) {
	d := decoder{}
	s := d.schema(p, nil)
	return s, d.unsupported
}

type decoder struct {
	unsupported []Unsupported
}

func (d *decoder) schema(p *apiextensionsv1.JSONSchemaProps, at *Path) *Schema {
	if p == nil {
		return nil
	}
	d.check(p, at)
	s := &Schema{Generic: genericOf(p), Extensions: extensionsOf(p)}
	if values := d.values(p, at); !values.isZero() {
		s.ValueValidation = &values
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		child := p.Properties[name]
		s.Properties = append(s.Properties, Property{Name: name, Schema: d.schema(&child, at.Property(name))})
	}
	if p.Items != nil {
		s.Items = d.schema(p.Items.Schema, at.Child("items"))
	}
	if p.AdditionalProperties != nil {
		s.AdditionalProperties = &SchemaOrBool{
			Schema: d.schema(p.AdditionalProperties.Schema, at.Child("additionalProperties")),
			Bool:   p.AdditionalProperties.Allows && p.AdditionalProperties.Schema == nil,
		}
	}
	return s
}

func (d *decoder) nested(p *apiextensionsv1.JSONSchemaProps, at *Path) *NestedValueValidation {
	if p == nil {
		return nil
	}
	d.check(p, at)
	n := &NestedValueValidation{
		ValueValidation:     d.values(p, at),
		ForbiddenGenerics:   genericOf(p),
		ForbiddenExtensions: extensionsOf(p),
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		child := p.Properties[name]
		n.Properties = append(n.Properties, NestedProperty{Name: name, Schema: d.nested(&child, at.Property(name))})
	}
	if p.Items != nil {
		n.Items = d.nested(p.Items.Schema, at.Child("items"))
	}
	if a := p.AdditionalProperties; a != nil {
		n.AdditionalProperties = &NestedOrBool{
			Schema: d.nested(a.Schema, at.Child("additionalProperties")),
			Bool:   a.Allows && a.Schema == nil,
		}
	}
	return n
}

// check notes the keywords that have no place in the model.
func (d *decoder) check(p *apiextensionsv1.JSONSchemaProps, at *Path) {
	note := func(keyword string, set bool) {
		if set {
			d.unsupported = append(d.unsupported, Unsupported{at, keyword})
		}
	}
	note("id", p.ID != "")
	note("$schema", p.Schema != "")
	note("$ref", p.Ref != nil && *p.Ref != "")
	note("patternProperties", len(p.PatternProperties) > 0)
	note("dependencies", len(p.Dependencies) > 0)
	note("additionalItems", p.AdditionalItems != nil)
	note("definitions", len(p.Definitions) > 0)
	note("items", p.Items != nil && len(p.Items.JSONSchemas) > 0)
}

func genericOf(p *apiextensionsv1.JSONSchemaProps) Generic {
	g := Generic{
		Type: p.Type, Description: p.Description, Title: p.Title, Nullable: p.Nullable,
		Default: jsonOf(p.Default), Example: jsonOf(p.Example),
	}
	if p.ExternalDocs != nil {
		g.ExternalDocs = &ExternalDocs{Description: p.ExternalDocs.Description, URL: p.ExternalDocs.URL}
	}
	return g
}

func jsonOf(j *apiextensionsv1.JSON) *JSON {
	if j == nil {
		return nil
	}
	if len(j.Raw) == 0 {
		return &JSON{Raw: []byte("null")}
	}
	return &JSON{Raw: j.Raw}
}

func extensionsOf(p *apiextensionsv1.JSONSchemaProps) Extensions {
	e := Extensions{
		XPreserveUnknownFields: p.XPreserveUnknownFields,
		XEmbeddedResource:      p.XEmbeddedResource,
		XIntOrString:           p.XIntOrString,
		XListMapKeys:           p.XListMapKeys,
		XValidations:           p.XValidations,
	}
	if p.XListType != nil {
		e.XListType = *p.XListType
	}
	if p.XMapType != nil {
		e.XMapType = *p.XMapType
	}
	return e
}

func (d *decoder) values(p *apiextensionsv1.JSONSchemaProps, at *Path) ValueValidation {
	v := ValueValidation{
		Format: p.Format, Maximum: p.Maximum, ExclusiveMaximum: p.ExclusiveMaximum,
		Minimum: p.Minimum, ExclusiveMinimum: p.ExclusiveMinimum,
		MaxLength: p.MaxLength, MinLength: p.MinLength, Pattern: p.Pattern,
		MaxItems: p.MaxItems, MinItems: p.MinItems, UniqueItems: p.UniqueItems, MultipleOf: p.MultipleOf,
		MaxProperties: p.MaxProperties, MinProperties: p.MinProperties, Required: p.Required,
		Not: d.nested(p.Not, at.Child("not")),
	}
	for i := range p.Enum {
		v.Enum = append(v.Enum, *jsonOf(&p.Enum[i]))
	}
	list := func(keyword string, schemas []apiextensionsv1.JSONSchemaProps) []NestedValueValidation {
		var out []NestedValueValidation
		for i := range schemas {
			out = append(out, *d.nested(&schemas[i], at.Index(keyword, i)))
		}
		return out
	}
	v.AllOf = list("allOf", p.AllOf)
	v.OneOf = list("oneOf", p.OneOf)
	v.AnyOf = list("anyOf", p.AnyOf)
	return v
}

// isZero reports whether nothing is validated.
func (v *ValueValidation) isZero() bool {
	return v.Format == "" && v.Maximum == nil && !v.ExclusiveMaximum && v.Minimum == nil && !v.ExclusiveMinimum &&
		v.MaxLength == nil && v.MinLength == nil && v.Pattern == "" && v.MaxItems == nil && v.MinItems == nil &&
		!v.UniqueItems && v.MultipleOf == nil && v.Enum == nil && v.MaxProperties == nil && v.MinProperties == nil &&
		v.Required == nil && v.AllOf == nil && v.OneOf == nil && v.AnyOf == nil && v.Not == nil
}
