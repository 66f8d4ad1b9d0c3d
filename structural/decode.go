package structural

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

const preserve = "x-kubernetes-preserve-unknown-fields"

// Unsupported is a part of JSONSchemaProps that no structural schema can hold.
// The API server rejects all of them (apiextensions' validation.go).
type Unsupported struct {
	// Path is the path of the node, for example ".properties[foo].items".
	Path *Path
	// Keyword is the JSON name of the part that was dropped, for example "$ref", or of one
	// whose value the server rejects: x-kubernetes-preserve-unknown-fields: false.
	Keyword string
}

// UnknownKeyword is a keyword of a schema in a file that JSONSchemaProps does not
// have, for example "x-kubernetes-unions".
type UnknownKeyword struct {
	// Path is the path of the node in the schema.
	Path    *Path
	Keyword string
	// Value has its keys in file order.
	Value JSON
	Pos   token.Pos
	// Schema is the node, or Nested if the node is inside a logical junctor. The
	// other one is nil.
	Schema *Schema
	Nested *NestedValueValidation
}

// Source is the file from which JSONSchemaProps were read. It provides [Decode]
// with the positions of values and the order of keys.
type Source interface {
	// Entries returns the entries of an object or the elements of a list, in
	// file order. It returns nil for other values and for 0.
	Entries(Node) []Entry
	// JSON returns a value as JSON. Its keys are in file order.
	JSON(Node) []byte
}

// Node identifies a value of a [Source]. It is 0 if the file has no value.
type Node int32

// Entry is an entry of an object, or an element of a list, in a [Source].
type Entry struct {
	// Key is the key of the entry; it is empty for elements of a list.
	Key string
	// Pos is the position of the key, or of the value if there is no key.
	Pos   token.Pos
	Value Node
}

// FromProps converts JSONSchemaProps to a schema and returns the parts that a
// schema cannot hold. Properties are sorted by name. The result shares leaf values
// with p.
//
// [Schema.Props] is the inverse, up to those parts.
func FromProps(p *apiextensionsv1.JSONSchemaProps) (*Schema, []Unsupported) {
	s, unsupported, _ := Decode(p, nil, Entry{})
	return s, unsupported
}

// Decode converts JSONSchemaProps that were read from an entry of a file, as
// [FromProps] does. Every node and every keyword has the position of its key, and
// properties are in file order. Decode also returns the keywords of the file that
// begin with "x-" but are unknown to JSONSchemaProps.
func Decode(p *apiextensionsv1.JSONSchemaProps, source Source, entry Entry) (*Schema, []Unsupported, []UnknownKeyword) {
	d := decoder{source: source}
	s := d.schema(p, nil, entry)
	return s, d.unsupported, d.unknown
}

// extensions are the keywords of JSONSchemaProps that begin with "x-".
var extensions = [...]string{
	preserve, "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys",
	"x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations",
}

// decoder converts JSONSchemaProps to schemas.
type decoder struct {
	unsupported []Unsupported

	source  Source
	unknown []UnknownKeyword
}

func (d *decoder) schema(props *apiextensionsv1.JSONSchemaProps, path *Path, entry Entry) *Schema {
	if props == nil {
		return nil
	}
	d.check(props, path)
	entries := d.entries(entry)
	s := &Schema{Generic: genericOf(props), Extensions: extensionsOf(props), Origin: d.origin(entry, entries)}
	d.unknownKeywords(path, entries, s, nil)
	if values := d.values(props, path, entries); !values.isZero() {
		s.ValueValidation = &values
	}
	d.checkValues(props, path)
	for _, prop := range d.properties(props.Properties, entries) {
		child := props.Properties[prop.Key]
		s.Properties = append(s.Properties, Property{Name: prop.Key, Schema: d.schema(&child, path.Property(prop.Key), prop)})
	}
	if props.Items != nil {
		s.Items = d.schema(props.Items.Schema, path.Child("items"), entryFor(entries, "items"))
	}
	if props.AdditionalProperties != nil {
		s.AdditionalProperties = &SchemaOrBool{
			Schema: d.schema(props.AdditionalProperties.Schema, path.Child("additionalProperties"), entryFor(entries, "additionalProperties")),
			Bool:   props.AdditionalProperties.Allows && props.AdditionalProperties.Schema == nil,
		}
	}
	return s
}

func (d *decoder) nested(p *apiextensionsv1.JSONSchemaProps, path *Path, entry Entry) *NestedValueValidation {
	if p == nil {
		return nil
	}
	n := &NestedValueValidation{}
	d.fillNested(n, p, path, entry)
	return n
}

func (d *decoder) fillNested(n *NestedValueValidation, p *apiextensionsv1.JSONSchemaProps, path *Path, entry Entry) {
	d.check(p, path)
	entries := d.entries(entry)
	n.ValueValidation = d.values(p, path, entries)
	n.ForbiddenGenerics = genericOf(p)
	n.ForbiddenExtensions = extensionsOf(p)
	n.Origin = d.origin(entry, entries)
	d.unknownKeywords(path, entries, nil, n)
	d.checkValues(p, path)
	for _, prop := range d.properties(p.Properties, entries) {
		child := p.Properties[prop.Key]
		n.Properties = append(n.Properties,
			NestedProperty{Name: prop.Key, Schema: d.nested(&child, path.Property(prop.Key), prop)})
	}
	if p.Items != nil {
		n.Items = d.nested(p.Items.Schema, path.Child("items"), entryFor(entries, "items"))
	}
	if a := p.AdditionalProperties; a != nil {
		n.AdditionalProperties = &NestedOrBool{
			Schema: d.nested(a.Schema, path.Child("additionalProperties"), entryFor(entries, "additionalProperties")),
			Bool:   a.Allows && a.Schema == nil,
		}
	}
}

// entries returns the children of an entry of the source.
func (d *decoder) entries(entry Entry) []Entry {
	if d.source == nil {
		return nil
	}
	return d.source.Entries(entry.Value)
}

// entryFor returns the last entry with the key, or, if there is none, an entry
// that has only the key.
func entryFor(entries []Entry, key string) Entry {
	for _, e := range slices.Backward(entries) {
		if e.Key == key {
			return e
		}
	}
	return Entry{Key: key}
}

// origin returns the position of a node and of its keywords.
func (d *decoder) origin(entry Entry, entries []Entry) Origin {
	out := Origin{Pos: entry.Pos}
	if d.source == nil {
		return out
	}
	out.Keywords = make([]KeywordOrigin, 0, len(entries))
	for _, e := range entries {
		out.Keywords = append(out.Keywords, KeywordOrigin{Keyword: e.Key, Pos: e.Pos})
	}
	return out
}

// unknownKeywords records the extensions that are unknown to JSONSchemaProps.
func (d *decoder) unknownKeywords(path *Path, entries []Entry, s *Schema, n *NestedValueValidation) {
	for _, e := range entries {
		if strings.HasPrefix(e.Key, "x-") && !slices.Contains(extensions[:], e.Key) {
			d.unknown = append(d.unknown, UnknownKeyword{
				Path: path, Keyword: e.Key, Value: JSON{Raw: d.source.JSON(e.Value)}, Pos: e.Pos, Schema: s, Nested: n,
			})
		}
	}
}

// properties returns the properties of a node, in file order if there is a file
// and sorted otherwise.
func (d *decoder) properties(properties map[string]apiextensionsv1.JSONSchemaProps, siblings []Entry) []Entry {
	if len(properties) == 0 {
		return nil
	}
	var entries []Entry
	for _, e := range siblings { // JSON may repeat the key: the decoder adds to what it has
		if e.Key == "properties" {
			entries = append(slices.Clip(entries), d.entries(e)...)
		}
	}
	if len(entries) == len(properties) {
		return entries // no key is repeated
	}
	last := map[string]Entry{} // no file, or duplicate keys
	for _, e := range entries {
		last[e.Key] = e
	}
	out := make([]Entry, 0, len(properties))
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		e := last[name]
		e.Key = name
		out = append(out, e)
	}
	return out
}

// note records a keyword that the model cannot hold.
func (d *decoder) note(path *Path, keyword string, set bool) {
	if set {
		d.unsupported = append(d.unsupported, Unsupported{path, keyword})
	}
}

// check records the keywords that the model cannot hold. The server reports the first mistake;
// here and in checkValues, which follows the junctors, the order is its own.
func (d *decoder) check(p *apiextensionsv1.JSONSchemaProps, path *Path) {
	note := func(keyword string, set bool) { d.note(path, keyword, set) }
	note("id", p.ID != "")
	note("$schema", p.Schema != "")
	note("$ref", p.Ref != nil && *p.Ref != "")
	note("patternProperties", len(p.PatternProperties) > 0)
	note("dependencies", len(p.Dependencies) > 0)
	note("additionalItems", p.AdditionalItems != nil)
	note("definitions", len(p.Definitions) > 0)
}

// checkValues records the values of keywords that the model cannot hold.
func (d *decoder) checkValues(p *apiextensionsv1.JSONSchemaProps, path *Path) {
	d.note(path, preserve, p.XPreserveUnknownFields != nil && !*p.XPreserveUnknownFields)
	d.note(path, "items", p.Items != nil && len(p.Items.JSONSchemas) > 0)
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
	return &JSON{Raw: plainjson.Plain(j.Raw)}
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

func (d *decoder) values(props *apiextensionsv1.JSONSchemaProps, path *Path, entries []Entry) ValueValidation {
	v := ValueValidation{
		Format: props.Format, Maximum: props.Maximum, ExclusiveMaximum: props.ExclusiveMaximum,
		Minimum: props.Minimum, ExclusiveMinimum: props.ExclusiveMinimum,
		MaxLength: props.MaxLength, MinLength: props.MinLength, Pattern: props.Pattern,
		MaxItems: props.MaxItems, MinItems: props.MinItems, UniqueItems: props.UniqueItems, MultipleOf: props.MultipleOf,
		MaxProperties: props.MaxProperties, MinProperties: props.MinProperties, Required: props.Required,
		Not: d.nested(props.Not, path.Child("not"), entryFor(entries, "not")),
	}
	for i := range props.Enum {
		v.Enum = append(v.Enum, *jsonOf(&props.Enum[i]))
	}
	list := func(keyword string, schemas []apiextensionsv1.JSONSchemaProps) []NestedValueValidation {
		if len(schemas) == 0 {
			return nil
		}
		elements := d.entries(entryFor(entries, keyword))
		out := make([]NestedValueValidation, len(schemas))
		for i := range schemas {
			var entry Entry
			if i < len(elements) {
				entry = elements[i]
			}
			d.fillNested(&out[i], &schemas[i], path.Index(keyword, i), entry)
		}
		return out
	}
	v.AllOf = list("allOf", props.AllOf)
	v.OneOf = list("oneOf", props.OneOf)
	v.AnyOf = list("anyOf", props.AnyOf)
	return v
}

// isZero reports whether v restricts nothing.
func (v *ValueValidation) isZero() bool {
	return v.Format == "" && v.Maximum == nil && !v.ExclusiveMaximum && v.Minimum == nil && !v.ExclusiveMinimum &&
		v.MaxLength == nil && v.MinLength == nil && v.Pattern == "" && v.MaxItems == nil && v.MinItems == nil &&
		!v.UniqueItems && v.MultipleOf == nil && v.Enum == nil && v.MaxProperties == nil && v.MinProperties == nil &&
		v.Required == nil && v.AllOf == nil && v.OneOf == nil && v.AnyOf == nil && v.Not == nil
}
