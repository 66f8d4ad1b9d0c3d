package keywords

import (
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
)

// Node has the own keywords of a node, its children apart, for writing: of a schema, or of what becomes one.
type Node struct {
	*structural.Generic
	*structural.Extensions
	// Values points to the value validation of the node, which may be nil.
	Values **structural.ValueValidation
	// Origin is the origin of the node.
	Origin *structural.Origin
}

// Of returns the keywords of the node for writing.
func Of(s *structural.Schema) Node {
	return Node{&s.Generic, &s.Extensions, &s.ValueValidation, &s.Origin}
}

// Validation returns the value validation, which is created where there is none.
func (k Node) Validation() *structural.ValueValidation {
	if *k.Values == nil {
		*k.Values = &structural.ValueValidation{}
	}
	return *k.Values
}

// Props copies the keywords.
func (k Node) Props() *apiextensionsv1.JSONSchemaProps {
	s := structural.Schema{Generic: *k.Generic, Extensions: *k.Extensions, ValueValidation: *k.Values}
	return s.Props()
}

// Take takes the keywords back from what Props returned. Of the junctors it takes that
// they were removed.
func (k Node) Take(p *apiextensionsv1.JSONSchemaProps) {
	g := k.Generic
	g.Type = p.Type
	g.Description = p.Description
	g.Title = p.Title
	g.Nullable = p.Nullable
	g.Default = takeJSON(g.Default, p.Default)
	g.Example = takeJSON(g.Example, p.Example)
	g.ExternalDocs = nil
	if p.ExternalDocs != nil {
		g.ExternalDocs = &structural.ExternalDocs{Description: p.ExternalDocs.Description, URL: p.ExternalDocs.URL}
	}
	k.XPreserveUnknownFields = p.XPreserveUnknownFields
	k.XEmbeddedResource = p.XEmbeddedResource
	k.XIntOrString = p.XIntOrString
	k.XListMapKeys = p.XListMapKeys
	k.XListType = deref(p.XListType)
	k.XMapType = deref(p.XMapType)
	k.XValidations = p.XValidations
	values := structural.ValueValidation{
		Format: p.Format, Maximum: p.Maximum, ExclusiveMaximum: p.ExclusiveMaximum,
		Minimum: p.Minimum, ExclusiveMinimum: p.ExclusiveMinimum,
		MaxLength: p.MaxLength, MinLength: p.MinLength, Pattern: p.Pattern,
		MaxItems: p.MaxItems, MinItems: p.MinItems, UniqueItems: p.UniqueItems, MultipleOf: p.MultipleOf,
		MaxProperties: p.MaxProperties, MinProperties: p.MinProperties, Required: p.Required,
	}
	for _, e := range p.Enum {
		values.Enum = append(values.Enum, structural.JSON{Raw: plainjson.Plain(e.Raw)})
	}
	if old := *k.Values; old != nil {
		if p.AllOf != nil {
			values.AllOf = old.AllOf
		}
		if p.AnyOf != nil {
			values.AnyOf = old.AnyOf
		}
		if p.OneOf != nil {
			values.OneOf = old.OneOf
		}
		if p.Not != nil {
			values.Not = old.Not
		}
	}
	if *k.Values != nil || !reflect.ValueOf(values).IsZero() {
		*k.Values = &values
	}
}

// takeJSON keeps the old value if the marker left it alone, so that its
// identity stays.
func takeJSON(old *structural.JSON, set *apiextensionsv1.JSON) *structural.JSON {
	if set == nil {
		return nil
	}
	if old != nil && len(old.Raw) > 0 && &old.Raw[0] == &set.Raw[0] {
		return old
	}
	return &structural.JSON{Raw: plainjson.Plain(set.Raw)}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
