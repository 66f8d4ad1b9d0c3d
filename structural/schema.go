package structural

import (
	"go/token"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/notes"
)

// Schema is one node of a structural schema ("StructuralSchema" in the KEP).
//
// A node is immutable once it is reachable from two parents: the generator
// shares the node of a Go type between all fields that refer to it.
type Schema struct {
	Generic
	Extensions
	// ValueValidation is nil if the node has none.
	*ValueValidation

	// Properties are the fields of an object, in rendering order. Names are unique.
	Properties []Property
	// Items is the schema of the array's elements.
	Items *Schema
	// AdditionalProperties is the schema of the map's values.
	AdditionalProperties *SchemaOrBool

	// Origin is the source position of the node.
	Origin Origin
}

// Property is one named field of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// PropertyIndex returns the index of the property with a name, or -1.
func (s *Schema) PropertyIndex(name string) int {
	return slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
}

// Property returns the schema of the property with a name; nil if there is none, or no schema.
func (s *Schema) Property(name string) *Schema {
	if s == nil {
		return nil
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// Requires reports whether objects must have the property with a name.
func (s *Schema) Requires(name string) bool {
	return s.ValueValidation != nil && slices.Contains(s.Required, name)
}

// Validation returns the value validation of the node for writing, which is created where there is none.
func (s *Schema) Validation() *ValueValidation {
	if s.ValueValidation == nil {
		s.ValueValidation = &ValueValidation{}
	}
	return s.ValueValidation
}

// SchemaOrBool is a schema or, if Schema is nil, a boolean that allows anything or nothing.
type SchemaOrBool struct {
	Schema *Schema
	Bool   bool
}

// Generic holds the part of a node that the KEP calls generic: the type and its
// documentation. It is forbidden inside logical junctors.
type Generic struct {
	// Type is object, array, number, integer, boolean, string, or "".
	Type        string
	Description string
	Title       string
	// Default is nil if there is no default; a default of null is a JSON value.
	// Two nodes share one default (rather than having equal defaults) if the
	// pointers are equal.
	Default      *JSON
	Nullable     bool
	ExternalDocs *ExternalDocs
	Example      *JSON
}

// ExternalDocs refers to external documentation.
type ExternalDocs struct {
	Description string
	URL         string
}

// Extensions holds the x-kubernetes-* vendor extensions. Except for the
// validation rules they are forbidden inside logical junctors.
type Extensions struct {
	// XPreserveUnknownFields is nil or true in a structural schema; false is
	// kept so that Check can report it.
	XPreserveUnknownFields *bool
	XEmbeddedResource      bool
	XIntOrString           bool
	XListMapKeys           []string
	// XListType is atomic, set, map, or "".
	XListType string
	// XMapType is granular, atomic, or "".
	XMapType string
	// XValidations are the CEL rules, in evaluation order.
	XValidations []Rule
	// XUnions are the unions of an object, in the structural KEP's form of
	// x-kubernetes-unions. JSONSchemaProps has no such field, so [Schema.Props]
	// omits it; [UnionsJSON] renders it for published documents.
	XUnions []Union
	// XUnionMembers is KEP-1027's form of x-kubernetes-unions: it is set on the
	// property that is the discriminator and lists, in order, the member for each
	// of its values. It is nil elsewhere. [Schema.Props] omits it, too.
	XUnionMembers []UnionMember
}

// Rule is one CEL rule (x-kubernetes-validations). It is an alias of the
// upstream type, which the API server serializes as an extension of the v1 API.
type Rule = apiextensionsv1.ValidationRule

// ValueValidation holds restrictions that do not shape values. Dropping it
// loosens a schema but does not change its structure.
type ValueValidation struct {
	Format           string
	Maximum          *float64
	ExclusiveMaximum bool
	Minimum          *float64
	ExclusiveMinimum bool
	// MaxLength and MinLength count Unicode code points.
	MaxLength     *int64
	MinLength     *int64
	Pattern       string
	MaxItems      *int64
	MinItems      *int64
	UniqueItems   bool
	MultipleOf    *float64
	Enum          []JSON
	MaxProperties *int64
	MinProperties *int64
	Required      []string
	AllOf         []NestedValueValidation
	OneOf         []NestedValueValidation
	AnyOf         []NestedValueValidation
	Not           *NestedValueValidation
}

// NestedValueValidation is the schema inside a logical junctor. The parts that
// the KEP forbids there have fields of their own, so that they can be kept,
// rendered and rejected but never be mistaken for structure.
type NestedValueValidation struct {
	ValueValidation

	Properties []NestedProperty
	Items      *NestedValueValidation
	// AdditionalProperties are forbidden as well, because they shape values.
	AdditionalProperties *NestedOrBool

	// ForbiddenGenerics makes the schema non-structural unless it is zero; the
	// type inside the KEP's two int-or-string patterns is allowed.
	ForbiddenGenerics Generic
	// ForbiddenExtensions makes the schema non-structural unless it is zero;
	// XValidations are allowed.
	ForbiddenExtensions Extensions

	Origin Origin
}

// NestedOrBool is the counterpart of [SchemaOrBool] inside a logical junctor.
type NestedOrBool struct {
	Schema *NestedValueValidation
	Bool   bool
}

// NestedProperty is one named field inside a logical junctor.
type NestedProperty struct {
	Name   string
	Schema *NestedValueValidation
}

// JSON is one JSON value as text. It is never empty.
type JSON struct {
	Raw []byte
}

// Origin is the source position of a node and of those of its keywords that are
// set elsewhere.
type Origin struct {
	// Pos is the position of the node: a field, a type, or a YAML key. It is
	// resolved through the file set of the run and may be token.NoPos.
	Pos token.Pos
	// Keywords are the positions of keywords that were set by markers, in the
	// order in which they were set. x-kubernetes-validations has one entry per
	// rule, in the order of the rules.
	Keywords []KeywordOrigin
	// Notes are what the generator notes about the source of the node. They are zero for
	// schemas that do not come from Go types.
	notes.Notes
}

// KeywordOrigin is the position at which one keyword of a node was set.
type KeywordOrigin struct {
	// Keyword is the JSON name of the keyword, for example "maxLength".
	Keyword string
	Pos     token.Pos
}

// Of returns the position of the keyword: the last one recorded for it, or the
// position of the node if there is none.
func (o Origin) Of(keyword string) token.Pos {
	for i := len(o.Keywords) - 1; i >= 0; i-- {
		if o.Keywords[i].Keyword == keyword {
			return o.Keywords[i].Pos
		}
	}
	return o.Pos
}

// Nested returns the schema as the content of a logical junctor. Parts that are
// forbidden there are kept as forbidden.
func (s *Schema) Nested() NestedValueValidation {
	n := NestedValueValidation{
		ForbiddenGenerics:   s.Generic,
		ForbiddenExtensions: s.Extensions,
		Origin:              s.Origin,
	}
	if s.ValueValidation != nil {
		n.ValueValidation = *s.ValueValidation
	}
	for _, p := range s.Properties {
		nested := p.Schema.Nested()
		n.Properties = append(n.Properties, NestedProperty{Name: p.Name, Schema: &nested})
	}
	if s.Items != nil {
		nested := s.Items.Nested()
		n.Items = &nested
	}
	if a := s.AdditionalProperties; a != nil {
		n.AdditionalProperties = &NestedOrBool{Bool: a.Bool}
		if a.Schema != nil {
			nested := a.Schema.Nested()
			n.AdditionalProperties.Schema = &nested
		}
	}
	return n
}
