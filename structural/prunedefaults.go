package structural

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apimachineryjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// PruneDefaults returns the schema that the server defaults with: fields that the
// schema does not specify are removed from each default, and so is what an
// ObjectMeta cannot hold from defaults in the metadata of the object or of an
// embedded resource. A default of which nothing is left is dropped. It is the
// server's function of that name (apiextensions-apiserver,
// pkg/apiserver/schema/defaulting).
//
// It returns an error if a default is not valid JSON or cannot occur in any
// object, such as a default of the root that is not an object. s is not modified,
// and unchanged parts are shared with the result.
func PruneDefaults(s *Schema) (*Schema, error) {
	p := &defaultPruner{root: s, without: map[*Schema]bool{}}
	return p.schema(s, nil)
}

type defaultPruner struct {
	root *Schema
	// without are the nodes that have no default in them or below them.
	without map[*Schema]bool
}

// schema prunes the defaults of a node and of those below it. The result depends
// on the path of the node, so a shared node is processed once for each path.
func (p *defaultPruner) schema(schema *Schema, path *ObjectPath) (*Schema, error) {
	if !p.hasDefault(schema) {
		return schema, nil
	}
	out := schema
	change := func() {
		if out == schema {
			copied := *schema
			out = &copied
		}
	}
	if !schema.Default.isNone() {
		pruned, err := p.value(schema.Default, path)
		if err != nil {
			return nil, fmt.Errorf("failed to prune default value: %w", err)
		}
		if pruned != schema.Default {
			change()
			out.Default = pruned
		}
	}
	if a := schema.AdditionalProperties; a != nil && a.Schema != nil {
		child, err := p.schema(a.Schema, path.Field("*")) // the server's name for it
		if err != nil {
			return nil, err
		}
		if child != a.Schema {
			change()
			out.AdditionalProperties = &SchemaOrBool{Schema: child, Bool: a.Bool}
		}
	}
	if schema.Items != nil {
		child, err := p.schema(schema.Items, path.Element(0))
		if err != nil {
			return nil, err
		}
		if child != schema.Items {
			change()
			out.Items = child
		}
	}
	properties := schema.Properties
	for i, property := range schema.Properties {
		child, err := p.schema(property.Schema, path.Field(property.Name))
		if err != nil {
			return nil, err
		}
		if child == property.Schema {
			continue
		}
		if &properties[0] == &schema.Properties[0] {
			properties = slices.Clone(schema.Properties)
		}
		properties[i].Schema = child
		change()
		out.Properties = properties
	}
	return out, nil
}

func (p *defaultPruner) hasDefault(s *Schema) bool {
	if s == nil || p.without[s] {
		return false
	}
	has := !s.Default.isNone() || p.hasDefault(s.Items) ||
		s.AdditionalProperties != nil && p.hasDefault(s.AdditionalProperties.Schema) ||
		slices.ContainsFunc(s.Properties, func(property Property) bool { return p.hasDefault(property.Schema) })
	if !has {
		p.without[s] = true
	}
	return has
}

// value prunes a default as part of the smallest object that contains it at its path.
func (p *defaultPruner) value(j *JSON, path *ObjectPath) (*JSON, error) {
	value, err := j.decode()
	if err != nil {
		return nil, err
	}
	old, err := j.decode()
	if err != nil {
		return nil, err
	}
	for place := path; place != nil; place = place.parent {
		if place.step.Index >= 0 {
			value = []any{value}
		} else {
			value = map[string]any{place.step.Field: value}
		}
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("object root default value must be of object type")
	}
	if err := coerceMetadata(object, p.root, true); err != nil {
		return nil, err
	}
	Prune(p.root, object, true)
	current, found, err := find(object, path)
	switch {
	case err != nil:
		return nil, err
	case !found || current == nil:
		return nil, nil
	case reflect.DeepEqual(old, current):
		return j, nil
	}
	raw, err := plainjson.Marshal(withPlainFloats(current))
	if err != nil {
		return nil, err
	}
	return &JSON{Raw: raw}, nil
}

// find returns the value at a path and reports whether it exists.
func find(object any, path *ObjectPath) (any, bool, error) {
	for _, step := range path.Steps() {
		var found bool
		if step.Index >= 0 {
			list, ok := object.([]any)
			if !ok {
				return nil, false, fmt.Errorf("%s: [] must be of array type", path)
			}
			found = step.Index < len(list)
			if found {
				object = list[step.Index]
			}
		} else {
			fields, ok := object.(map[string]any)
			if !ok {
				return nil, false, fmt.Errorf("%s: .%s must be of object type", path, step.Field)
			}
			object, found = fields[step.Field]
		}
		if !found {
			return nil, false, nil
		}
	}
	return object, true, nil
}

// withPlainFloats returns a value in which floats without a fraction are spelled
// with one, because encoding/json writes 1 for float64(1).
func withPlainFloats(value any) any {
	switch value := value.(type) {
	case float64:
		if value == math.Trunc(value) && math.Abs(value) < 1e21 { // encoding/json uses an exponent beyond
			return json.RawMessage(strconv.FormatFloat(value, 'f', 1, 64))
		}
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, field := range value {
			out[name] = withPlainFloats(field)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = withPlainFloats(element)
		}
		return out
	}
	return value
}

// coerceMetadata removes malformed fields from the TypeMeta and ObjectMeta of the
// object and of embedded resources, like the server's Coerce with dropInvalidFields
// (apiextensions-apiserver, pkg/apiserver/schema/objectmeta).
func coerceMetadata(value any, s *Schema, isResource bool) error {
	if s == nil {
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		fields := s.named(len(value))
		for name, field := range value {
			if isResource || s.XEmbeddedResource {
				if err := coerceMeta(value, name); err != nil {
					return err
				}
			}
			child, _ := fields.field(name)
			if err := coerceMetadata(field, child, false); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range value {
			if err := coerceMetadata(element, s.Items, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// coerceMeta coerces one field of an object if it is part of its metadata.
func coerceMeta(object map[string]any, name string) error {
	switch name {
	case "apiVersion", "kind":
		if _, ok := object[name].(string); !ok {
			delete(object, name)
		}
	case "metadata":
		meta, ok := objectMetaOf(object[name])
		if !ok {
			return nil
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(meta)
		if err != nil {
			return err
		}
		if meta.CreationTimestamp.IsZero() {
			delete(fields, "creationTimestamp")
		}
		object[name] = fields
	}
	return nil
}

// objectMetaOf decodes metadata, if necessary without the fields that do not
// decode. It reports whether metadata is an object.
func objectMetaOf(metadata any) (*metav1.ObjectMeta, bool) {
	meta := &metav1.ObjectMeta{}
	if text, err := json.Marshal(metadata); err == nil && apimachineryjson.Unmarshal(text, meta) == nil {
		return meta, true
	}
	fields, ok := metadata.(map[string]any)
	if !ok {
		return nil, false
	}
	meta = &metav1.ObjectMeta{}
	probe := &metav1.ObjectMeta{}
	for name, field := range fields {
		text, err := json.Marshal(map[string]any{name: field})
		if err == nil && apimachineryjson.Unmarshal(text, probe) == nil && apimachineryjson.Unmarshal(text, meta) != nil {
			return nil, false
		}
	}
	return meta, true
}
