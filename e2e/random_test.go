package e2e

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// chance generates random values for a schema.
type chance struct {
	*rand.Rand
	// wrong is the reciprocal of the probability of a mistake in a value; 0 generates none.
	wrong int
}

func (c chance) one(in int) bool { return c.IntN(in) == 0 }

func pick[T any](c chance, in ...T) T { return in[c.IntN(len(in))] }

// mistake returns a value that most schemas reject.
func (c chance) mistake() any {
	return pick[any](c, nil, nil, "?", int64(-7), 1.5, true, []any{}, map[string]any{"a": "b"}, strings.Repeat("x", 300))
}

// value returns a random value for a schema. It is valid except for mistakes and for
// constraints such as rules and formats.
func (c chance) value(s *apiextensionsv1.JSONSchemaProps, depth int) any {
	if depth > 7 || c.wrong > 0 && c.one(c.wrong) {
		return c.mistake()
	}
	if len(s.Enum) > 0 && !c.one(15) {
		return fromJSON(pick(c, s.Enum...).Raw)
	}
	if s.Default != nil && c.one(3) {
		return fromJSON(s.Default.Raw)
	}
	if s.XIntOrString {
		return pick[any](c, int64(3), "25%", "a")
	}
	switch s.Type {
	case "object":
		return c.object(s, depth)
	case "array":
		return c.array(s, depth)
	case "string":
		return c.text(s)
	case "integer", "number":
		return c.number(s)
	case "boolean":
		return c.one(2)
	}
	return pick[any](c, "a", int64(3), map[string]any{"a": map[string]any{"b": "c"}}, []any{"a"})
}

func (c chance) object(s *apiextensionsv1.JSONSchemaProps, depth int) map[string]any {
	out := map[string]any{}
	if s.XEmbeddedResource {
		out = map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "unknown": "b"}}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		required := slices.Contains(s.Required, name)
		if required && (c.wrong == 0 || !c.one(c.wrong)) || !required && c.one(2) {
			out[name] = c.value(&property, depth+1)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		for _, name := range []string{"k", "l", "m/n"}[:c.IntN(4)] {
			out[name] = c.value(s.AdditionalProperties.Schema, depth+1)
		}
	}
	if c.wrong > 0 && c.one(5) {
		out["unknown"] = map[string]any{"a": int64(1)}
	}
	return out
}

func (c chance) array(s *apiextensionsv1.JSONSchemaProps, depth int) []any {
	out := []any{}
	count := int64(c.IntN(3))
	if s.MinItems != nil {
		count += *s.MinItems
	}
	for range min(count, 12) {
		if s.Items != nil && s.Items.Schema != nil {
			out = append(out, c.value(s.Items.Schema, depth+1))
		}
	}
	return out
}

var texts = []string{"a", "b", "bcd", "abc-1", "A", "", "10", "1.5", "100m", "1h", "0 * * * *", "#00ff00", "a.example.com", "a/b", "/a", "a@b.example", "1.2.3", "v1.2.3",
	"2020-01-01T00:00:00Z", "2020-01-01", "10.0.0.1", "10.0.0.0/24", "::1", "https://example.com/a", "YQ==", "10Gi", "ABC", "abcdefghijkl"}

// text returns a string that matches the pattern, the format or the length limits if there
// are any.
func (c chance) text(s *apiextensionsv1.JSONSchemaProps) string {
	if c.wrong > 0 && c.one(8) {
		return pick(c, texts...)
	}
	byFormat := map[string]string{"date-time": "2020-01-01T00:00:00Z", "date": "2020-01-01", "byte": "YQ==", "duration": "1h", "ipv4": "10.0.0.1", "ipv6": "::1", "cidr": "10.0.0.0/24", "uri": "https://example.com/a"}
	fitting := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		if s.MinLength != nil && int64(len(text)) < *s.MinLength || s.MaxLength != nil && int64(len(text)) > *s.MaxLength {
			return true
		}
		if want := byFormat[s.Format]; want != "" && want != text {
			return true
		}
		pattern, err := regexp.Compile(s.Pattern)
		return err == nil && !pattern.MatchString(text)
	})
	if len(fitting) == 0 {
		return "a"
	}
	return pick(c, fitting...)
}

func (c chance) number(s *apiextensionsv1.JSONSchemaProps) any {
	least, most := -2.0, 9.0
	if s.Minimum != nil {
		least, most = *s.Minimum, *s.Minimum+9
	}
	if s.Maximum != nil {
		most = *s.Maximum
		if s.Minimum == nil {
			least = most - 9
		}
	}
	if c.wrong > 0 && c.one(8) {
		return pick[any](c, int64(1)<<40, least-1, int64(most)+1, 0.5)
	}
	value := int64(least) + c.Int64N(max(1, min(10, int64(most-least)+1)))
	if s.Type == "number" && c.one(2) {
		return float64(value) + 0.25
	}
	return value
}

// fromJSON decodes a value that the server has accepted, like the server.
func fromJSON(raw []byte) any {
	var out any
	if utiljson.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}
