package structural

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Unfold expands the extensions of s into plain OpenAPI v3 (KEP "Structural
// Schemas", Unfolding the Extensions). The extensions are kept. s is not
// modified; parts without extensions are shared with the result.
//
//   - x-kubernetes-int-or-string becomes anyOf of the two types, or, if there is
//     an anyOf already, a first allOf that contains it.
//   - x-kubernetes-embedded-resource specifies apiVersion, kind and metadata, and
//     requires the first two. Like the server, and unlike the KEP's sketch, it
//     replaces the schema's own specification of them.
//   - x-kubernetes-unions, in both forms, becomes an enum of the discriminator
//     and a oneOf with a branch for each of its values, or, if there is a oneOf
//     already, one more allOf that contains it. The KEP's sketch, exactly one
//     member required, would reject optional members and values without a member.
//     A union without a discriminator is left as is.
//
// Unfold is idempotent.
func Unfold(s *Schema) *Schema {
	u := &unfolder{intOrString: true, embedded: true, unions: true}
	return u.schema(s)
}

// UnfoldIntOrString expands only x-kubernetes-int-or-string, as the API server
// does when it publishes (apiextensions-apiserver, Structural.Unfold).
func UnfoldIntOrString(s *Schema) *Schema {
	u := &unfolder{intOrString: true}
	return u.schema(s)
}

// unfolder expands the selected extensions.
type unfolder struct {
	intOrString, embedded, unions bool
	// done caches results, because nodes are shared.
	done map[*Schema]*Schema
}

func (u *unfolder) schema(s *Schema) *Schema {
	if s == nil {
		return nil
	}
	if out, known := u.done[s]; known {
		return out
	}
	out := s.withChildren(u.schema)
	if u.intOrString && s.XIntOrString {
		out = unfoldIntOrString(out)
	}
	if u.embedded && s.XEmbeddedResource {
		out = unfoldEmbedded(out)
	}
	if u.unions {
		out = unfoldUnions(out)
	}
	if u.done == nil {
		u.done = map[*Schema]*Schema{}
	}
	u.done[s] = out
	return out
}

// withChildren returns s with each child replaced, or s itself if none changes.
func (s *Schema) withChildren(replace func(*Schema) *Schema) *Schema {
	out := *s
	changed := false
	if s.Items != nil {
		out.Items = replace(s.Items)
		changed = out.Items != s.Items
	}
	for i, p := range s.Properties {
		child := replace(p.Schema)
		if child == p.Schema {
			continue
		}
		if &out.Properties[0] == &s.Properties[0] {
			out.Properties = slices.Clone(s.Properties)
		}
		out.Properties[i].Schema = child
		changed = true
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		if child := replace(a.Schema); child != a.Schema {
			out.AdditionalProperties = &SchemaOrBool{Schema: child, Bool: a.Bool}
			changed = true
		}
	}
	if !changed {
		return s
	}
	return &out
}

// withValues returns a copy of s whose value validation may be modified.
func (s *Schema) withValues() *Schema {
	out := *s
	values := ValueValidation{}
	if s.ValueValidation != nil {
		values = *s.ValueValidation
	}
	out.ValueValidation = &values
	return &out
}

// withProperty returns a copy of s in which the property replaces the one of the
// same name or is appended.
func (s *Schema) withProperty(name string, schema *Schema) *Schema {
	out := *s
	i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
	if i < 0 {
		out.Properties = append(slices.Clip(s.Properties), Property{Name: name, Schema: schema})
		return &out
	}
	out.Properties = slices.Clone(s.Properties)
	out.Properties[i].Schema = schema
	return &out
}

func unfoldIntOrString(s *Schema) *Schema {
	if isIntOrStringPair(s) || startsWithIntOrStringPair(s) {
		return s
	}
	pair := []NestedValueValidation{
		{ForbiddenGenerics: Generic{Type: "integer"}, Origin: s.Origin},
		{ForbiddenGenerics: Generic{Type: "string"}, Origin: s.Origin},
	}
	out := s.withValues()
	if len(out.AnyOf) == 0 {
		out.AnyOf = pair
		return out
	}
	first := NestedValueValidation{ValueValidation: ValueValidation{AnyOf: pair}, Origin: s.Origin}
	out.AllOf = append([]NestedValueValidation{first}, out.AllOf...)
	return out
}

// unfoldEmbedded uses the descriptions that the server publishes, because explain
// shows them.
func unfoldEmbedded(s *Schema) *Schema {
	out := s.withValues()
	for _, meta := range []struct {
		name, description string
		schema            *Schema
	}{
		{"apiVersion", "apiVersion defines the versioned schema of this representation of an object. " +
			"More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources",
			&Schema{Generic: Generic{Type: "string"}}},
		{"kind", "kind is a string value representing the type of this object. In CamelCase. " +
			"More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
			&Schema{Generic: Generic{Type: "string"}}},
		{"metadata", metav1.PartialObjectMetadata{}.SwaggerDoc()["metadata"], ObjectMeta()},
	} {
		meta.schema.Description = meta.description
		meta.schema.Origin = s.Origin
		if declared := s.Property(meta.name); declared != nil {
			meta.schema.Origin = declared.Origin
		}
		out = out.withProperty(meta.name, meta.schema)
	}
	for _, name := range []string{"kind", "apiVersion"} {
		if !slices.Contains(out.Required, name) {
			out.Required = append(slices.Clip(out.Required), name)
		}
	}
	return out
}

// ObjectMeta returns the schema of the metadata of every object, as the server
// publishes it (io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta), without
// descriptions, defaults and parts that the model cannot hold. The caller owns
// the result.
func ObjectMeta() *Schema {
	leaf := func(typ string) *Schema { return &Schema{Generic: Generic{Type: typ}} }
	formatted := func(typ, format string) *Schema {
		return &Schema{Generic: Generic{Type: typ}, ValueValidation: &ValueValidation{Format: format}}
	}
	object := func(properties ...Property) *Schema {
		return &Schema{Generic: Generic{Type: "object"}, Properties: properties}
	}
	list := func(items *Schema, x Extensions) *Schema {
		return &Schema{Generic: Generic{Type: "array"}, Extensions: x, Items: items}
	}
	texts := func() *Schema {
		return &Schema{Generic: Generic{Type: "object"}, AdditionalProperties: &SchemaOrBool{Schema: leaf("string")}}
	}

	owner := object(
		Property{"apiVersion", leaf("string")},
		Property{"blockOwnerDeletion", leaf("boolean")},
		Property{"controller", leaf("boolean")},
		Property{"kind", leaf("string")},
		Property{"name", leaf("string")},
		Property{"uid", leaf("string")},
	)
	owner.XMapType = "atomic"
	owner.ValueValidation = &ValueValidation{Required: []string{"apiVersion", "kind", "name", "uid"}}
	manager := object(
		Property{"apiVersion", leaf("string")},
		Property{"fieldsType", leaf("string")},
		Property{"fieldsV1", leaf("object")},
		Property{"manager", leaf("string")},
		Property{"operation", leaf("string")},
		Property{"subresource", leaf("string")},
		Property{"time", formatted("string", "date-time")},
	)
	return object(
		Property{"annotations", texts()},
		Property{"creationTimestamp", formatted("string", "date-time")},
		Property{"deletionGracePeriodSeconds", formatted("integer", "int64")},
		Property{"deletionTimestamp", formatted("string", "date-time")},
		Property{"finalizers", list(leaf("string"), Extensions{XListType: "set"})},
		Property{"generateName", leaf("string")},
		Property{"generation", formatted("integer", "int64")},
		Property{"labels", texts()},
		Property{"managedFields", list(manager, Extensions{XListType: "atomic"})},
		Property{"name", leaf("string")},
		Property{"namespace", leaf("string")},
		Property{"ownerReferences", list(owner, Extensions{XListType: "map", XListMapKeys: []string{"uid"}})},
		Property{"resourceVersion", leaf("string")},
		Property{"selfLink", leaf("string")},
		Property{"uid", leaf("string")},
	)
}
