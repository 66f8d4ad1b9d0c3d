package structural

import (
	"go/token"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Schema is one node of a structural schema ("StructuralSchema" in the KEP).
//
// A node is immutable once it is reachable from two parents: the generator
// shares the node of a Go type between all fields that refer to it.
type Schema struct {
	Generic
	Extensions
	// ValueValidation is nil where the node has none.
	*ValueValidation

	// Properties are the fields of an object, in the order in which they are
	// rendered. Names are unique.
	Properties []Property
	// Items is the schema of the elements of an array.
	Items *Schema
	// AdditionalProperties is the schema of the values of a map.
	AdditionalProperties *SchemaOrBool

	// Origin is the place that the node comes from.
	Origin Origin
}

// Property is one named field of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// SchemaOrBool is a schema, or, where Schema is nil, whether anything is allowed.
type SchemaOrBool struct {
	Schema *Schema
	Bool   bool
}

// Generic holds what the KEP calls generic: the type and what describes it. It
// is forbidden inside logical junctors.
type Generic struct {
	// Type is object, array, number, integer, boolean, string, or empty.
	Type        string
	Description string
	Title       string
	// Default is nil where there is no default. A default of null is a JSON
	// value. Two nodes carry the same default (as opposed to equal ones) if
	// the pointers are equal.
	Default      *JSON
	Nullable     bool
	ExternalDocs *ExternalDocs
	Example      *JSON
}

// ExternalDocs points to documentation outside of the schema.
type ExternalDocs struct {
	Description string
	URL         string
}

// Extensions holds the x-kubernetes-* vendor extensions. They are forbidden
// inside logical junctors, but for the validation rules.
type Extensions struct {
	// XPreserveUnknownFields is nil or true in a structural schema; false is
	// held so that the check can refuse it.
	XPreserveUnknownFields *bool
	XEmbeddedResource      bool
	XIntOrString           bool
	XListMapKeys           []string
	// XListType is atomic, set, map, or empty.
	XListType string
	// XMapType is granular, atomic, or empty.
	XMapType string
	// XValidations are the CEL rules, in order of evaluation.
	XValidations []Rule
	// XUnions are the unions of an object, in the structural KEP's form of
	// x-kubernetes-unions. JSONSchemaProps has no such field, so [Schema.Props]
	// leaves it out: [UnionsJSON] renders it where documents are published.
	XUnions []Union
	// XUnionMembers is KEP-1027's form of x-kubernetes-unions: it stands on the
	// property that is the discriminator and names the member of each of its
	// values, in order. It is nil elsewhere. [Schema.Props] leaves it out, too.
	XUnionMembers []UnionMember
}

// Rule is one CEL rule (x-kubernetes-validations). It is upstream's type,
// because the API server serializes it as an extension of the v1 API.
type Rule = apiextensionsv1.ValidationRule

// ValueValidation holds what restricts values without shaping them. Dropping
// it makes a schema weaker, never different in structure.
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

// NestedValueValidation is the schema inside of a logical junctor. What the
// KEP forbids there has a place of its own, so that it can be held, rendered
// and refused, but never be mistaken for structure.
type NestedValueValidation struct {
	ValueValidation

	Properties []NestedProperty
	Items      *NestedValueValidation
	// AdditionalProperties are forbidden, too: they shape values.
	AdditionalProperties *NestedOrBool

	// ForbiddenGenerics makes the schema non-structural where it is not zero,
	// but for the type inside the two int-or-string patterns of the KEP.
	ForbiddenGenerics Generic
	// ForbiddenExtensions makes the schema non-structural where it is not
	// zero, but for XValidations.
	ForbiddenExtensions Extensions

	Origin Origin
}

// NestedOrBool is the twin of [SchemaOrBool] inside of a logical junctor.
type NestedOrBool struct {
	Schema *NestedValueValidation
	Bool   bool
}

// NestedProperty is one named field inside of a logical junctor.
type NestedProperty struct {
	Name   string
	Schema *NestedValueValidation
}

// JSON is one JSON value in its textual form, never empty.
type JSON struct {
	Raw []byte
}

// Origin is the place of a node in the source that it was made from, and the
// places of those of its keywords that stand elsewhere.
type Origin struct {
	// Pos is the place of the node: a field, a type, a YAML key. It is
	// resolved through the file set of the run. token.NoPos is allowed.
	Pos token.Pos
	// Keywords are the places of keywords that a marker has set, in the order
	// in which they were set. x-kubernetes-validations stands once for each
	// rule, in the order of the rules.
	Keywords []KeywordOrigin
	// Mistake is the gravest mistake in the source of the node that was reported, so
	// that the node says less than its author meant.
	Mistake Mistake
}

// Mistake is what a node lacks because of a mistake in its source.
type Mistake uint8

const (
	// NoMistake: the node is what its source says.
	NoMistake Mistake = iota
	// InKeywords: a keyword is missing.
	InKeywords
	// InShape: the type is not known, or fields are missing.
	InShape
)

// KeywordOrigin says where one keyword of a node was set.
type KeywordOrigin struct {
	// Keyword is the JSON name of the keyword, for example "maxLength".
	Keyword string
	Pos     token.Pos
}

// Of returns the place of the keyword: the last one that was recorded for it,
// or else the place of the node.
func (o Origin) Of(keyword string) token.Pos {
	for i := len(o.Keywords) - 1; i >= 0; i-- {
		if o.Keywords[i].Keyword == keyword {
			return o.Keywords[i].Pos
		}
	}
	return o.Pos
}

// Nested returns the schema as it stands inside of a logical junctor: what is
// forbidden there is kept as forbidden.
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
