package publish

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// File is a file generated from resources.
type File struct {
	// Path is relative, with slashes.
	Path string
	Data []byte
}

// Drafts returns the drafts of JSON Schema that [JSONSchemas] supports, the default first.
func Drafts() []string { return []string{"2020-12", "draft-07"} }

// JSONSchemaOptions control the form of JSON Schemas. The zero value is the default.
type JSONSchemaOptions struct {
	// Draft is one of [Drafts]. The default is the first.
	Draft string
	// Open allows fields that the server would drop.
	Open bool
	// BaseURL is the URL of the files, without a trailing slash; it is used in the catalog
	// and in modelines. If it is empty, URLs are relative.
	BaseURL string
}

// jsonSchemaPath returns the file name of a resource, which is kubeconform's
// "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json".
func jsonSchemaPath(r *Resource) string {
	return r.Group + "/" + strings.ToLower(r.Kind) + "_" + r.Version + ".json"
}

// JSONSchemas returns a JSON Schema for each resource; all.json, which selects one of them
// by the apiVersion and kind of an object; and catalog.json, a catalog in the format of
// schemastore.org. The resources must have no [Conflicts] and no [BadNames].
//
// A schema accepts what the API server would store unchanged except for defaults, and
// rejects what the server would reject or drop fields of, as far as JSON Schema can express
// it. It does not express CEL rules, most formats, keys of lists of type map, and values of
// the metadata.
func JSONSchemas(resources []*Resource, o JSONSchemaOptions) ([]File, error) {
	o.Draft = cmp.Or(o.Draft, Drafts()[0])
	if !slices.Contains(Drafts(), o.Draft) {
		return nil, fmt.Errorf("unknown draft %q: use one of %s", o.Draft, strings.Join(Drafts(), ", "))
	}
	var out []File
	add := func(path string, value any) error {
		data, err := marshal(value)
		out = append(out, File{path, data})
		return err
	}
	for _, r := range resources {
		if err := add(jsonSchemaPath(r), o.schemaOf(r)); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if err := add("all.json", o.all(resources)); err != nil {
		return nil, err
	}
	return out, add("catalog.json", o.catalog(resources))
}

// all returns a schema that applies to each object the schema of its kind. Objects of other
// kinds are accepted.
func (o JSONSchemaOptions) all(resources []*Resource) object {
	var choices []any
	for _, r := range resources {
		is := object{
			"properties": object{"apiVersion": object{"const": r.GroupVersion()}, "kind": object{"const": r.Kind}},
			"required":   []string{"apiVersion", "kind"},
		}
		choices = append(choices, object{"if": is, "then": object{"$ref": jsonSchemaPath(r)}})
	}
	out := object{"$schema": o.draftURL(), "type": "object"}
	addList(out, "allOf", choices)
	return out
}

// catalog maps file names to schemas, for the version of each kind that kubectl prefers.
func (o JSONSchemaOptions) catalog(resources []*Resource) object {
	list := []any{}
	for _, r := range resources {
		entry := object{"name": r.Kind + " " + r.GroupVersion(), "url": o.URL(r), "description": "Custom resource " + r.Plural + "." + r.Group}
		preferred := !slices.ContainsFunc(resources, func(other *Resource) bool {
			return other.Group == r.Group && other.Kind == r.Kind &&
				version.CompareKubeAwareVersionStrings(other.Version, r.Version) > 0
		})
		match := []string{}
		if kind := strings.ToLower(r.Kind); preferred {
			match = []string{kind + ".yaml", kind + ".yml", "*." + kind + ".yaml", "*." + kind + ".yml"}
		}
		entry["fileMatch"] = match
		list = append(list, entry)
	}
	return object{"$schema": "https://json.schemastore.org/schema-catalog.json", "version": 1.0, "schemas": list}
}

// URL returns the URL of the schema of a resource.
func (o JSONSchemaOptions) URL(r *Resource) string {
	if o.BaseURL == "" {
		return jsonSchemaPath(r)
	}
	return o.BaseURL + "/" + jsonSchemaPath(r)
}

func (o JSONSchemaOptions) draftURL() string {
	if o.Draft == "draft-07" {
		return "http://json-schema.org/draft-07/schema#"
	}
	return "https://json-schema.org/draft/2020-12/schema"
}

// definitionsKeyword returns the keyword for definitions.
func (o JSONSchemaOptions) definitionsKeyword() string {
	if o.Draft == "draft-07" {
		return "definitions"
	}
	return "$defs"
}

const (
	objectMetaDefinition = "ObjectMeta"
	bareDefinition       = "Bare"
)

func (o JSONSchemaOptions) refTo(definition string) object {
	return object{"$ref": "#/" + o.definitionsKeyword() + "/" + definition}
}

// schemaOf returns the schema of the objects of a resource.
func (o JSONSchemaOptions) schemaOf(r *Resource) object {
	schema := r.Schema
	if schema == nil {
		schema = &structural.Schema{Generic: structural.Generic{Type: "object"}}
	}
	j := jsonSchema{JSONSchemaOptions: o}
	j.Open = o.Open || r.Schema == nil || r.PreserveUnknownFields
	out := j.node(schema, false)
	meta := fields.WithMeta(&structural.Schema{}).Properties // in the order of fields.MetaFields
	properties := propertiesOf(out)
	for _, p := range meta {
		properties[p.Name] = object{"description": p.Schema.Description}
	}
	addAll(properties["apiVersion"].(object), object{"type": "string", "const": r.GroupVersion()})
	addAll(properties["kind"].(object), object{"type": "string", "const": r.Kind})
	// The server requires a name, or generates one.
	named := object{"anyOf": []any{object{"required": []string{"name"}}, object{"required": []string{"generateName"}}}}
	metadata := []any{o.refTo(objectMetaDefinition), named}
	for _, p := range schema.Properties {
		if p.Name == "metadata" { // it may restrict the name
			metadata = append(metadata,
				jsonSchema{JSONSchemaOptions: JSONSchemaOptions{Draft: o.Draft, Open: true}}.node(p.Schema, false))
		}
	}
	addAll(properties["metadata"].(object), object{"type": "object", "allOf": metadata})
	required, _ := out["required"].([]string)
	for i, name := range fields.MetaFields() {
		if !slices.Contains(required, name) {
			required = slices.Insert(slices.Clone(required), i, name)
		}
	}
	out["required"] = required
	out["$schema"] = o.draftURL()
	out["title"] = r.Kind
	out[gvkMarker] = []any{r.gvk(r.Kind)}
	definitions := object{objectMetaDefinition: j.node(objectMeta(meta[2].Schema), false)}
	if schema.Contains(func(s *structural.Schema) bool {
		return s.AdditionalProperties != nil && s.AdditionalProperties.Schema == nil && s.AdditionalProperties.Bool
	}) {
		definitions[bareDefinition] = object{
			"$comment": "Below additionalProperties without a schema, the server drops all fields of objects.",
			"items":    o.refTo(bareDefinition), "maxProperties": 0,
		}
	}
	out[o.definitionsKeyword()] = definitions
	return out
}

func addAll(target, source object) {
	for name, value := range source {
		target[name] = value
	}
}

// objectMeta returns the metadata as the server decodes it: null means absent, and fieldsV1
// may have any fields.
func objectMeta(s *structural.Schema) *structural.Schema {
	out := *s
	out.Nullable = true
	out.ValueValidation = nil
	if s.ValueValidation != nil {
		out.ValueValidation = &structural.ValueValidation{Required: s.Required, Format: s.Format}
	}
	out.Items = nil
	if s.Items != nil {
		out.Items = objectMeta(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: objectMeta(a.Schema)}
	}
	out.Properties = nil
	for _, p := range s.Properties {
		child := objectMeta(p.Schema)
		if p.Name == "fieldsV1" {
			child.XPreserveUnknownFields = new(true)
		}
		out.Properties = append(out.Properties, structural.Property{Name: p.Name, Schema: child})
	}
	return &out
}

// jsonSchema renders the schemas of one file.
type jsonSchema struct{ JSONSchemaOptions }

// node renders a node. keeps is set if an enclosing list preserves unknown fields.
func (j jsonSchema) node(schema *structural.Schema, keeps bool) object {
	keeps = keeps || preserves(schema)
	out := object{}
	addText(out, "title", schema.Title)
	j.addTexts(out, schema)
	addJSON(out, "default", schema.Default)
	if !isEmpty(schema.Example) {
		out["examples"] = []any{json.RawMessage(schema.Example.Raw)}
	}
	addTypes(out, schema)
	if schema.Items != nil {
		items := j.node(schema.Items, keeps)
		if schema.Items.Type == "" && !schema.Items.XIntOrString {
			delete(items, "type") // null is kept in a list
		}
		out["items"] = items
	}
	if schema.XListType == "set" {
		out["uniqueItems"] = true
	}
	if len(schema.Properties) > 0 {
		properties := object{}
		for _, p := range schema.Properties {
			properties[p.Name] = j.node(p.Schema, false)
		}
		out["properties"] = properties
	}
	switch a := schema.AdditionalProperties; {
	case a != nil && a.Schema != nil:
		out["additionalProperties"] = j.node(a.Schema, false)
	case a != nil && a.Bool && !j.Open:
		out["additionalProperties"] = j.refTo(bareDefinition)
	case a != nil && !a.Bool, a == nil && !keeps && !j.Open && schema.Type == "object":
		out["additionalProperties"] = false
	}
	if schema.XEmbeddedResource {
		j.addEmbedded(out)
	}
	var conditions []any
	for _, u := range slices.Concat(selectable(schema), oneOfs(schema)) {
		conditions = append(conditions, moveMembers(out, u)...)
	}
	for _, m := range unions.ModesOf(schema) {
		conditions = append(conditions, moveModes(out, schema, m)...)
	}
	j.addRestrictions(out, schema, conditions)
	return out
}

// addTypes adds the types. The server drops null if it is not allowed, even if there is no
// type.
func addTypes(out object, s *structural.Schema) {
	var types []string
	switch {
	case s.XIntOrString:
		types = []string{"integer", "string"}
	case s.Type != "":
		types = []string{s.Type}
	case s.Nullable:
		return
	default:
		types = []string{"array", "boolean", "number", "object", "string"}
	}
	if s.Nullable {
		types = append(types, "null")
	}
	out["type"] = types
	if len(types) == 1 {
		out["type"] = types[0]
	}
}

// addTexts adds to the texts what JSON Schema cannot express: rules, and the keys of
// elements.
func (j jsonSchema) addTexts(out object, s *structural.Schema) {
	description := strings.TrimSpace(s.Description)
	var comments []string
	found := unions.Of(s)
	var lines []string
	for _, u := range found {
		lines = append(lines, fields.DescribeUnion(u).Text+".")
	}
	for _, rule := range s.XValidations {
		if !fields.IsUnionRule(found, rule) {
			described := fields.DescribeRule(rule)
			lines = append(lines, "Rule: "+fields.OneLine(described.Text))
			comments = append(comments, "CEL: "+fields.OneLine(described.Rule))
		}
	}
	if s.XListType == "map" {
		lines = append(lines, "There is one element for each "+strings.Join(s.XListMapKeys, " and ")+".")
	}
	if len(lines) > 0 {
		description = strings.TrimSpace(description + "\n\n" + strings.Join(lines, "\n"))
	}
	addText(out, "description", description)
	addText(out, "$comment", strings.Join(comments, "\n"))
}

// addEmbedded adds what the server requires of an embedded resource.
func (j jsonSchema) addEmbedded(out object) {
	properties := propertiesOf(out)
	for _, p := range fields.WithMeta(&structural.Schema{}).Properties {
		own, _ := properties[p.Name].(object)
		if own == nil {
			own = object{"description": p.Schema.Description}
			properties[p.Name] = own
		}
		if p.Name == "metadata" {
			own["allOf"] = []any{j.refTo(objectMetaDefinition)}
			delete(own, "additionalProperties")
			delete(own, "properties")
			own["type"] = []string{"object", "null"}
			continue
		}
		own["type"] = "string"
		if own["minLength"] == nil {
			own["minLength"] = 1
		}
	}
}
