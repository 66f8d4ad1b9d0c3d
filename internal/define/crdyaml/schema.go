package crdyaml

import (
	"bytes"

	"github.com/schemagen/schemagen/structural"
)

// node is the common part of structural schemas and nested value validations.
type node struct {
	generic    *structural.Generic
	extensions *structural.Extensions
	validation *structural.ValueValidation
	// Exactly one of structural and nested is set. It has the children.
	structural *structural.Schema
	nested     *structural.NestedValueValidation
}

func (w *yamlWriter) schema(indent int, s *structural.Schema) {
	v := s.ValueValidation
	if v == nil {
		v = &w.noValidation
	}
	w.node(indent, node{generic: &s.Generic, extensions: &s.Extensions, validation: v, structural: s})
}

func (w *yamlWriter) nested(indent int, n *structural.NestedValueValidation) {
	w.node(indent, node{
		generic: &n.ForbiddenGenerics, extensions: &n.ForbiddenExtensions, validation: &n.ValueValidation, nested: n,
	})
}

// description writes the description of a schema.
func (w *yamlWriter) description(indent int, n node) {
	const key = "description: "
	start := len(w.b)
	w.optionalText(indent, key, n.generic.Description)
	if n.nested == nil && len(w.b) > start {
		w.descriptions = append(w.descriptions, Span{start + bytes.Index(w.b[start:], []byte(key)) + len(key), len(w.b)})
	}
}

// node writes the keys of a schema. It writes nothing for an empty schema.
func (w *yamlWriter) node(indent int, n node) {
	if w.exotic {
		return
	}
	g := n.generic
	validation := n.validation
	x := n.extensions
	w.additionalProperties(indent, n)
	w.junctor(indent, "allOf:\n", validation.AllOf)
	w.junctor(indent, "anyOf:\n", validation.AnyOf)
	w.optionalJSON(indent, "default:", g.Default)
	w.description(indent, n)
	if len(validation.Enum) > 0 {
		w.key(indent, "enum:\n")
		for i := range validation.Enum {
			w.key(indent, "-")
			w.json(indent, 1, validation.Enum[i].Raw)
		}
	}
	w.optionalJSON(indent, "example:", g.Example)
	w.optionalTrue(indent, "exclusiveMaximum: ", validation.ExclusiveMaximum)
	w.optionalTrue(indent, "exclusiveMinimum: ", validation.ExclusiveMinimum)
	if g.ExternalDocs != nil {
		start := w.mapping(indent, "externalDocs:\n")
		w.optionalText(indent+2, "description: ", g.ExternalDocs.Description)
		w.optionalText(indent+2, "url: ", g.ExternalDocs.URL)
		w.endMapping(start)
	}
	w.optionalText(indent, "format: ", validation.Format)
	w.items(indent, n)
	w.integer(indent, "maxItems: ", validation.MaxItems)
	w.integer(indent, "maxLength: ", validation.MaxLength)
	w.integer(indent, "maxProperties: ", validation.MaxProperties)
	w.number(indent, "maximum: ", validation.Maximum)
	w.integer(indent, "minItems: ", validation.MinItems)
	w.integer(indent, "minLength: ", validation.MinLength)
	w.integer(indent, "minProperties: ", validation.MinProperties)
	w.number(indent, "minimum: ", validation.Minimum)
	w.number(indent, "multipleOf: ", validation.MultipleOf)
	if validation.Not != nil {
		start := w.mapping(indent, "not:\n")
		w.nested(indent+2, validation.Not)
		w.endMapping(start)
	}
	w.optionalTrue(indent, "nullable: ", g.Nullable)
	w.junctor(indent, "oneOf:\n", validation.OneOf)
	w.optionalText(indent, "pattern: ", validation.Pattern)
	w.properties(indent, n)
	w.texts(indent, "required:\n", validation.Required)
	w.optionalText(indent, "title: ", g.Title)
	w.optionalText(indent, "type: ", g.Type)
	w.optionalTrue(indent, "uniqueItems: ", validation.UniqueItems)
	w.optionalTrue(indent, "x-kubernetes-embedded-resource: ", x.XEmbeddedResource)
	w.optionalTrue(indent, "x-kubernetes-int-or-string: ", x.XIntOrString)
	w.texts(indent, "x-kubernetes-list-map-keys:\n", x.XListMapKeys)
	w.optionalText(indent, "x-kubernetes-list-type: ", x.XListType)
	w.optionalText(indent, "x-kubernetes-map-type: ", x.XMapType)
	if x.XPreserveUnknownFields != nil {
		w.boolean(indent, "x-kubernetes-preserve-unknown-fields: ", *x.XPreserveUnknownFields)
	}
	w.rules(indent, x.XValidations)
}

func (w *yamlWriter) additionalProperties(indent int, n node) {
	switch {
	case n.structural != nil && n.structural.AdditionalProperties != nil:
		a := n.structural.AdditionalProperties
		if a.Schema == nil {
			w.boolean(indent, "additionalProperties: ", a.Bool)
			return
		}
		start := w.mapping(indent, "additionalProperties:\n")
		w.schema(indent+2, a.Schema)
		w.endMapping(start)
	case n.nested != nil && n.nested.AdditionalProperties != nil:
		a := n.nested.AdditionalProperties
		if a.Schema == nil {
			w.boolean(indent, "additionalProperties: ", a.Bool)
			return
		}
		start := w.mapping(indent, "additionalProperties:\n")
		w.nested(indent+2, a.Schema)
		w.endMapping(start)
	}
}

func (w *yamlWriter) items(indent int, n node) {
	switch {
	case n.structural != nil && n.structural.Items != nil:
		start := w.mapping(indent, "items:\n")
		w.schema(indent+2, n.structural.Items)
		w.endMapping(start)
	case n.nested != nil && n.nested.Items != nil:
		start := w.mapping(indent, "items:\n")
		w.nested(indent+2, n.nested.Items)
		w.endMapping(start)
	}
}

func (w *yamlWriter) properties(indent int, n node) {
	switch {
	case n.structural != nil && len(n.structural.Properties) > 0:
		w.key(indent, "properties:\n")
		for _, p := range inNaturalOrder(n.structural.Properties, structuralName) {
			start := w.property(indent+2, p.Name)
			w.schema(indent+4, p.Schema)
			w.endMapping(start)
		}
	case n.nested != nil && len(n.nested.Properties) > 0:
		w.key(indent, "properties:\n")
		for _, p := range inNaturalOrder(n.nested.Properties, nestedName) {
			start := w.property(indent+2, p.Name)
			w.nested(indent+4, p.Schema)
			w.endMapping(start)
		}
	}
}

func structuralName(p *structural.Property) string   { return p.Name }
func nestedName(p *structural.NestedProperty) string { return p.Name }

func (w *yamlWriter) property(indent int, name string) int {
	w.anyKey(indent, name)
	w.b = append(w.b, ":\n"...)
	return len(w.b)
}

func (w *yamlWriter) junctor(indent int, key string, list []structural.NestedValueValidation) {
	if len(list) == 0 {
		return
	}
	w.key(indent, key)
	for i := range list {
		w.item(indent)
		w.nested(indent+2, &list[i])
		w.endItem()
	}
}

func (w *yamlWriter) rules(indent int, rules []structural.Rule) {
	if len(rules) == 0 {
		return
	}
	w.key(indent, "x-kubernetes-validations:\n")
	for i := range rules {
		r := &rules[i]
		w.item(indent)
		w.optionalText(indent+2, "fieldPath: ", r.FieldPath)
		w.optionalText(indent+2, "message: ", r.Message)
		w.optionalText(indent+2, "messageExpression: ", r.MessageExpression)
		if r.OptionalOldSelf != nil {
			w.boolean(indent+2, "optionalOldSelf: ", *r.OptionalOldSelf)
		}
		if r.Reason != nil {
			w.text(indent+2, "reason: ", string(*r.Reason))
		}
		w.text(indent+2, "rule: ", r.Rule)
	}
}
