package apiserver

import (
	"maps"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// age leaves out of a schema, before its type is made, what older servers do not
// conclude a size from. The schema is a copy of its own.
func (t *Target) age(s *apiextensions.JSONSchemaProps) {
	if s == nil || !t.Before(intOrStringSizeMinor) {
		return
	}
	if s.XIntOrString {
		s.MaxLength = nil
	}
	if t.Before(enumSizeMinor) && s.MaxLength == nil {
		s.Enum = nil
	}
	for name, child := range s.Properties {
		t.age(&child)
		s.Properties[name] = child
	}
	if s.Items != nil {
		t.age(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		t.age(s.AdditionalProperties.Schema)
	}
}

// aged is the type of a schema with names of resources as older servers have them:
// without a greatest length. The root of an object is a resource, too.
func (t *Target) aged(kind *apiservercel.DeclType, s *apiextensions.JSONSchemaProps, isRoot bool) *apiservercel.DeclType {
	if kind == nil || s == nil || !t.Before(nameSizeMinor) {
		return kind
	}
	switch {
	case s.XIntOrString:
	case kind.IsList() && s.Items != nil:
		if elem := t.aged(kind.ElemType, s.Items.Schema, false); elem != kind.ElemType {
			return apiservercel.NewListType(elem, kind.MaxElements)
		}
	case kind.IsMap() && s.AdditionalProperties != nil:
		if elem := t.aged(kind.ElemType, s.AdditionalProperties.Schema, false); elem != kind.ElemType {
			return apiservercel.NewMapType(kind.KeyType, elem, kind.MaxElements)
		}
	case kind.IsObject():
		fields := map[string]*apiservercel.DeclField{}
		for name, child := range s.Properties {
			escaped, ok := apiservercel.Escape(name)
			field := kind.Fields[escaped]
			if !ok || field == nil {
				continue
			}
			if other := t.aged(field.Type, &child, false); other != field.Type {
				fields[escaped] = apiservercel.NewDeclField(escaped, other, field.Required, nil, nil)
			}
		}
		if len(fields) > 0 {
			all := maps.Clone(kind.Fields)
			maps.Copy(all, fields)
			kind = objectType(kind, all)
		}
		if isRoot || s.XEmbeddedResource {
			for _, name := range []string{"name", "generateName"} {
				kind = limited(kind, []string{"metadata", name}, maxRequestBytes-2)
			}
		}
	}
	return kind
}
