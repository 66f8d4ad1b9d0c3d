package convertprove

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// difference is a place where two objects differ. Its pattern is the path with [] for keys of
// maps and indices of lists.
type difference struct{ path, pattern, a, b string }

// differences compares two objects of a version, except for what is documented to be lost.
func (s *subject) differences(side int, a, b map[string]any) (out []difference) {
	var visit func(a, b any, schema *structural.Schema, path, pattern string)
	visit = func(a, b any, schema *structural.Schema, path, pattern string) {
		if s.dropped(side, pattern) || reflect.DeepEqual(a, b) {
			return
		}
		switch x := a.(type) {
		case map[string]any:
			y, ok := b.(map[string]any)
			if !ok {
				break
			}
			both := maps.Clone(x)
			maps.Copy(both, y)
			for _, name := range slices.Sorted(maps.Keys(both)) {
				child, segment := property(schema, name)
				visit(x[name], y[name], child, path+"."+name, pattern+segment)
			}
			return
		case []any:
			y, ok := b.([]any)
			if !ok || len(x) != len(y) {
				break
			}
			for i := range x {
				visit(x[i], y[i], items(schema), path+"["+strconv.Itoa(i)+"]", pattern+"[]")
			}
			return
		}
		out = append(out, difference{path, pattern, text(a), text(b)})
	}
	visit(a, b, s.versions[side].schema, "", "")
	return out
}

// dropped reports whether the loss of what is at a path of a version is documented.
func (s *subject) dropped(side int, pattern string) bool {
	return slices.ContainsFunc(s.drops[side], func(drop string) bool { return pattern == drop || isBelow(pattern, drop) })
}

func isBelow(path, parent string) bool {
	rest, ok := strings.CutPrefix(path, parent)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// property returns the schema of a name in an object, and its part of a pattern: that of a key, if
// the object is a map.
func property(s *structural.Schema, name string) (*structural.Schema, string) {
	switch {
	case s == nil:
		return nil, "." + name
	case s.PropertyIndex(name) >= 0:
		child := s.Properties[s.PropertyIndex(name)].Schema
		if name == "metadata" && child != nil && len(child.Properties) == 0 {
			child = nil // the server knows its fields
		}
		return child, "." + name
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties.Schema, "[]"
	case len(s.Properties) == 0:
		return s, "[]" // of no schema
	}
	return nil, "." + name
}

func items(s *structural.Schema) *structural.Schema {
	if s == nil {
		return nil
	}
	return s.Items
}

// pattern returns the pattern of a path in an object, as the server writes it: a.b[0].key.c or
// a.b[0][key].c. Keys may have dots.
func (v *version) pattern(object map[string]any, path string) string {
	var out strings.Builder
	schema := v.schema
	steps, _ := locate.Steps(object, path)
	for _, step := range steps {
		segment := "[]"
		if step.Index >= 0 {
			schema = items(schema)
		} else {
			schema, segment = property(schema, step.Field)
		}
		out.WriteString(segment)
	}
	return out.String()
}
