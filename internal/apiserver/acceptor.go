package apiserver

import (
	"reflect"
	"slices"
	"sync"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// acceptor decides whether the server's validator of a schema would accept a value. That constructs, for each
// object in a value, validators for all properties that the schema has. An acceptor constructs those of scalars
// once, and visits objects and lists without other constraints itself. It may be used concurrently.
type acceptor struct {
	schema *spec.Schema
	once   sync.Once
	// server validates a value of a schema with other constraints.
	server *validate.SchemaValidator
	// properties, others and items are those of a schema without. If others is nil, other fields may
	// have any value.
	properties    map[string]*acceptor
	others, items *acceptor
}

// accepts reports whether the server's validator certainly accepts a value.
func (a *acceptor) accepts(value any) bool {
	a.once.Do(a.prepare)
	if a.server != nil {
		return a.server.Validate(value).IsValid()
	}
	if a.items != nil {
		list, ok := value.([]any)
		return ok && a.acceptsList(list)
	}
	object, ok := value.(map[string]any)
	return ok && a.acceptsObject(object)
}

func (a *acceptor) acceptsObject(object map[string]any) bool {
	for _, name := range a.schema.Required {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	for name, value := range object {
		field, ok := a.properties[name]
		if !ok {
			field = a.others
		}
		if field != nil && !field.accepts(value) {
			return false
		}
	}
	return true
}

func (a *acceptor) acceptsList(list []any) bool {
	size := int64(len(list))
	if a.schema.MinItems != nil && size < *a.schema.MinItems || a.schema.MaxItems != nil && size > *a.schema.MaxItems {
		return false
	}
	return !slices.ContainsFunc(list, func(element any) bool { return !a.items.accepts(element) })
}

func (a *acceptor) prepare() {
	rest := *a.schema // without what an acceptor decides, and what decides nothing
	rest.VendorExtensible = spec.VendorExtensible{}
	rest.Description = ""
	rest.Default = nil
	rest.Type = nil
	switch others, items := a.schema.AdditionalProperties, a.schema.Items; {
	case slices.Equal(a.schema.Type, []string{"object"}) && (others == nil || others.Allows):
		rest.Properties = nil
		rest.AdditionalProperties = nil
		rest.Required = nil
		if !reflect.ValueOf(rest).IsZero() {
			break
		}
		a.properties = make(map[string]*acceptor, len(a.schema.Properties))
		for name, s := range a.schema.Properties {
			a.properties[name] = &acceptor{schema: &s}
		}
		if others != nil && others.Schema != nil {
			a.others = &acceptor{schema: others.Schema}
		}
		return
	case slices.Equal(a.schema.Type, []string{"array"}) && items != nil && items.Schema != nil && len(items.Schemas) == 0:
		rest.Items = nil
		rest.MinItems = nil
		rest.MaxItems = nil
		if !reflect.ValueOf(rest).IsZero() {
			break
		}
		a.items = &acceptor{schema: items.Schema}
		return
	}
	a.server = validate.NewSchemaValidator(a.schema, nil, "", strfmt.Default)
}
