package apiserver

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
)

// TestAcceptsWhatServerAccepts asks acceptors and the server's validators about random values of random
// schemas, some with keywords that are not structural.
func TestAcceptsWhatServerAccepts(t *testing.T) {
	accepted, rejected := 0, 0
	for seed := range 400 {
		c := newRandom(seed)
		props := c.schema(4)
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
			t.Fatal(err)
		}
		var server validation.SchemaValidator
		var a *acceptor
		if guard(func() error {
			validator, openapi, err := validation.NewSchemaValidator(&internal)
			server = validator
			a = &acceptor{schema: openapi}
			if err == nil {
				validator.Validate(c.value(&props, 4)) // panics for references
			}
			return err
		}) != nil {
			continue
		}
		for range 100 {
			value := c.value(&props, 6)
			want := server.Validate(value).IsValid()
			if got := a.accepts(value); got != want {
				schema, _ := json.Marshal(props)
				text, _ := json.Marshal(value)
				t.Fatalf("the acceptor says %t, the server %t of %s\n%s", got, want, text, schema)
			}
			if want {
				accepted++
			} else {
				rejected++
			}
		}
	}
	t.Logf("%d values are accepted, %d rejected", accepted, rejected)
	if accepted < 5000 || rejected < 5000 {
		t.Errorf("too few: %d values are accepted, %d rejected", accepted, rejected)
	}
}

// value returns a value that the schema may accept; a field in it may be missing, unknown, null or of another type.
func (c random) value(s *apiextensionsv1.JSONSchemaProps, depth int) any {
	if c.one(40) || depth == 0 {
		return pick[any](c, nil, "a", int64(1), 1.5, true, map[string]any{}, []any{})
	}
	switch s.Type {
	case "object":
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if child := s.Properties[name]; !c.one(4) || slices.Contains(s.Required, name) && !c.one(20) {
				object[name] = c.value(&child, depth-1)
			}
		}
		if others := s.AdditionalProperties; others != nil && others.Schema != nil {
			for _, name := range []string{"k", "l", "m", "n"}[:c.Intn(5)] {
				object[name] = c.value(others.Schema, depth-1)
			}
		} else if c.one(20) {
			object["unknown"] = "a"
		}
		return object
	case "array":
		list := []any{}
		for range c.Intn(5) {
			element := any("a")
			if s.Items != nil && s.Items.Schema != nil {
				element = c.value(s.Items.Schema, depth-1)
			}
			list = append(list, element)
		}
		return list
	case "string":
		return pick(c, "a", "a", "bcd", "2000-01-02T15:04:05Z", "YQ==", "1h")
	case "integer":
		return pick[any](c, int64(1), int64(1), int64(5), 2.0, 1.5)
	case "boolean":
		return c.one(2)
	}
	return pick[any](c, "a", int64(1))
}
