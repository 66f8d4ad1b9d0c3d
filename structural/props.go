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

// props renders a node, and those below it with a function.
func (s *Schema) props(child func(*Schema) *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if s == nil {
		return nil
	}
	p := &apiextensionsv1.JSONSchemaProps{}
	s.Generic.fill(p)
	s.Extensions.fill(p)
	if s.ValueValidation != nil {
		s.ValueValidation.fill(p)
	}
	if len(s.Properties) > 0 {
		p.Properties = make(map[string]apiextensionsv1.JSONSchemaProps, len(s.Properties))
		for _, prop := range s.Properties {
			p.Properties[prop.Name] = *child(prop.Schema)
		}
	}
	if s.Items != nil {
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: child(s.Items)}
	}
	if s.AdditionalProperties != nil {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{
			Schema: child(s.AdditionalProperties.Schema),
			Allows: s.AdditionalProperties.Bool || s.AdditionalProperties.Schema != nil,
		}
	}
	return p
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

func (v *ValueValidation) fill(p *apiextensionsv1.JSONSchemaProps) {
	p.Format = v.Format
	p.Maximum = v.Maximum
	p.ExclusiveMaximum = v.ExclusiveMaximum
	p.Minimum = v.Minimum
	p.ExclusiveMinimum = v.ExclusiveMinimum
	p.MaxLength = v.MaxLength
	p.MinLength = v.MinLength
	p.Pattern = v.Pattern
	p.MaxItems = v.MaxItems
	p.MinItems = v.MinItems
	p.UniqueItems = v.UniqueItems
	p.MultipleOf = v.MultipleOf
	for _, e := range v.Enum {
		p.Enum = append(p.Enum, apiextensionsv1.JSON{Raw: e.Raw})
	}
	p.MaxProperties = v.MaxProperties
	p.MinProperties = v.MinProperties
	p.Required = v.Required
	p.AllOf = nestedProps(v.AllOf)
	p.OneOf = nestedProps(v.OneOf)
	p.AnyOf = nestedProps(v.AnyOf)
	p.Not = v.Not.Props()
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
