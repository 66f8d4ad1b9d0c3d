package structural

import (
	"go/token"
	"maps"
	"slices"
	"strings"

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

// UnknownKeyword is a keyword of a schema in a file that JSONSchemaProps does not
// have, for example "x-kubernetes-unions".
type UnknownKeyword struct {
	// Path is the node's place in the schema.
	Path    *Path
	Keyword string
	// Value has its keys in the order of the file.
	Value JSON
	Pos   token.Pos
	// Schema is the node, Nested the node if it stands inside of a logical
	// junctor. One of them is nil.
	Schema *Schema
	Nested *NestedValueValidation
}

// FromProps makes a schema of JSONSchemaProps, and says what it cannot hold.
// Properties are sorted by name. The result shares leaf values with p.
//
// [Schema.Props] gives back what was held.
func FromProps(p *apiextensionsv1.JSONSchemaProps) (*Schema, []Unsupported) {
	d := decoder{}
	s := d.schema(p, nil, d.at(noNode))
	return s, d.unsupported
}

// decoder makes schemas of JSONSchemaProps. If they were read from a file, its
// tree gives the places and the order of the properties.
type decoder struct {
	unsupported []Unsupported

	tree *tree
	base token.Pos // of the file
	// known says which keywords JSONSchemaProps has.
	known   func(keyword string) bool
	unknown []UnknownKeyword
}

func (d *decoder) schema(p *apiextensionsv1.JSONSchemaProps, path *Path, at nodePlace) *Schema {
	if p == nil {
		return nil
	}
	d.check(p, path)
	s := &Schema{Generic: genericOf(p), Extensions: extensionsOf(p), Origin: d.origin(at)}
	d.unknownKeywords(path, at, s, nil)
	if values := d.values(p, path, at); !values.isZero() {
		s.ValueValidation = &values
	}
	for _, prop := range d.properties(p.Properties, at) {
		child := p.Properties[prop.name]
		s.Properties = append(s.Properties, Property{Name: prop.name, Schema: d.schema(&child, path.Property(prop.name), prop.at)})
	}
	if p.Items != nil {
		s.Items = d.schema(p.Items.Schema, path.Child("items"), d.child(at, "items"))
	}
	if p.AdditionalProperties != nil {
		s.AdditionalProperties = &SchemaOrBool{
			Schema: d.schema(p.AdditionalProperties.Schema, path.Child("additionalProperties"), d.child(at, "additionalProperties")),
			Bool:   p.AdditionalProperties.Allows && p.AdditionalProperties.Schema == nil,
		}
	}
	return s
}

func (d *decoder) nested(p *apiextensionsv1.JSONSchemaProps, path *Path, at nodePlace) *NestedValueValidation {
	if p == nil {
		return nil
	}
	n := &NestedValueValidation{}
	d.fillNested(n, p, path, at)
	return n
}

func (d *decoder) fillNested(n *NestedValueValidation, p *apiextensionsv1.JSONSchemaProps, path *Path, at nodePlace) {
	d.check(p, path)
	n.ValueValidation = d.values(p, path, at)
	n.ForbiddenGenerics = genericOf(p)
	n.ForbiddenExtensions = extensionsOf(p)
	n.Origin = d.origin(at)
	d.unknownKeywords(path, at, nil, n)
	for _, prop := range d.properties(p.Properties, at) {
		child := p.Properties[prop.name]
		n.Properties = append(n.Properties, NestedProperty{Name: prop.name, Schema: d.nested(&child, path.Property(prop.name), prop.at)})
	}
	if p.Items != nil {
		n.Items = d.nested(p.Items.Schema, path.Child("items"), d.child(at, "items"))
	}
	if a := p.AdditionalProperties; a != nil {
		n.AdditionalProperties = &NestedOrBool{
			Schema: d.nested(a.Schema, path.Child("additionalProperties"), d.child(at, "additionalProperties")),
			Bool:   a.Allows && a.Schema == nil,
		}
	}
}

// nodePlace is where a node stands in the decoder's tree: its key, or itself if it
// is an element of a list, and its value. Both are noNode without a tree.
type nodePlace struct{ key, value int32 }

// at is the place of the value of a key.
func (d *decoder) at(key int32) nodePlace {
	if key < 0 {
		return nodePlace{noNode, noNode}
	}
	return nodePlace{key, key + 1}
}

// child is the place of a keyword of a node.
func (d *decoder) child(of nodePlace, keyword string) nodePlace {
	if d.tree == nil {
		return of
	}
	return d.at(d.tree.find(of.value, keyword))
}

func (d *decoder) pos(at nodePlace) token.Pos {
	if d.tree == nil || at.key < 0 {
		return token.NoPos
	}
	return d.base + token.Pos(d.tree.nodes[at.key].at)
}

// origin is the place of a node and of its keywords.
func (d *decoder) origin(at nodePlace) Origin {
	out := Origin{Pos: d.pos(at)}
	if d.tree == nil {
		return out
	}
	n := 0
	d.tree.eachEntry(at.value, func(int32) { n++ })
	out.Keywords = make([]KeywordOrigin, 0, n)
	d.tree.eachEntry(at.value, func(key int32) {
		out.Keywords = append(out.Keywords, KeywordOrigin{Keyword: d.tree.text(key), Pos: d.pos(d.at(key))})
	})
	return out
}

// unknownKeywords notes the extensions that JSONSchemaProps does not have.
func (d *decoder) unknownKeywords(path *Path, at nodePlace, s *Schema, n *NestedValueValidation) {
	if d.tree == nil {
		return
	}
	d.tree.eachEntry(at.value, func(key int32) {
		if keyword := d.tree.text(key); strings.HasPrefix(keyword, "x-") && !d.known(keyword) {
			d.unknown = append(d.unknown, UnknownKeyword{
				Path: path, Keyword: keyword, Value: JSON{Raw: d.tree.appendJSON(nil, key+1, false)}, Pos: d.pos(d.at(key)), Schema: s, Nested: n,
			})
		}
	})
}

// placedName is the name of a property and its place.
type placedName struct {
	name string
	at   nodePlace
}

// properties returns the names of the properties of a node: in the order of the
// file, or else sorted.
func (d *decoder) properties(properties map[string]apiextensionsv1.JSONSchemaProps, at nodePlace) []placedName {
	if len(properties) == 0 {
		return nil
	}
	out := make([]placedName, 0, len(properties))
	if d.tree != nil {
		d.tree.eachEntry(d.child(at, "properties").value, func(key int32) {
			out = append(out, placedName{d.tree.text(key), d.at(key)})
		})
	}
	if len(out) != len(properties) { // no file, or keys that repeat
		out = out[:0]
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			out = append(out, placedName{name, d.child(d.child(at, "properties"), name)})
		}
	}
	return out
}

// check notes the keywords that have no place in the model.
func (d *decoder) check(p *apiextensionsv1.JSONSchemaProps, path *Path) {
	note := func(keyword string, set bool) {
		if set {
			d.unsupported = append(d.unsupported, Unsupported{path, keyword})
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

// elements returns the places of the n elements of a list.
func (d *decoder) elements(of nodePlace, n int) []nodePlace {
	out := make([]nodePlace, 0, n)
	if d.tree != nil {
		d.tree.eachElement(of.value, func(element int32) {
			if len(out) < n {
				out = append(out, nodePlace{element, element})
			}
		})
	}
	for len(out) < n {
		out = append(out, nodePlace{noNode, noNode})
	}
	return out
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

func (d *decoder) values(p *apiextensionsv1.JSONSchemaProps, path *Path, at nodePlace) ValueValidation {
	v := ValueValidation{
		Format: p.Format, Maximum: p.Maximum, ExclusiveMaximum: p.ExclusiveMaximum,
		Minimum: p.Minimum, ExclusiveMinimum: p.ExclusiveMinimum,
		MaxLength: p.MaxLength, MinLength: p.MinLength, Pattern: p.Pattern,
		MaxItems: p.MaxItems, MinItems: p.MinItems, UniqueItems: p.UniqueItems, MultipleOf: p.MultipleOf,
		MaxProperties: p.MaxProperties, MinProperties: p.MinProperties, Required: p.Required,
		Not: d.nested(p.Not, path.Child("not"), d.child(at, "not")),
	}
	for i := range p.Enum {
		v.Enum = append(v.Enum, *jsonOf(&p.Enum[i]))
	}
	list := func(keyword string, schemas []apiextensionsv1.JSONSchemaProps) []NestedValueValidation {
		if len(schemas) == 0 {
			return nil
		}
		elements := d.elements(d.child(at, keyword), len(schemas))
		out := make([]NestedValueValidation, len(schemas))
		for i := range schemas {
			d.fillNested(&out[i], &schemas[i], path.Index(keyword, i), elements[i])
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
