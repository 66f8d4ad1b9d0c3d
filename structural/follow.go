package structural

import "strings"

// At returns the schema of a value of an object, nil where nothing specifies it.
func (s *Schema) At(steps []Step) *Schema {
	for _, step := range steps {
		switch {
		case s == nil:
			return nil
		case step.Index >= 0:
			s = s.Items
		default:
			s, _ = s.field(step.Field)
		}
	}
	return s
}

// FieldNames are the names of the properties.
func (s *Schema) FieldNames() []string {
	if s == nil {
		return nil
	}
	var out []string
	for _, p := range s.Properties {
		out = append(out, p.Name)
	}
	return out
}

// Followed is a node on the way of a value.
type Followed struct {
	Schema *Schema
	// Path is the node's below the schema, as the API server prints it:
	// ".properties[spec].items".
	Path string
	// Object is the part of the value's path that leads to the node's value.
	Object string
}

// Follow returns the nodes on the way to a value of an object, outermost first and
// at least the schema itself, by the path of the value as the API server prints
// it: "spec.list[0].name". It stops where the schema does. Where names have dots
// or brackets, the longest one that fits is taken.
func (s *Schema) Follow(path string) []Followed {
	out := []Followed{{Schema: s}}
	for whole := path; path != ""; {
		last := out[len(out)-1]
		next, rest := last.Schema.follow(path)
		if next == nil {
			break
		}
		next.Path, next.Object = last.Path+next.Path, whole[:len(whole)-len(rest)]
		out, path = append(out, *next), rest
	}
	return out
}

// follow takes one step.
func (s *Schema) follow(path string) (*Followed, string) {
	if inside, ok := strings.CutPrefix(path, "["); ok {
		name, rest, closed := strings.Cut(inside, "]")
		switch a := s.AdditionalProperties; {
		case !closed:
			return nil, ""
		case s.Items != nil:
			return &Followed{Schema: s.Items, Path: ".items"}, rest
		case s.property(name) != nil:
			return &Followed{Schema: s.property(name), Path: ".properties[" + name + "]"}, rest
		case a != nil && a.Schema != nil:
			return &Followed{Schema: a.Schema, Path: ".additionalProperties"}, rest
		}
		return nil, ""
	}
	path = strings.TrimPrefix(path, ".")
	var longest *Property
	for i, p := range s.Properties {
		rest, ok := strings.CutPrefix(path, p.Name)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') && (longest == nil || len(p.Name) > len(longest.Name)) {
			longest = &s.Properties[i]
		}
	}
	if longest != nil {
		return &Followed{Schema: longest.Schema, Path: ".properties[" + longest.Name + "]"}, path[len(longest.Name):]
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		if end := strings.IndexAny(path, ".["); end >= 0 {
			return &Followed{Schema: a.Schema, Path: ".additionalProperties"}, path[end:]
		}
		return &Followed{Schema: a.Schema, Path: ".additionalProperties"}, ""
	}
	return nil, ""
}
