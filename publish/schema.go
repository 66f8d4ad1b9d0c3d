package publish

import (
	"bytes"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// object is a JSON object. It is written with sorted keys.
type object = map[string]any

const (
	v2Prefix   = "#/definitions/"
	v3Prefix   = "#/components/schemas/"
	metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1."
	gvkMarker  = "x-kubernetes-group-version-kind"
)

// dialect is a version of OpenAPI.
type dialect struct {
	v2 bool
	Options
}

// ref returns a reference to a definition.
func (d dialect) ref(name string) object {
	if d.v2 {
		return object{"$ref": v2Prefix + name}
	}
	return object{"$ref": v3Prefix + name}
}

// describedRef returns a reference with a description. In OpenAPI v3, siblings of $ref are
// ignored.
func (d dialect) describedRef(name, description string) object {
	if d.v2 {
		return object{"$ref": v2Prefix + name, "description": description}
	}
	return object{"allOf": []any{d.ref(name)}, "description": description}
}

// kindSchema returns the definition of the kind (buildKubeNative of the server's OpenAPI
// builder).
func (d dialect) kindSchema(r *Resource) object {
	out := object{"type": "object"}
	if s := r.Schema; s != nil && !(d.v2 && (preserves(s) || r.PreserveUnknownFields)) {
		out = d.schema(d.prepared(s))
		properties := propertiesOf(out)
		properties["metadata"] = d.describedRef(metaPrefix+"ObjectMeta", metav1.PartialObjectMetadata{}.SwaggerDoc()["metadata"])
		d.addTypeMeta(properties)
	}
	out[gvkMarker] = []any{r.gvk(r.Kind)}
	r.addSelectableFields(out)
	return out
}

// listSchema returns the definition of the list (buildListSchema of the server's OpenAPI
// builder).
func (d dialect) listSchema(r *Resource) object {
	properties := object{
		"items": object{
			"type":        "array",
			"description": "List of " + r.Plural + ". More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
			"items":       d.ref(r.definition(r.Kind)),
		},
		"metadata": d.describedRef(metaPrefix+"ListMeta", metav1.PartialObjectMetadataList{}.SwaggerDoc()["metadata"]),
	}
	d.addTypeMeta(properties)
	out := object{
		"type":        "object",
		"description": r.ListKind + " is a list of " + r.Kind,
		"required":    []any{"items"},
		"properties":  properties,
		gvkMarker:     []any{r.gvk(r.ListKind)},
	}
	r.addSelectableFields(out)
	return out
}

func (r *Resource) gvk(kind string) object {
	return object{"group": r.Group, "version": r.Version, "kind": kind}
}

func (r *Resource) addSelectableFields(out object) {
	var fields []any
	for _, path := range r.SelectableFields {
		fields = append(fields, object{"fieldPath": path})
	}
	if len(fields) > 0 {
		out["x-kubernetes-selectable-fields"] = fields
	}
}

func (d dialect) addTypeMeta(properties object) {
	docs := metav1.TypeMeta{}.SwaggerDoc()
	for _, name := range []string{"apiVersion", "kind"} {
		properties[name] = object{"type": "string", "description": docs[name]}
	}
}

func propertiesOf(schema object) object {
	properties, ok := schema["properties"].(object)
	if !ok {
		properties = object{}
		schema["properties"] = properties
	}
	return properties
}

// prepared returns the schema to render: with unions in the published form, and without
// what v2 does not support, or with what v3 unfolds.
func (d dialect) prepared(s *structural.Schema) *structural.Schema {
	s = withUnions(s, false)
	switch {
	case d.v2:
		s, _ = toV2(s)
	case d.Unfold:
		s = structural.Unfold(s)
	default:
		s = structural.UnfoldIntOrString(s)
	}
	if d.ObjectUnions {
		s = withUnions(s, true)
	}
	return s
}

// withUnions returns s with the unions of each object, in whatever form the schema has
// them, as KEP-1027's x-kubernetes-unions on their discriminators. With onObject it adds
// the structural KEP's form on the object, which cannot express optional members and values
// without a member. A union without a discriminator has neither form.
func withUnions(s *structural.Schema, onObject bool) *structural.Schema {
	if s == nil {
		return nil
	}
	found := unions.Of(s)
	out := *s
	out.XUnions = nil
	out.Items = withUnions(s.Items, onObject)
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: withUnions(a.Schema, onObject), Bool: a.Bool}
	}
	out.Properties = slices.Clone(s.Properties)
	for i, p := range out.Properties {
		child := withUnions(p.Schema, onObject) // always a copy
		child.XUnionMembers = nil
		for _, u := range found {
			if u.Discriminator == p.Name {
				child.XUnionMembers = fields.Selections(u)
			}
		}
		out.Properties[i].Schema = child
	}
	if onObject {
		for _, u := range found {
			if u.Discriminator == "" {
				continue
			}
			object := structural.Union{Discriminator: u.Discriminator}
			for _, m := range u.Members {
				object.Fields = append(object.Fields, structural.UnionField{Name: m.Name, Value: m.Value})
			}
			out.XUnions = append(out.XUnions, object)
		}
	}
	return &out
}

// schema renders a node (ToKubeOpenAPI of the server's structural schemas, and
// addEmbeddedProperties of its OpenAPI builder).
func (d dialect) schema(s *structural.Schema) object {
	out := object{}
	addKeywords(out, keywords.PartsOf(s))
	if s.Items != nil {
		out["items"] = d.schema(s.Items)
	}
	if len(s.Properties) > 0 {
		properties := object{}
		for _, p := range s.Properties {
			properties[p.Name] = d.schema(p.Schema)
		}
		out["properties"] = properties
	}
	if a := s.AdditionalProperties; a != nil {
		out["additionalProperties"] = any(a.Bool)
		if a.Schema != nil {
			out["additionalProperties"] = d.schema(a.Schema)
		}
	}
	if s.XEmbeddedResource && !(d.v2 && preserves(s)) {
		d.addEmbedded(out)
	}
	return out
}

func (d dialect) addEmbedded(out object) {
	properties := propertiesOf(out)
	for _, p := range []struct{ name, description string }{
		{"apiVersion", "apiVersion defines the versioned schema of this representation of an object. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources"},
		{"kind", "kind is a string value representing the type of this object. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds"},
	} {
		properties[p.name] = object{"type": "string", "description": p.description}
	}
	properties["metadata"] = d.describedRef(metaPrefix+"ObjectMeta", metav1.PartialObjectMetadata{}.SwaggerDoc()["metadata"])
	required, _ := out["required"].([]string)
	for _, name := range []string{"kind", "apiVersion"} {
		if !slices.Contains(required, name) {
			required = append(slices.Clip(required), name)
		}
	}
	out["required"] = required
}

// addKeywords renders the keywords of a node, without its children.
func addKeywords(out object, p keywords.Parts) {
	for k := range keywords.Table() {
		switch value := k.Value(p).(type) {
		case *string:
			addText(out, k.Name, *value)
		case *bool:
			addTrue(out, k.Name, *value)
		case **bool:
			addTrue(out, k.Name, *value != nil && **value)
		case **int64:
			addNumber(out, k.Name, *value)
		case **float64:
			addNumber(out, k.Name, *value)
		case *[]string:
			if len(*value) > 0 {
				out[k.Name] = *value
			}
		case **structural.JSON:
			if k.Name != "example" || !isEmpty(*value) {
				addJSON(out, k.Name, *value)
			}
		case *[]structural.JSON:
			var list []any
			for _, element := range *value {
				list = append(list, json.RawMessage(element.Raw))
			}
			addList(out, k.Name, list)
		case **structural.ExternalDocs:
			if docs := *value; docs != nil {
				rendered := object{}
				addText(rendered, "description", docs.Description)
				addText(rendered, "url", docs.URL)
				out[k.Name] = rendered
			}
		case *[]structural.Rule:
			if len(*value) > 0 {
				out[k.Name] = *value
			}
		case *[]structural.NestedValueValidation:
			addList(out, k.Name, nestedList(*value))
		case **structural.NestedValueValidation:
			if *value != nil {
				out[k.Name] = nested(*value)
			}
		}
	}
	addJSON(out, UnionsKeyword, structural.UnionsJSON(*p.Extensions))
}

func nestedList(list []structural.NestedValueValidation) []any {
	var out []any
	for i := range list {
		out = append(out, nested(&list[i]))
	}
	return out
}

// nested renders the schema in a logical junctor. In a structural schema, generics occur
// there only for int-or-string.
func nested(n *structural.NestedValueValidation) object {
	out := object{}
	parts := keywords.PartsOfNested(n)
	parts.Extensions = &structural.Extensions{XValidations: parts.XValidations}
	addKeywords(out, parts)
	if n.Items != nil {
		out["items"] = nested(n.Items)
	}
	if len(n.Properties) > 0 {
		properties := object{}
		for _, p := range n.Properties {
			properties[p.Name] = nested(p.Schema)
		}
		out["properties"] = properties
	}
	return out
}

func addText(out object, key, text string) {
	if text != "" {
		out[key] = text
	}
}

func addTrue(out object, key string, is bool) {
	if is {
		out[key] = true
	}
}

func addNumber[T int64 | float64](out object, key string, n *T) {
	if n != nil {
		out[key] = *n
	}
}

func addList(out object, key string, list []any) {
	if len(list) > 0 {
		out[key] = list
	}
}

// isEmpty reports whether the value is an empty string, list or object, which the server
// omits as an example.
func isEmpty(value *structural.JSON) bool {
	if value == nil {
		return true
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, value.Raw)
	return err == nil && slices.Contains([]string{`""`, "[]", "{}"}, compact.String())
}

// addJSON omits null, as the server does.
func addJSON(out object, key string, value *structural.JSON) {
	if value != nil && string(value.Raw) != "null" {
		out[key] = json.RawMessage(value.Raw)
	}
}

func preserves(s *structural.Schema) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// Definition returns the definition of the kind of a resource in a document, OpenAPI v2 or v3,
// as [Documents] writes it.
func Definition(r *Resource, o Options, v2 bool) map[string]any {
	return dialect{v2: v2, Options: o}.kindSchema(r)
}
