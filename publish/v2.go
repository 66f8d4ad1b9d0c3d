package publish

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Lost is something that a schema expresses but the OpenAPI v2 document does not.
type Lost struct {
	// Path is its path below [Resource.Path], for example ".properties[spec].oneOf".
	Path string
	// Keyword is the omitted keyword.
	Keyword string
	// Reason is the reason.
	Reason string
}

// LostInV2 returns what is missing about the resource in the OpenAPI v2 document, in the
// order of the schema.
func LostInV2(r *Resource) []Lost {
	switch {
	case r.Schema == nil:
		return nil
	case preserves(r.Schema) || r.PreserveUnknownFields:
		return []Lost{{Path: "", Keyword: "the whole schema", Reason: "it preserves unknown fields, which kubectl would reject if any field were specified"}}
	}
	_, lost := toV2(r.Schema)
	return lost
}

// toV2 removes what OpenAPI v2 does not support, what kubectl cannot read (the server's
// ToStructuralOpenAPIV2), and defaults (PruneDefaults, which the aggregator of
// kube-apiserver calls), and returns what it removed. s is not changed.
func toV2(s *structural.Schema) (*structural.Schema, []Lost) {
	c := &v2Converter{}
	return c.schema(s, nil), c.lost
}

type v2Converter struct{ lost []Lost }

func (c *v2Converter) drop(path *structural.Path, keyword, because string) {
	c.lost = append(c.lost, Lost{Path: path.Child(keyword).String(), Keyword: keyword, Reason: because})
}

const (
	noSuchKeyword = "the keyword is not supported"
	whereNullable = "the value may be null, which OpenAPI v2 cannot express with a type"
	wherePreserve = "unknown fields are preserved, which kubectl would reject if any field were specified"
	noDefaults    = "kube-apiserver removes defaults from OpenAPI v2, because older clients mistake them for values"
)

func (c *v2Converter) schema(schema *structural.Schema, path *structural.Path) *structural.Schema {
	if schema == nil {
		return nil
	}
	out := *schema
	if schema.Default != nil {
		out.Default = nil
		c.drop(path, "default", noDefaults)
	}
	if schema.ValueValidation != nil {
		out.ValueValidation = c.values(schema.ValueValidation, path)
	}
	preserve := preserves(schema)
	if schema.Nullable || preserve {
		reason := wherePreserve
		if schema.Nullable {
			reason = whereNullable
			out.Nullable = false
			c.drop(path, "nullable", noSuchKeyword)
		}
		if schema.Items != nil {
			out.Items = nil
			c.drop(path, "items", reason)
		}
		if len(schema.Properties) > 0 {
			out.Properties = nil
			c.drop(path, "properties", reason)
		}
		if schema.Type != "" && (schema.Nullable || schema.Type == "object") {
			out.Type = ""
			c.drop(path, "type", reason)
		}
	}
	if out.Items == nil && out.Type == "array" {
		out.Type = ""
		c.drop(path, "type", "kubectl cannot read an array without items")
	}
	c.required(&out, path)
	out.Items = c.schema(out.Items, path.Child("items"))
	if a := out.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: c.schema(a.Schema, path.Child("additionalProperties")), Bool: a.Bool}
	}
	out.Properties = slices.Clone(out.Properties)
	for i, p := range out.Properties {
		out.Properties[i].Schema = c.schema(p.Schema, path.Property(p.Name))
	}
	return &out
}

// values removes the logical junctors.
func (c *v2Converter) values(v *structural.ValueValidation, path *structural.Path) *structural.ValueValidation {
	out := *v
	for _, junctor := range []struct {
		keyword string
		is      bool
	}{{"allOf", len(v.AllOf) > 0}, {"anyOf", len(v.AnyOf) > 0}, {"oneOf", len(v.OneOf) > 0}, {"not", v.Not != nil}} {
		if junctor.is {
			c.drop(path, junctor.keyword, noSuchKeyword)
		}
	}
	out.AllOf = nil
	out.AnyOf = nil
	out.OneOf = nil
	out.Not = nil
	return &out
}

// required removes fields that may be null, because kubectl treats null as absent.
func (c *v2Converter) required(s *structural.Schema, path *structural.Path) {
	if s.ValueValidation == nil || len(s.Required) == 0 {
		return
	}
	var removed []string
	for _, p := range s.Properties {
		if p.Schema.Nullable && slices.Contains(s.Required, p.Name) {
			removed = append(removed, p.Name)
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil && a.Schema.Nullable {
		removed = s.Required
	}
	if len(removed) == 0 {
		return
	}
	c.drop(path, "required", strings.Join(removed, ", ")+" may be null, which kubectl treats as absent")
	s.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return slices.Contains(removed, name) })
}
