package structural

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Props renders the schema as JSONSchemaProps of apiextensions.k8s.io/v1. The
// result shares leaf values with s, but no maps or slices of nodes.
func (s *Schema) Props() *apiextensionsv1.JSONSchemaProps { return s.props((*Schema).Props) }

// SharedProps renders schemas as [Schema.Props] does, and shared nodes once: the results share
// them, so they must not be changed. The zero value is ready to use.
type SharedProps struct {
	known map[*Schema]*apiextensionsv1.JSONSchemaProps
}

// Of renders a schema.
func (r *SharedProps) Of(s *Schema) *apiextensionsv1.JSONSchemaProps {
	known, ok := r.known[s]
	if !ok {
		if r.known == nil {
			r.known = map[*Schema]*apiextensionsv1.JSONSchemaProps{}
		}
		known = s.props(r.Of)
		r.known[s] = known
	}
	return known
}

// props renders a node; child renders each of its children.
func (s *Schema) props(child func(*Schema) *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if s == nil {
		return nil
	}
	props := &apiextensionsv1.JSONSchemaProps{}
	s.Generic.fill(props)
	s.Extensions.fill(props)
	if s.ValueValidation != nil {
		s.ValueValidation.fill(props)
	}
	if len(s.Properties) > 0 {
		props.Properties = make(map[string]apiextensionsv1.JSONSchemaProps, len(s.Properties))
		for _, prop := range s.Properties {
			props.Properties[prop.Name] = *child(prop.Schema)
		}
	}
	if s.Items != nil {
		props.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: child(s.Items)}
	}
	if s.AdditionalProperties != nil {
		props.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{
			Schema: child(s.AdditionalProperties.Schema),
			Allows: s.AdditionalProperties.Bool || s.AdditionalProperties.Schema != nil,
		}
	}
	return props
}

// Props renders the nested validation, including its forbidden parts, as JSONSchemaProps.
func (n *NestedValueValidation) Props() *apiextensionsv1.JSONSchemaProps {
	if n == nil {
		return nil
	}
	p := &apiextensionsv1.JSONSchemaProps{}
	n.ForbiddenGenerics.fill(p)
	n.ForbiddenExtensions.fill(p)
	n.fill(p)
	if len(n.Properties) > 0 {
		p.Properties = make(map[string]apiextensionsv1.JSONSchemaProps, len(n.Properties))
		for _, prop := range n.Properties {
			p.Properties[prop.Name] = *prop.Schema.Props()
		}
	}
	if n.Items != nil {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: n.Items.Props()}
	}
	if n.AdditionalProperties != nil {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{
			Schema: n.AdditionalProperties.Schema.Props(),
			Allows: n.AdditionalProperties.Bool || n.AdditionalProperties.Schema != nil,
		}
	}
	return p
}

func (g *Generic) fill(p *apiextensionsv1.JSONSchemaProps) {
	p.Type = g.Type
	p.Description = g.Description
	p.Title = g.Title
	p.Default = g.Default.props()
	p.Nullable = g.Nullable
	if g.ExternalDocs != nil {
		p.ExternalDocs = &apiextensionsv1.ExternalDocumentation{
			Description: g.ExternalDocs.Description,
			URL:         g.ExternalDocs.URL,
		}
	}
	p.Example = g.Example.props()
}

func (e *Extensions) fill(p *apiextensionsv1.JSONSchemaProps) {
	p.XPreserveUnknownFields = e.XPreserveUnknownFields
	p.XEmbeddedResource = e.XEmbeddedResource
	p.XIntOrString = e.XIntOrString
	p.XListMapKeys = e.XListMapKeys
	if e.XListType != "" {
		p.XListType = &e.XListType
	}
	if e.XMapType != "" {
		p.XMapType = &e.XMapType
	}
	p.XValidations = e.XValidations
}

func (v *ValueValidation) fill(props *apiextensionsv1.JSONSchemaProps) {
	props.Format = v.Format
	props.Maximum = v.Maximum
	props.ExclusiveMaximum = v.ExclusiveMaximum
	props.Minimum = v.Minimum
	props.ExclusiveMinimum = v.ExclusiveMinimum
	props.MaxLength = v.MaxLength
	props.MinLength = v.MinLength
	props.Pattern = v.Pattern
	props.MaxItems = v.MaxItems
	props.MinItems = v.MinItems
	props.UniqueItems = v.UniqueItems
	props.MultipleOf = v.MultipleOf
	for _, e := range v.Enum {
		props.Enum = append(props.Enum, apiextensionsv1.JSON{Raw: e.Raw})
	}
	props.MaxProperties = v.MaxProperties
	props.MinProperties = v.MinProperties
	props.Required = v.Required
	props.AllOf = nestedProps(v.AllOf)
	props.OneOf = nestedProps(v.OneOf)
	props.AnyOf = nestedProps(v.AnyOf)
	props.Not = v.Not.Props()
}

func nestedProps(list []NestedValueValidation) []apiextensionsv1.JSONSchemaProps {
	var out []apiextensionsv1.JSONSchemaProps
	for i := range list {
		out = append(out, *list[i].Props())
	}
	return out
}

func (j *JSON) props() *apiextensionsv1.JSON {
	if j == nil {
		return nil
	}
	return &apiextensionsv1.JSON{Raw: j.Raw}
}
