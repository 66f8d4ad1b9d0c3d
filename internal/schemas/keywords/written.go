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

// Take sets the keywords from props, which Props returned and a marker may have changed. Of the
// junctors, it takes over only that they were removed.
func (k Node) Take(props *apiextensionsv1.JSONSchemaProps) {
	g := k.Generic
	g.Type = props.Type
	g.Description = props.Description
	g.Title = props.Title
	g.Nullable = props.Nullable
	g.Default = takeJSON(g.Default, props.Default)
	g.Example = takeJSON(g.Example, props.Example)
	g.ExternalDocs = nil
	if props.ExternalDocs != nil {
		g.ExternalDocs = &structural.ExternalDocs{Description: props.ExternalDocs.Description, URL: props.ExternalDocs.URL}
	}
	k.XPreserveUnknownFields = props.XPreserveUnknownFields
	k.XEmbeddedResource = props.XEmbeddedResource
	k.XIntOrString = props.XIntOrString
	k.XListMapKeys = props.XListMapKeys
	k.XListType = deref(props.XListType)
	k.XMapType = deref(props.XMapType)
	k.XValidations = props.XValidations
	values := structural.ValueValidation{
		Format: props.Format, Maximum: props.Maximum, ExclusiveMaximum: props.ExclusiveMaximum,
		Minimum: props.Minimum, ExclusiveMinimum: props.ExclusiveMinimum,
		MaxLength: props.MaxLength, MinLength: props.MinLength, Pattern: props.Pattern,
		MaxItems: props.MaxItems, MinItems: props.MinItems, UniqueItems: props.UniqueItems, MultipleOf: props.MultipleOf,
		MaxProperties: props.MaxProperties, MinProperties: props.MinProperties, Required: props.Required,
	}
	for _, e := range props.Enum {
		values.Enum = append(values.Enum, structural.JSON{Raw: plainjson.Plain(e.Raw)})
	}
	if old := *k.Values; old != nil {
		if props.AllOf != nil {
			values.AllOf = old.AllOf
		}
		if props.AnyOf != nil {
			values.AnyOf = old.AnyOf
		}
		if props.OneOf != nil {
			values.OneOf = old.OneOf
		}
		if props.Not != nil {
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
