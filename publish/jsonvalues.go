package publish

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// addRestrictions adds the value validations of a node, and additional conditions.
func (j jsonSchema) addRestrictions(out object, schema *structural.Schema, conditions []any) {
	validation := schema.ValueValidation
	if len(selectable(schema)) > 0 {
		validation = unions.WithoutBranches(schema)
	}
	if validation == nil {
		validation = &structural.ValueValidation{}
	}
	_ = addScalars(out, validation, schema)
	defaulted := 0
	for _, p := range schema.Properties {
		if hasDefault(p.Schema) {
			defaulted++
		}
	}
	if validation.MinProperties != nil { // the server counts after defaulting
		if least := *validation.MinProperties - int64(defaulted); least > 0 {
			out["minProperties"] = least
		}
	}
	addNumber(out, "maxProperties", validation.MaxProperties)
	required := requiredOf(validation, schema)
	if schema.XEmbeddedResource {
		for i, name := range []string{"apiVersion", "kind"} {
			if !slices.Contains(required, name) {
				required = slices.Insert(slices.Clone(required), i, name)
			}
		}
	}
	if len(required) > 0 {
		out["required"] = required
	}
	junctors := object{}
	_ = addJunctors(junctors, validation, schema)
	switch {
	case len(junctors) == 0:
	case schema.Nullable: // the server does not validate null any further
		conditions = append(conditions, object{"if": object{"type": "null"}, "else": junctors})
	default:
		addAll(out, junctors)
	}
	if len(conditions) > 0 {
		all, _ := out["allOf"].([]any)
		out["allOf"] = append(slices.Clip(all), conditions...)
	}
}

func hasDefault(s *structural.Schema) bool {
	return s.Default != nil && strings.TrimSpace(string(s.Default.Raw)) != "null"
}

// requiredOf returns the required fields that do not get a default.
func requiredOf(v *structural.ValueValidation, s *structural.Schema) []string {
	return slices.DeleteFunc(slices.Clone(v.Required), func(name string) bool {
		p := s.Property(name)
		return p != nil && hasDefault(p)
	})
}

// addScalars adds the validations of scalars, and reports whether they are equivalent in
// JSON Schema.
func addScalars(out object, validation *structural.ValueValidation, s *structural.Schema) (exact bool) {
	exact = addFormat(out, validation.Format, s)
	if validation.Pattern != "" {
		if pattern, ok := ecmaPattern(validation.Pattern); ok {
			out["pattern"] = pattern
		} else {
			addComment(out, "pattern, in Go's syntax: "+validation.Pattern)
			exact = false
		}
	}
	bound := func(n *float64, exclusive bool, name, exclusiveName string) {
		if n != nil && exclusive {
			name = exclusiveName
		}
		addNumber(out, name, n)
	}
	bound(validation.Maximum, validation.ExclusiveMaximum, "maximum", "exclusiveMaximum")
	bound(validation.Minimum, validation.ExclusiveMinimum, "minimum", "exclusiveMinimum")
	addNumber(out, "multipleOf", validation.MultipleOf)
	if validation.UniqueItems {
		out["uniqueItems"] = true
	}
	addNumber(out, "maxLength", validation.MaxLength)
	addNumber(out, "minLength", validation.MinLength)
	addNumber(out, "maxItems", validation.MaxItems)
	addNumber(out, "minItems", validation.MinItems)
	var enum []any
	for _, value := range validation.Enum {
		if string(value.Raw) != "null" {
			enum = append(enum, json.RawMessage(value.Raw))
		}
	}
	if len(validation.Enum) > 0 && len(enum) == 0 {
		out["not"] = object{} // only null, which the server rejects if there is an enum
	}
	addList(out, "enum", enum)
	return exact
}

func addComment(out object, text string) {
	if old, _ := out["$comment"].(string); old != "" {
		text = old + "\n" + text
	}
	out["$comment"] = text
}

// addFormat adds a JSON Schema format if it accepts everything that the server's format
// accepts. It reports whether the schema is exact, that is, whether the format restricts
// nothing else.
func addFormat(out object, format string, s *structural.Schema) (exact bool) {
	integer := s != nil && s.Type == "integer"
	switch format {
	case "", "int64", "double", "float", "password", "binary":
		return true
	case "int32":
		if integer {
			out["minimum"] = math.MinInt32
			out["maximum"] = math.MaxInt32
		}
		return integer
	case "ipv4", "ipv6", "date", "date-time":
		out["format"] = format
	case "uri":
		out["format"] = "uri-reference" // the server accepts a path without a host
	case "byte":
		out["contentEncoding"] = "base64"
	default:
		addComment(out, "format: "+format)
	}
	return false
}

// addJunctors adds allOf, anyOf, oneOf and not, and reports whether they are equivalent to
// the server's. If not, the schema accepts more: not is omitted, and oneOf becomes anyOf.
func addJunctors(out object, validation *structural.ValueValidation, schema *structural.Schema) (exact bool) {
	exact = true
	list := func(branches []structural.NestedValueValidation) (rendered []any, same bool) {
		same = true
		for i := range branches {
			n, ok := nestedSchema(&branches[i], schema)
			rendered = append(rendered, n)
			same = same && ok
		}
		return rendered, same
	}
	all, same := list(validation.AllOf)
	exact = exact && same
	if schema != nil && schema.XIntOrString { // implied by the type
		all = slices.DeleteFunc(all, func(n any) bool { return len(n.(object)) == 0 })
	}
	addList(out, "allOf", all)
	if schema == nil || !schema.XIntOrString || !fields.IsTypes(validation.AnyOf) {
		some, same := list(validation.AnyOf)
		exact = exact && same
		addList(out, "anyOf", some)
	}
	if one, same := list(validation.OneOf); same {
		addList(out, "oneOf", one)
	} else if len(one) > 0 {
		exact = false
		if out["anyOf"] == nil {
			out["anyOf"] = one
		} else {
			rest, _ := out["allOf"].([]any)
			out["allOf"] = append(slices.Clip(rest), object{"anyOf": one})
		}
	}
	if validation.Not != nil {
		n, same := nestedSchema(validation.Not, schema)
		exact = exact && same
		if same {
			if out["not"] == nil {
				out["not"] = n
			}
		}
	}
	return exact
}

// nestedSchema renders the schema in a logical junctor. schema is the schema of the same value,
// or nil.
func nestedSchema(n *structural.NestedValueValidation, schema *structural.Schema) (out object, exact bool) {
	out = object{}
	addText(out, "type", n.ForbiddenGenerics.Type)
	exact = addScalars(out, &n.ValueValidation, schema)
	exact = addJunctors(out, &n.ValueValidation, schema) && exact
	exact = exact && len(n.ForbiddenExtensions.XValidations) == 0 && n.MinProperties == nil && n.MaxProperties == nil
	addNumber(out, "maxProperties", n.MaxProperties)
	if required := requiredOf(&n.ValueValidation, schema); len(required) > 0 {
		out["required"] = required
	}
	if n.Items != nil {
		var items *structural.Schema
		if schema != nil {
			items = schema.Items
		}
		child, same := nestedSchema(n.Items, items)
		out["items"] = child
		exact = exact && same
	}
	properties := object{}
	for _, p := range n.Properties {
		own := schema.Property(p.Name)
		child, same := nestedSchema(p.Schema, own)
		// An absent field is valid here, but its default may not be.
		if own != nil && hasDefault(own) {
			same = false
		}
		properties[p.Name] = child
		exact = exact && same
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	return out, exact
}
