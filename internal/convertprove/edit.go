package convertprove

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// editor edits objects at random.
type editor struct{ *rand.Rand }

// valid returns a copy of an object with a few edits which a server accepts as an update, or
// nil if it finds none.
func (e editor) valid(ctx context.Context, v *version, object map[string]any) (map[string]any, error) {
	for range 8 {
		changed := runtime.DeepCopyJSON(object)
		for range 1 + e.IntN(3) {
			for _, property := range v.schema.Properties {
				if property.Name == "spec" || property.Name == "status" || !slices.Contains([]string{"apiVersion", "kind", "metadata"}, property.Name) {
					if e.IntN(3) > 0 || len(v.schema.Properties) <= 4 {
						e.property(changed, property, isRequired(v.schema, property.Name))
					}
				}
			}
		}
		if e.IntN(8) == 0 {
			metadata, _ := changed["metadata"].(map[string]any)
			metadata["labels"] = map[string]any{"label": e.word()}
		}
		v.fitDurations(changed)
		stored, problems, err := v.judge(ctx, changed)
		if err != nil {
			return nil, err
		}
		if len(problems) > 0 {
			continue
		}
		if v.transitions {
			if update, err := v.server.Update(ctx, changed, object); err != nil || len(update.Errors) > 0 {
				continue
			}
		}
		return stored, nil
	}
	return nil, nil
}

func isRequired(s *structural.Schema, name string) bool {
	return s.ValueValidation != nil && slices.Contains(s.ValueValidation.Required, name)
}

func (e editor) word() string { return []string{"a", "b", "c", "10"}[e.IntN(4)] }

// property edits, adds or removes a property of an object.
func (e editor) property(object map[string]any, p structural.Property, required bool) {
	value, ok := object[p.Name]
	switch {
	case !ok:
		object[p.Name] = e.sample(p.Schema)
	case !required && e.IntN(6) == 0:
		delete(object, p.Name)
	default:
		object[p.Name] = e.value(value, p.Schema)
	}
}

// sample returns a new value of a schema.
func (e editor) sample(s *structural.Schema) any {
	value := e.part(unions.Sample(s, e.IntN(2) == 0), s)
	for range e.IntN(3) {
		value = e.value(value, s)
	}
	return value
}

// large is the number of values above which only parts of an object are edited. The full
// sample of a pod template has ten times as many, most of which say nothing about the others.
const large = 100

// part returns a large value without most of what is optional, and any other value as it is.
func (e editor) part(value any, s *structural.Schema) any {
	for range 12 {
		if count(value) <= large {
			break
		}
		if part := e.thinned(value, s); count(part) > large/4 {
			value = part
		}
	}
	return value
}

// thinned returns a value with half of the optional properties of each object in it.
func (e editor) thinned(value any, s *structural.Schema) any {
	if s == nil {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := s.PropertyIndex(name)
			switch {
			case at < 0:
				out[name] = value[name]
			case isRequired(s, name) || e.IntN(2) == 0:
				out[name] = e.thinned(value[name], s.Properties[at].Schema)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = e.thinned(element, s.Items)
		}
		return out
	}
	return value
}

// count returns the number of values in a value.
func count(value any) int {
	n := 1
	switch value := value.(type) {
	case map[string]any:
		for _, below := range value {
			n += count(below)
		}
	case []any:
		for _, below := range value {
			n += count(below)
		}
	}
	return n
}

// value returns a value with one edit somewhere.
func (e editor) value(value any, s *structural.Schema) any {
	if s == nil {
		return value
	}
	if s.Nullable && e.IntN(10) == 0 {
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		values := (*structural.Schema)(nil)
		if s.AdditionalProperties != nil {
			values = s.AdditionalProperties.Schema
		}
		switch {
		case len(s.Properties) > 0:
			p := s.Properties[e.IntN(len(s.Properties))]
			e.property(value, p, isRequired(s, p.Name))
		case values != nil && (len(value) == 0 || e.IntN(3) == 0):
			value[e.word()] = e.sample(values)
		case values != nil:
			key := e.key(value)
			if e.IntN(3) == 0 {
				delete(value, key)
			} else {
				value[key] = e.value(value[key], values)
			}
		}
		return value
	case []any:
		return e.list(value, s)
	}
	return e.scalar(value, s)
}

func (e editor) key(m map[string]any) string {
	return slices.Sorted(maps.Keys(m))[e.IntN(len(m))]
}

func (e editor) list(list []any, s *structural.Schema) []any {
	list = slices.Clone(list)
	n := len(list)
	switch choice := e.IntN(5); {
	case n == 0 || choice == 0:
		return append(list, e.sample(s.Items))
	case choice == 1:
		i := e.IntN(n)
		return slices.Delete(list, i, i+1)
	case choice == 2:
		slices.Reverse(list)
	default:
		i := e.IntN(n)
		list[i] = e.value(runtime.DeepCopyJSONValue(list[i]), s.Items)
	}
	return list
}

func (e editor) scalar(value any, s *structural.Schema) any {
	v := s.ValueValidation
	if v != nil && len(v.Enum) > 0 {
		if decoded, ok := decode(v.Enum[e.IntN(len(v.Enum))].Raw); ok {
			return decoded
		}
	}
	switch value := value.(type) {
	case bool:
		return !value
	case int64:
		out := []int64{0, 1, 2, 3, 60, 90, 1500, -1, 1 << 33}[e.IntN(9)]
		if v != nil && v.Format == "int32" {
			out = min(out, math.MaxInt32)
		}
		if v != nil && v.Minimum != nil && (float64(out) < *v.Minimum || e.IntN(4) == 0) {
			out = int64(*v.Minimum)
		}
		if v != nil && v.Maximum != nil && (float64(out) > *v.Maximum || e.IntN(4) == 0) {
			out = int64(*v.Maximum)
		}
		return out
	case float64:
		return []float64{0, 1, 0.5, 2}[e.IntN(4)]
	case string:
		if v != nil && (v.Format != "" || v.Pattern != "") {
			// Digits and letters are often free within what a pattern or a format allows.
			text := []byte(value)
			for i := range text {
				switch at := text[i]; {
				case e.IntN(4) > 0:
				case at >= '1' && at <= '8':
					text[i] = '1' + byte(e.IntN(9))
				case at >= 'a' && at <= 'e':
					text[i] = 'a' + byte(e.IntN(6))
				}
			}
			return string(text)
		}
		return []string{"", "a", "b", "c", "10", "1h", "90s", "1.5s"}[e.IntN(8)]
	}
	return unions.Sample(s, true)
}

// fitDurations replaces texts that are not durations, where the Go type is one.
func (v *version) fitDurations(object map[string]any) {
	for _, path := range v.durations {
		fitAt(object, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")[1:])
	}
}

// fitAt returns a value in which the texts at a path are durations.
func fitAt(value any, path []string) any {
	switch value := value.(type) {
	case string:
		if _, err := time.ParseDuration(value); err != nil && len(path) == 0 {
			return []string{"1h", "90s", "1.5s"}[len(value)%3]
		}
	case map[string]any:
		for name, below := range value {
			if len(path) > 0 && (path[0] == "[]" || path[0] == name) {
				value[name] = fitAt(below, path[1:])
			}
		}
	case []any:
		for i := range value {
			if len(path) > 0 {
				value[i] = fitAt(value[i], path[1:])
			}
		}
	}
	return value
}
