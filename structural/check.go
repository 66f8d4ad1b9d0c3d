package structural

import (
	"encoding/json"
	"fmt"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Violation is one way in which a schema is not structural, worded as by the API
// server (apiextensions-apiserver, pkg/apiserver/schema/validation.go and
// complete.go).
type Violation struct {
	// Path is the path of the node or keyword in the schema.
	Path *Path
	// Kind is the server's type of the error.
	Kind ViolationKind
	// Value is the rejected value of an Invalid or NotSupported violation.
	Value any
	// Detail is the server's explanation.
	Detail string
	// In is the path of a junctor with which the message ends, or nil.
	In *Path
	// Pos is the innermost source position that causes the violation.
	Pos token.Pos
}

// ViolationKind is the kind of a violation.
type ViolationKind string

// Kinds of violations, as printed by the API server.
const (
	Required     ViolationKind = "Required value"
	Invalid      ViolationKind = "Invalid value"
	NotSupported ViolationKind = "Unsupported value"
	Forbidden    ViolationKind = "Forbidden"
)

// String returns the server's message without the path of the schema in the CRD.
func (v Violation) String() string { return v.At("") }

// At returns the server's message for a schema at a path of a CRD, for example
// "spec.versions[0].schema.openAPIV3Schema".
func (v Violation) At(place string) string {
	detail := v.Detail
	if v.In != nil {
		location := v.In.String()
		detail = strings.TrimSuffix(detail, location) + place + location
	}
	if v.Kind == Invalid || v.Kind == NotSupported {
		value := fmt.Sprintf("%#v", v.Value)
		switch v.Value.(type) {
		case string, bool:
		default: // the server prints JSON
			if text, err := json.Marshal(v.Value); err == nil {
				value = string(text)
			}
		}
		return fmt.Sprintf("%s%s: %s: %s: %s", place, v.Path, v.Kind, value, detail)
	}
	return fmt.Sprintf("%s%s: %s: %s", place, v.Path, v.Kind, detail)
}

// level is the position of a node in its parent, which decides what may be omitted.
type level int

const (
	rootLevel level = iota
	itemLevel
	fieldLevel
)

// Check returns every violation of the rules of structural schemas, in the order
// of the nodes. The rules are the server's:
//
//   - structurality: logical junctors contain nothing that shapes values, except
//     for the two int-or-string patterns;
//   - completeness: a field or element that a junctor mentions is specified
//     outside of it, and every specified value has a type;
//   - embedded resources are objects with properties or preserved fields;
//   - metadata at the root restricts only name and generateName, and no junctor
//     mentions metadata;
//   - there are no additionalProperties at the root.
func Check(s *Schema) []Violation {
	if s == nil {
		return nil
	}
	c := &checker{patterns: map[string]error{}}
	c.schema(s, rootLevel, nil)
	c.complete(s.ValueValidation, s, nil, nil)
	return c.violations
}

type checker struct {
	violations []Violation
	// patterns caches the results of compiling regular expressions.
	patterns map[string]error
}

func (c *checker) add(kind ViolationKind, path *Path, value any, detail string, pos token.Pos) {
	c.violations = append(c.violations, Violation{Path: path, Kind: kind, Value: value, Detail: detail, Pos: pos})
}

func (c *checker) schema(schema *Schema, at level, path *Path) {
	origin := schema.Origin
	if schema.Type == "array" && schema.Items == nil {
		c.add(Required, path.Child("items"), nil, "must be specified", origin.Of("type"))
	}
	if schema.Items != nil {
		c.schema(schema.Items, itemLevel, path.Child("items"))
	}
	for _, p := range schema.Properties {
		c.schema(p.Schema, fieldLevel, path.Property(p.Name))
	}
	if a := schema.AdditionalProperties; a != nil {
		if at == rootLevel {
			c.add(Forbidden, path.Child("additionalProperties"), nil, "must not be used at the root", origin.Pos)
		}
		if a.Schema != nil {
			c.schema(a.Schema, fieldLevel, path.Child("additionalProperties"))
		}
	}
	c.extensions(schema, path)
	c.values(withoutIntOrStringPairs(schema), path, origin)
	c.typeOf(schema, at, path)
	c.metadata(schema, at, path)
	if schema.XEmbeddedResource && !schema.preserves() && len(schema.Properties) == 0 {
		c.add(Required, path.Child("properties"), nil,
			"must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
			origin.Of("x-kubernetes-embedded-resource"))
	}
}

func (s *Schema) preserves() bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

func (c *checker) extensions(s *Schema, path *Path) {
	if !s.XIntOrString {
		return
	}
	if s.preserves() {
		c.add(Invalid, path.Child("x-kubernetes-preserve-unknown-fields"), true,
			"must be false if x-kubernetes-int-or-string is true", s.Origin.Of("x-kubernetes-preserve-unknown-fields"))
	}
	if s.XEmbeddedResource {
		c.add(Invalid, path.Child("x-kubernetes-embedded-resource"), true,
			"must be false if x-kubernetes-int-or-string is true", s.Origin.Of("x-kubernetes-embedded-resource"))
	}
}

// typeOf checks that a node has the type required at its position.
func (c *checker) typeOf(schema *Schema, at level, path *Path) {
	pos := schema.Origin.Of("type")
	typePath := path.Child("type")
	switch {
	case schema.XEmbeddedResource && schema.Type == "":
		c.add(Required, typePath, nil, "must be object if x-kubernetes-embedded-resource is true", schema.Origin.Of("x-kubernetes-embedded-resource"))
	case schema.XEmbeddedResource && schema.Type != "object":
		c.add(Invalid, typePath, schema.Type, "must be object if x-kubernetes-embedded-resource is true", schema.Origin.Of("x-kubernetes-embedded-resource"))
	case schema.XEmbeddedResource || schema.Type != "" || schema.XIntOrString || schema.preserves():
	case at == rootLevel:
		c.add(Required, typePath, nil, "must not be empty at the root", pos)
	case at == itemLevel:
		c.add(Required, typePath, nil, "must not be empty for specified array items", pos)
	default:
		c.add(Required, typePath, nil, "must not be empty for specified object fields", pos)
	}
	if schema.XEmbeddedResource && schema.AdditionalProperties != nil {
		c.add(Forbidden, path.Child("additionalProperties"), nil, "must not be used if x-kubernetes-embedded-resource is set",
			schema.Origin.Of("x-kubernetes-embedded-resource"))
	}
	if at == rootLevel && schema.Type != "" && schema.Type != "object" {
		c.add(Invalid, typePath, schema.Type, "must be object at the root", pos)
	}
}

// metadata checks the TypeMeta and ObjectMeta of a root or an embedded resource.
func (c *checker) metadata(s *Schema, at level, path *Path) {
	isObject := at == rootLevel || s.XEmbeddedResource
	for _, p := range s.Properties {
		switch p.Name {
		case "kind", "apiVersion":
			if isObject && p.Schema.Type != "string" {
				c.add(Invalid, path.Property(p.Name).Child("type"), p.Schema.Type, "must be string", p.Schema.Origin.Of("type"))
			}
		case "metadata":
			if isObject && p.Schema.Type != "object" {
				c.add(Invalid, path.Property(p.Name).Child("type"), p.Schema.Type, "must be object", p.Schema.Origin.Of("type"))
			}
			if at == rootLevel && !onlyNames(p.Schema) {
				c.add(Forbidden, path.Property(p.Name), nil,
					"must not specify anything other than name and generateName, but metadata is implicitly specified", p.Schema.Origin.Pos)
			}
		}
	}
}

// onlyNames reports whether the schema of the root's metadata restricts only name
// and generateName.
func onlyNames(s *Schema) bool {
	rest := *s
	named := true
	for _, p := range s.Properties {
		named = named && (p.Name == "name" || p.Name == "generateName")
	}
	if named {
		rest.Properties = nil
	}
	rest.Type = ""
	rest.Default = nil
	rest.Origin = Origin{}
	if rest.ValueValidation != nil && rest.isZero() {
		rest.ValueValidation = nil
	}
	return reflect.DeepEqual(rest, Schema{})
}

// isIntOrStringPair reports whether anyOf is the pattern that is allowed for
// int-or-string: integer, string.
func isIntOrStringPair(s *Schema) bool {
	return s.ValueValidation != nil && isPair(s.AnyOf)
}

// startsWithIntOrStringPair reports whether the first element of allOf is that pattern.
func startsWithIntOrStringPair(s *Schema) bool {
	return s.ValueValidation != nil && len(s.AllOf) > 0 && isPair(s.AllOf[0].AnyOf)
}

func isPair(anyOf []NestedValueValidation) bool {
	if len(anyOf) != 2 {
		return false
	}
	for i, typ := range []string{"integer", "string"} {
		rest := anyOf[i]
		rest.Origin = Origin{}
		if !reflect.DeepEqual(rest, NestedValueValidation{ForbiddenGenerics: Generic{Type: typ}}) {
			return false
		}
	}
	return true
}

// withoutIntOrStringPairs returns what restricts the values of a schema, except the patterns that are
// allowed for int-or-string.
func withoutIntOrStringPairs(s *Schema) *ValueValidation {
	isPair := isIntOrStringPair(s)
	startsWithPair := startsWithIntOrStringPair(s)
	if !isPair && !startsWithPair {
		return s.ValueValidation
	}
	rest := *s.ValueValidation
	if isPair {
		rest.AnyOf = nil
	}
	if startsWithPair {
		rest.AllOf = slices.Clone(rest.AllOf)
		rest.AllOf[0].AnyOf = nil
	}
	return &rest
}

func (c *checker) values(validation *ValueValidation, path *Path, origin Origin) {
	if validation == nil {
		return
	}
	for i := range validation.AnyOf {
		c.nested(&validation.AnyOf[i], path.Index("anyOf", i))
	}
	for i := range validation.AllOf {
		c.nested(&validation.AllOf[i], path.Index("allOf", i))
	}
	for i := range validation.OneOf {
		c.nested(&validation.OneOf[i], path.Index("oneOf", i))
	}
	if validation.Not != nil {
		c.nested(validation.Not, path.Child("not"))
	}
	if validation.Pattern != "" {
		err, known := c.patterns[validation.Pattern]
		if !known {
			_, err = regexp.Compile(validation.Pattern)
			c.patterns[validation.Pattern] = err
		}
		if err != nil {
			c.add(Invalid, path.Child("pattern"), validation.Pattern,
				fmt.Sprintf("must be a valid regular expression, but isn't: %v", err), origin.Of("pattern"))
		}
	}
}

// nested checks that nothing inside a junctor shapes values.
func (c *checker) nested(n *NestedValueValidation, path *Path) {
	c.values(&n.ValueValidation, path, n.Origin)
	if n.Items != nil {
		c.nested(n.Items, path.Child("items"))
	}
	for _, p := range n.Properties {
		c.nested(p.Schema, path.Property(p.Name))
	}
	g := n.ForbiddenGenerics
	x := n.ForbiddenExtensions
	for _, rule := range []struct {
		broken          bool
		keyword, detail string
	}{
		{g.Type != "", "type", "must be empty to be structural"},
		{n.AdditionalProperties != nil && *n.AdditionalProperties != (NestedOrBool{}), "additionalProperties", "must be undefined to be structural"},
		{g.Default != nil && string(g.Default.Raw) != "null", "default", "must be undefined to be structural"},
		{g.Title != "", "title", "must be empty to be structural"},
		{g.Description != "", "description", "must be empty to be structural"},
		{g.Nullable, "nullable", "must be false to be structural"},
		{x.XPreserveUnknownFields != nil && *x.XPreserveUnknownFields, "x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
		{x.XEmbeddedResource, "x-kubernetes-embedded-resource", "must be false to be structural"},
		{x.XIntOrString, "x-kubernetes-int-or-string", "must be false to be structural"},
		{len(x.XListMapKeys) > 0, "x-kubernetes-list-map-keys", "must be empty to be structural"},
		{x.XListType != "", "x-kubernetes-list-type", "must be undefined to be structural"},
		{x.XMapType != "", "x-kubernetes-map-type", "must be undefined to be structural"},
		{len(x.XValidations) > 0, "x-kubernetes-validations", "must be empty to be structural"},
	} {
		if rule.broken {
			c.add(Forbidden, path.Child(rule.keyword), nil, rule.detail, n.Origin.Of(rule.keyword))
		}
	}
	for _, p := range n.Properties {
		if p.Name == "metadata" {
			c.add(Forbidden, path.Property("metadata"), nil, "must not be specified in a nested context", p.Schema.Origin.Pos)
		}
	}
}

// complete checks that everything a junctor mentions is specified in s, outside
// of junctors. path is the path of s, in that of v.
func (c *checker) complete(v *ValueValidation, s *Schema, path, definedIn *Path) {
	if v == nil {
		return
	}
	if v.Not != nil {
		c.completeNested(v.Not, s, path, definedIn.Child("not"))
	}
	for _, junctor := range []struct {
		keyword string
		list    []NestedValueValidation
	}{{"allOf", v.AllOf}, {"anyOf", v.AnyOf}, {"oneOf", v.OneOf}} {
		for i := range junctor.list {
			c.completeNested(&junctor.list[i], s, path, definedIn.Index(junctor.keyword, i))
		}
	}
}

func (c *checker) completeNested(n *NestedValueValidation, s *Schema, path, definedIn *Path) {
	if s == nil {
		c.violations = append(c.violations, Violation{
			Path: path, Kind: Required, Detail: "because it is defined in " + definedIn.String(), In: definedIn, Pos: n.Origin.Pos,
		})
		return
	}
	c.complete(&n.ValueValidation, s, path, definedIn)
	if n.Items != nil {
		c.completeNested(n.Items, s.Items, path.Child("items"), definedIn.Child("items"))
	}
	properties := s.named(len(n.Properties))
	for _, p := range n.Properties {
		c.completeNested(p.Schema, properties.property(p.Name), path.Property(p.Name), definedIn.Property(p.Name))
	}
}
