package apiserver

import (
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// removeUnreached removes the rules of nodes that no part of a default is a value of: the
// server compiles them to validate defaults, but does not evaluate them. values are the parts
// of enclosing defaults at the node.
func removeUnreached(s *structuralschema.Structural, values []any) {
	if s == nil {
		return
	}
	if s.Default.Object != nil {
		values = append(slices.Clip(values), s.Default.Object)
	}
	if len(values) == 0 {
		s.XValidations = nil
	}
	var items, additional []any
	properties := map[string][]any{}
	for _, value := range values {
		switch value := value.(type) {
		case []any:
			items = append(items, value...)
		case map[string]any:
			for name, part := range value {
				additional = append(additional, part)
				properties[name] = append(properties[name], part)
			}
		}
	}
	removeUnreached(s.Items, items)
	for name, property := range s.Properties {
		removeUnreached(&property, properties[name])
		s.Properties[name] = property
	}
	if s.AdditionalProperties != nil {
		removeUnreached(s.AdditionalProperties.Structural, additional)
	}
}

// hasNestedRules reports whether the schema has rules in allOf, anyOf, oneOf or not.
func hasNestedRules(s *structuralschema.Structural) bool {
	if s == nil {
		return false
	}
	for _, property := range s.Properties {
		if hasNestedRules(&property) {
			return true
		}
	}
	return hasNestedRules(s.Items) || s.AdditionalProperties != nil && hasNestedRules(s.AdditionalProperties.Structural) ||
		s.ValueValidation != nil && slices.ContainsFunc(nestedIn(s.ValueValidation), nestedHasRules)
}

func nestedHasRules(n structuralschema.NestedValueValidation) bool {
	for _, property := range n.Properties {
		if nestedHasRules(property) {
			return true
		}
	}
	return len(n.ValidationExtensions.XValidations) > 0 || n.Items != nil && nestedHasRules(*n.Items) ||
		n.AdditionalProperties != nil && nestedHasRules(*n.AdditionalProperties) ||
		slices.ContainsFunc(nestedIn(&n.ValueValidation), nestedHasRules)
}

func nestedIn(v *structuralschema.ValueValidation) []structuralschema.NestedValueValidation {
	out := slices.Concat(v.AllOf, v.AnyOf, v.OneOf)
	if v.Not != nil {
		out = append(out, *v.Not)
	}
	return out
}
