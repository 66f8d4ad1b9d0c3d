package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

// Definitions of generated types share most of their schemas: every use of a type is the same
// node in memory. Most other nodes have nothing that the server could reject. This file leaves
// both out of what the server is asked, along with regular expressions that compile.

// Parts reduces definitions to the nodes about which the server must be asked.
type Parts struct {
	// owners are the definitions that contain a node, by index.
	owners map[*structural.Schema]int
	// patterns are the regular expressions; nil for those that do not compile.
	patterns map[string]*regexp.Regexp
	contents map[*structural.Schema]nodeContent
	// owner is the definition being reduced, and relies the other owners of what it omits.
	owner  int
	relies []int
	// rules are the expressions of the definition, found in the nodes seen, and mayUse reports
	// whether they may use a property.
	rules  []string
	seen   map[*structural.Schema]bool
	mayUse func(property string) bool
}

// NewParts returns a Parts that has not seen a definition.
func NewParts() *Parts {
	return &Parts{owners: map[*structural.Schema]int{}, patterns: map[string]*regexp.Regexp{}, contents: map[*structural.Schema]nodeContent{}}
}

// maxPartHeight is the height of schemas of which parts are left out: the server limits the height of
// complete ones.
const maxPartHeight = 1000

// Of returns the schemas of a definition without the nodes that the server accepts in every place, or
// that have occurred before. relies are the other definitions with such nodes: the server's answer
// holds for the complete schemas if it finds nothing in those. ok is false if a schema is too high.
func (p *Parts) Of(definition int, schemas []*structural.Schema) (part []*structural.Schema, relies []int, ok bool) {
	p.owner = definition
	p.relies = nil
	p.rules = nil
	p.seen = map[*structural.Schema]bool{}
	for _, schema := range schemas {
		if p.content(schema).height > maxPartHeight {
			return nil, nil, false
		}
		p.collect(schema)
	}
	p.mayUse = mayUse(p.rules...)
	for _, schema := range schemas {
		part = append(part, p.without(schema, surroundings{root: true}))
	}
	return part, p.relies, true
}

// nodeContent is what a node and those below it contain.
type nodeContent struct {
	rules, defaults bool
	// valid is set if the server accepts the nodes in every place where properties of objects may be.
	valid  bool
	height int
}

// surroundings are what the server's validation of a node depends on besides the node itself,
// in the places where nodes are left out.
type surroundings struct {
	root bool
	// ruled is set at and below a node with rules.
	ruled bool
	// values is set below additionalProperties, where the server does not validate defaults.
	values bool
	// keys are the properties that identify the items of a list.
	keys []string
}

// AcceptsSchemas reports whether the server accepts the schemas of a CRD without selectable fields, which are also
// given as models: then it accepts them in updates, too. It asks about parts of them. If it is
// false, the answer is not known.
func AcceptsSchemas(ctx context.Context, t *Target, crd *apiextensionsv1.CustomResourceDefinition, schemas []*structural.Schema) (bool, error) {
	if t.Before(optionalOldSelfMinor) {
		return false, nil // an update may keep optionalOldSelf, which a creation drops
	}
	if _, rejection := surveyCRD(crd, t.knowsFormat); rejection != nil {
		return false, nil
	}
	part, _, ok := NewParts().Of(0, schemas)
	if !ok {
		return false, nil
	}
	reduced := *crd
	reduced.Spec.Versions = slices.Clone(crd.Spec.Versions)
	for i := range reduced.Spec.Versions {
		if v := &reduced.Spec.Versions[i]; v.Schema != nil {
			v.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: part[i].Props()}
		}
	}
	findings, err := t.ValidateCreate(ctx, &reduced)
	return err == nil && !slices.ContainsFunc(findings, func(f Finding) bool { return !f.Warning && !strings.HasPrefix(f.Path, "metadata.") }), err
}

// without returns a schema without the properties that have an owner, and makes the definition
// the owner of the others. Everything that the server validates together with nodes above it is
// kept: what rules may use, parts of defaults and junctors, embedded resources, metadata, and
// the keys of lists.
func (p *Parts) without(schema *structural.Schema, place surroundings) *structural.Schema {
	if schema == nil || !isPlain(schema) {
		return schema
	}
	out := *schema
	if v := schema.ValueValidation; v != nil && v.Pattern != "" {
		if p.compile(v.Pattern) != nil {
			validation := *v
			validation.Pattern = ""
			out.ValueValidation = &validation
		}
		return &out
	}
	inside := surroundings{values: place.values, ruled: place.ruled || len(schema.XValidations) > 0}
	if schema.Items != nil {
		inside.keys = schema.XListMapKeys
		out.Items = p.without(schema.Items, inside)
		return &out
	}
	if a := schema.AdditionalProperties; a != nil {
		if a.Schema != nil && len(schema.Properties) == 0 {
			inside.values = true
			out.AdditionalProperties = &structural.SchemaOrBool{Bool: a.Bool, Schema: p.without(a.Schema, inside)}
		}
		return &out
	}
	if schema.Type != "object" {
		return schema
	}
	out.Properties = make([]structural.Property, 0, len(schema.Properties))
	for _, property := range schema.Properties {
		isMeta := place.root && (property.Name == "metadata" || property.Name == "kind" || property.Name == "apiVersion")
		c := p.content(property.Schema)
		if isMeta || c.defaults && place.values {
			out.Properties = append(out.Properties, property)
			continue
		}
		if slices.Contains(place.keys, property.Name) {
			out.Properties = append(out.Properties, structural.Property{Name: property.Name, Schema: p.without(property.Schema, inside)})
			continue
		}
		used := inside.ruled && (p.mayUse(property.Name) || schema.Requires(property.Name))
		if c.valid && !used {
			continue
		}
		owner, ok := p.owners[property.Schema]
		if ok && !used {
			p.relyOn(owner)
			continue
		}
		if !ok && !c.rules {
			p.owners[property.Schema] = p.owner
		}
		out.Properties = append(out.Properties, structural.Property{Name: property.Name, Schema: p.without(property.Schema, inside)})
	}
	return &out
}

// relyOn notes that something was left out because another definition contains it.
func (p *Parts) relyOn(owner int) {
	if owner != p.owner && !slices.Contains(p.relies, owner) {
		p.relies = append(p.relies, owner)
	}
}

// isPlain reports whether the server validates the nodes below a node independently of it,
// except for rules.
func isPlain(s *structural.Schema) bool {
	if v := s.ValueValidation; v != nil && (v.AllOf != nil || v.AnyOf != nil || v.OneOf != nil || v.Not != nil) {
		return false
	}
	return s.Default == nil && !s.XEmbeddedResource
}

// collect collects the expressions at and below a node.
func (p *Parts) collect(s *structural.Schema) {
	if s == nil || p.seen[s] || !p.content(s).rules {
		return
	}
	p.seen[s] = true
	for _, rule := range s.XValidations {
		p.rules = append(p.rules, rule.Rule, rule.MessageExpression, rule.FieldPath)
	}
	p.collect(s.Items)
	if s.AdditionalProperties != nil {
		p.collect(s.AdditionalProperties.Schema)
	}
	for _, property := range s.Properties {
		p.collect(property.Schema)
	}
}

// content returns what a node contains.
func (p *Parts) content(s *structural.Schema) nodeContent {
	if s == nil {
		return nodeContent{valid: true}
	}
	if c, ok := p.contents[s]; ok {
		return c
	}
	out := nodeContent{rules: len(s.XValidations) > 0, defaults: s.Default != nil, valid: p.isValid(s)}
	add := func(child *structural.Schema) {
		c := p.content(child)
		out.rules = out.rules || c.rules
		out.defaults = out.defaults || c.defaults
		out.valid = out.valid && c.valid
		out.height = max(out.height, c.height+1)
	}
	add(s.Items)
	if s.AdditionalProperties != nil {
		add(s.AdditionalProperties.Schema)
	}
	for _, property := range s.Properties {
		add(property.Schema)
	}
	p.contents[s] = out
	return out
}

// isValid reports whether the server accepts a node, apart from the nodes below it, and has no
// warning about it. It is false for nodes that the server may accept only in some places.
func (p *Parts) isValid(s *structural.Schema) bool {
	v := s.ValueValidation
	if v == nil {
		v = &structural.ValueValidation{}
	}
	switch {
	case s.Default != nil && !p.holdsDefault(s, v), s.Example != nil, s.ExternalDocs != nil, s.XEmbeddedResource, s.XListMapKeys != nil, s.XValidations != nil,
		s.XPreserveUnknownFields != nil && !*s.XPreserveUnknownFields,
		v.UniqueItems, v.MultipleOf != nil, v.AllOf != nil, v.OneOf != nil, v.Not != nil,
		v.Pattern != "" && p.compile(v.Pattern) == nil,
		!slices.ContainsFunc(knownFormats[:], func(known typeFormat) bool { return known.format == v.Format && known.kind == s.Type }) && v.Format != "",
		slices.ContainsFunc(v.Enum, func(value structural.JSON) bool { return !isText(value) }):
		return false
	case s.XIntOrString:
		return s.XPreserveUnknownFields == nil && s.Type == "" && hasNoParts(s) && (v.AnyOf == nil || slices.EqualFunc(v.AnyOf, []string{"integer", "string"}, isOnlyType))
	case v.AnyOf != nil:
		return false
	}
	switch s.Type {
	case "array":
		return s.Items != nil && s.Properties == nil && s.AdditionalProperties == nil && s.XMapType == "" &&
			(s.XListType == "" || s.XListType == "atomic" || s.XListType == "set" && isScalarType(s.Items.Type) && !s.Items.Nullable)
	case "object":
		a := s.AdditionalProperties
		return s.Items == nil && (a == nil || s.Properties == nil && (a.Bool || a.Schema != nil)) && s.XListType == "" &&
			(s.XMapType == "" || s.XMapType == "atomic" || s.XMapType == "granular")
	}
	return isScalarType(s.Type) && hasNoParts(s)
}

func isScalarType(kind string) bool {
	return kind == "string" || kind == "integer" || kind == "number" || kind == "boolean"
}

// typeFormat is a format, and the type for which it is meant.
type typeFormat struct{ kind, format string }

// knownFormats are the formats of the most common types of Go, which all servers know.
var knownFormats = [...]typeFormat{{"integer", "int32"}, {"integer", "int64"}, {"string", "date-time"}}

// hasNoParts reports whether a node has nothing that only objects and arrays have.
func hasNoParts(s *structural.Schema) bool {
	return s.Items == nil && s.Properties == nil && s.AdditionalProperties == nil && s.XListType == "" && s.XMapType == ""
}

// holdsDefault reports whether the default of a node is certainly a value of the node, whose
// restrictions are given.
func (p *Parts) holdsDefault(s *structural.Schema, v *structural.ValueValidation) bool {
	if !json.Valid(s.Default.Raw) || v.Enum != nil && !slices.ContainsFunc(v.Enum, func(value structural.JSON) bool { return bytes.Equal(value.Raw, s.Default.Raw) }) {
		return false
	}
	switch s.Type {
	case "string":
		var text string
		if v.Format != "" || json.Unmarshal(s.Default.Raw, &text) != nil {
			return false
		}
		n := int64(utf8.RuneCountInString(text))
		return (v.MinLength == nil || n >= *v.MinLength) && (v.MaxLength == nil || n <= *v.MaxLength) &&
			(v.Pattern == "" || p.compile(v.Pattern) != nil && p.compile(v.Pattern).MatchString(text))
	case "boolean":
		return string(s.Default.Raw) == "true" || string(s.Default.Raw) == "false"
	case "integer":
		n, err := strconv.ParseInt(string(s.Default.Raw), 10, 32)
		within := func(bound *float64, exclusive bool, sign float64) bool {
			return bound == nil || isIn32Bits(*bound) && (sign*float64(n) > sign**bound || float64(n) == *bound && !exclusive)
		}
		return err == nil && within(v.Minimum, v.ExclusiveMinimum, 1) && within(v.Maximum, v.ExclusiveMaximum, -1)
	}
	return false
}

// isIn32Bits reports whether integers of all formats may have a bound.
func isIn32Bits(bound float64) bool { return bound == float64(int32(bound)) }

// isText reports whether a value is a string.
func isText(value structural.JSON) bool {
	return strings.HasPrefix(string(value.Raw), `"`) && json.Valid(value.Raw)
}

// isOnlyType reports whether a part of a junctor has a type, and nothing else.
func isOnlyType(n structural.NestedValueValidation, kind string) bool {
	n.Origin = structural.Origin{}
	return reflect.DeepEqual(n, structural.NestedValueValidation{ForbiddenGenerics: structural.Generic{Type: kind}})
}

// compile returns a regular expression, or nil if the server cannot compile it.
func (p *Parts) compile(pattern string) *regexp.Regexp {
	compiled, known := p.patterns[pattern]
	if !known {
		compiled, _ = regexp.Compile(pattern)
		p.patterns[pattern] = compiled
	}
	return compiled
}
