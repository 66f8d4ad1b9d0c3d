package convertprove

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

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
				below, segment := property(schema, name)
				visit(x[name], y[name], below, path+"."+name, pattern+segment)
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

func isBelow(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// property returns the schema of a name in an object, and its part of a pattern: that of a key, if
// the object is a map.
func property(s *structural.Schema, name string) (*structural.Schema, string) {
	switch {
	case s == nil:
		return nil, "." + name
	case s.PropertyIndex(name) >= 0:
		below := s.Properties[s.PropertyIndex(name)].Schema
		if name == "metadata" && below != nil && len(below.Properties) == 0 {
			below = nil // the server knows its fields
		}
		return below, "." + name
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
	value, schema := any(object), v.schema
	for path != "" {
		switch list, isList := value.([]any); {
		case isList:
			var index string
			if strings.HasPrefix(path, "[") {
				index, path, _ = strings.Cut(path[1:], "]")
			} else {
				index, path = next(strings.TrimPrefix(path, "."))
			}
			value = nil
			if i, err := strconv.Atoi(index); err == nil && i < len(list) {
				value = list[i]
			}
			schema = items(schema)
			out.WriteString("[]")
		default:
			fields, _ := value.(map[string]any)
			var name, segment string
			name, path = key(fields, path)
			schema, segment = property(schema, name)
			value = fields[name]
			out.WriteString(segment)
		}
	}
	return out.String()
}

// key returns the longest name in an object with which a path begins, and the rest of the path.
func key(object map[string]any, path string) (name, rest string) {
	path, bracketed := strings.CutPrefix(path, "[")
	ends := func(rest string) bool { return rest == "" || rest[0] == '.' || rest[0] == '[' }
	if bracketed {
		ends = func(rest string) bool { return strings.HasPrefix(rest, "]") }
	} else {
		path = strings.TrimPrefix(path, ".")
	}
	found := false
	for _, of := range slices.Sorted(maps.Keys(object)) {
		if below, ok := strings.CutPrefix(path, of); ok && ends(below) && (!found || len(of) > len(name)) {
			name, rest, found = of, below, true
		}
	}
	switch {
	case !found && bracketed:
		name, rest, _ = strings.Cut(path, "]")
	case !found:
		return next(path)
	case bracketed:
		rest = rest[1:]
	}
	return name, rest
}

// next returns the first name of a path, and the rest.
func next(path string) (name, rest string) {
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end], path[end:]
	}
	return path, ""
}
