package convertprove

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

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
						e.property(changed, v.schema, property)
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

func (e editor) word() string { return []string{"a", "b", "c", "10"}[e.IntN(4)] }

// property edits, adds or removes a property of an object with a schema.
func (e editor) property(object map[string]any, s *structural.Schema, p structural.Property) {
	value, ok := object[p.Name]
	switch {
	case !ok:
		object[p.Name] = e.sample(p.Schema)
	case !s.Requires(p.Name) && e.IntN(6) == 0:
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
			index := s.PropertyIndex(name)
			switch {
			case index < 0:
				out[name] = value[name]
			case s.Requires(name) || e.IntN(2) == 0:
				out[name] = e.thinned(value[name], s.Properties[index].Schema)
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
		for _, child := range value {
			n += count(child)
		}
	case []any:
		for _, child := range value {
			n += count(child)
		}
	}
	return n
}

// value returns a value with one edit somewhere.
func (e editor) value(value any, schema *structural.Schema) any {
	if schema == nil {
		return value
	}
	if schema.Nullable && e.IntN(10) == 0 {
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		values := (*structural.Schema)(nil)
		if schema.AdditionalProperties != nil {
			values = schema.AdditionalProperties.Schema
		}
		switch {
		case len(schema.Properties) > 0:
			p := schema.Properties[e.IntN(len(schema.Properties))]
			e.property(value, schema, p)
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
		return e.list(value, schema)
	}
	return e.scalar(value, schema)
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
