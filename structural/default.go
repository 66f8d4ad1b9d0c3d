package structural

import (
	"bytes"

	"k8s.io/apimachinery/pkg/util/json"
)

// Defaulted is a value that [Default] has added to an object.
type Defaulted struct {
	Path *ObjectPath
	// Schema is the node with the default. Schema.Default is the value as it was
	// added, without the defaults below it, which are reported separately;
	// Schema.Origin.Of("default") is its position.
	Schema *Schema
}

// Default adds the defaults of a schema to an object, in place, and returns what
// it added, sorted by the text of the paths, so that a value precedes the values
// below it. It is the server's Default (apiextensions-apiserver,
// pkg/apiserver/schema/defaulting):
//
//   - a property that is absent, or null without being nullable, gets its
//     default; so do nulls in lists and in maps of additionalProperties;
//   - defaults below a default are added to it;
//   - nothing is created only to hold a default;
//   - a default of null and defaults inside junctors are ignored.
//
// Each value is decoded separately, integers as int64, and shares nothing. A
// default that is not valid JSON is ignored; [PruneDefaults] returns an error for
// it. A nil object, or a nil map in it, is left as is.
func Default(s *Schema, object map[string]any) []Defaulted {
	d := defaulter{}
	d.value(object, s)
	sortByPath(d.done, func(d Defaulted) *ObjectPath { return d.Path })
	return d.done
}

type defaulter struct {
	trail
	done []Defaulted
}

func (d *defaulter) value(value any, schema *Schema) {
	if schema == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		if value == nil {
			return
		}
		for _, p := range schema.Properties {
			if _, found := value[p.Name]; found || p.Schema.Default.isNone() {
				continue
			}
			if put, ok := d.put(p.Schema, fieldStep(p.Name)); ok {
				value[p.Name] = put
			}
		}
		fields := schema.named(len(value))
		for name, field := range value {
			child, _ := fields.field(name)
			if child == nil {
				continue
			}
			if isNonNullableNull(field, child) {
				if put, ok := d.put(child, fieldStep(name)); ok {
					value[name] = put
					field = put
				}
			}
			mark := len(d.open)
			d.value(field, child)
			d.back(mark, fieldStep(name))
		}
	case []any:
		for i, element := range value {
			if isNonNullableNull(element, schema.Items) {
				if put, ok := d.put(schema.Items, elementStep(i)); ok {
					value[i] = put
					element = put
				}
			}
			mark := len(d.open)
			d.value(element, schema.Items)
			d.back(mark, elementStep(i))
		}
	}
}

// put returns the default of a node and records that it is added one step below.
func (d *defaulter) put(s *Schema, step Step) (any, bool) {
	if s.Default.isNone() {
		return nil, false
	}
	value, err := s.Default.decode()
	if err != nil {
		return nil, false
	}
	d.done = append(d.done, Defaulted{Path: d.note(step), Schema: s})
	return value, true
}

// isNone reports whether the server ignores the default: it treats null as absent.
func (j *JSON) isNone() bool {
	return j == nil || string(bytes.TrimSpace(j.Raw)) == "null"
}

// decode decodes the value as the server does: integers that fit are int64, all
// other numbers float64.
func (j *JSON) decode() (any, error) {
	var out any
	err := json.Unmarshal(j.Raw, &out)
	return out, err
}

func isNonNullableNull(value any, s *Schema) bool {
	return value == nil && s != nil && !s.Nullable
}

// PruneNonNullableNullsWithoutDefaults removes the fields of an object that are
// null although the schema specifies them, they are not nullable, and they have no
// default. It works in place and returns the paths of the removed fields, sorted
// by their text. It is the server's function of that name (apiextensions-apiserver,
// pkg/apiserver/schema/defaulting).
//
// Nulls in lists and nulls that no schema specifies are kept. The server calls it
// after defaulting and pruning.
func PruneNonNullableNullsWithoutDefaults(s *Schema, object map[string]any) []*ObjectPath {
	p := nullPruner{}
	p.value(object, s)
	return sortPaths(p.removed)
}

type nullPruner struct {
	trail
	removed []*ObjectPath
}

func (p *nullPruner) value(value any, schema *Schema) {
	if schema == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		fields := schema.named(len(value))
		for name, field := range value {
			child, _ := fields.field(name)
			if isNonNullableNull(field, child) && child.Default.isNone() {
				p.removed = append(p.removed, p.note(fieldStep(name)))
				delete(value, name)
				continue
			}
			mark := len(p.open)
			p.value(field, child)
			p.back(mark, fieldStep(name))
		}
	case []any:
		for i, element := range value {
			mark := len(p.open)
			p.value(element, schema.Items)
			p.back(mark, elementStep(i))
		}
	}
}
