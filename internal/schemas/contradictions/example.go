package contradictions

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// example reports an example that the node rejects because of its type, enum,
// pattern or bounds. Missing required fields are not reported: the example still
// shows the rest.
func (c *finder) example(s *structural.Schema, path *structural.Path) {
	if s.Example == nil {
		return
	}
	if why := c.exampleError(s, *s.Example, 0); why != "" {
		c.addKind(Example, path.Child("example"), s.Origin.Of("example"), "", "the schema rejects the example %s: %s", shortText(s.Example.Raw), why)
	}
}

// Refusal returns the reason for which a schema refuses a value because of its type, enum,
// pattern or bounds, or "" if it accepts the value or the answer is unknown.
func Refusal(s *structural.Schema, value structural.JSON) string {
	c := &finder{patterns: map[string]*regexp.Regexp{}}
	return c.exampleError(s, value, 0)
}

// exampleError returns the reason for which a node rejects a value, or "" if it accepts
// it or the answer is unknown.
func (c *finder) exampleError(schema *structural.Schema, value structural.JSON, depth int) string {
	if depth > 20 {
		return ""
	}
	if schema.ValueValidation == nil {
		example := *schema
		example.ValueValidation = &structural.ValueValidation{}
		schema = &example
	}
	if why := c.rejects(schema, limitsOf(schema), value); why != "" {
		return why
	}
	if len(schema.Enum) > 0 && !slices.ContainsFunc(schema.Enum, func(e structural.JSON) bool { return sameJSON(e.Raw, value.Raw) }) {
		return "it is not a value of the enum"
	}
	var object map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case len(schema.Properties) > 0 && json.Unmarshal(value.Raw, &object) == nil:
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if p := c.properties.Property(schema, name); p != nil {
				if why := c.exampleError(p, structural.JSON{Raw: object[name]}, depth+1); why != "" {
					return name + ": " + why
				}
			}
		}
	case schema.Items != nil && json.Unmarshal(value.Raw, &list) == nil:
		for _, element := range list {
			if why := c.exampleError(schema.Items, structural.JSON{Raw: element}, depth+1); why != "" {
				return "element: " + why
			}
		}
	}
	return ""
}

// sameJSON reports whether two JSON texts have the same value.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b)) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// shortText shortens a JSON value for a message.
func shortText(raw []byte) string {
	text := string(bytes.TrimSpace(raw))
	if len(text) > 80 {
		return text[:60] + "…"
	}
	return text
}
