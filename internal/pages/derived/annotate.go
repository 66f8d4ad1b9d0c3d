package derived

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// object is a decoded JSON object.
type object = map[string]any

// annotator compares a derived schema with its source and writes down where each part comes
// from.
type annotator struct {
	// position returns the position of a path below the schema, or "".
	position func(path string) string
	// added explains a keyword or a property that the source does not have, and dropped one
	// that only the source has. path leads to the node.
	added   func(source object, keyword string) string
	dropped func(path, keyword string) string
}

// inner returns the keywords that hold schemas, which are written after all others.
func inner() []string {
	return []string{"not", "allOf", "anyOf", "oneOf", "additionalItems", "items", "additionalProperties", "patternProperties", "properties"}
}

// keysOf returns the keywords of a schema in the order in which they are written.
func keysOf(s object) []string {
	keys := slices.Collect(maps.Keys(s))
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(inner(), a), slices.Index(inner(), b)), cmp.Compare(a, b))
	})
	return keys
}

// schema returns the node of a derived schema at a path. source is nil if the whole schema was
// added, which is said where it begins.
func (a *annotator) schema(s, source object, path string) *node {
	out := &node{}
	if source != nil {
		out.notes = a.lost(s, source, path)
	}
	for _, key := range keysOf(s) {
		m := member{key: key}
		old, had := source[key]
		if source != nil && !had {
			m.comment = a.added(source, key)
		}
		switch v := s[key].(type) {
		case object:
			m.schema = a.below(key, v, old, source, path)
			if m.schema != nil && had && key != "properties" && key != "patternProperties" {
				m.comment = a.position(path + "." + key)
			}
		case []any:
			m.schema = a.elements(key, v, old, path)
			if m.schema != nil {
				m.list = true
			}
		}
		if m.schema == nil {
			m.text = value(s[key])
			if had && !reflect.DeepEqual(old, s[key]) {
				m.comment = "changed from " + value(old) + ": " + a.added(source, key)
			}
		}
		out.members = append(out.members, m)
	}
	return out
}

// lost returns the comments about what the source has and the derived schema has not.
func (a *annotator) lost(s, source object, path string) []string {
	byReason := map[string][]string{}
	var reasons []string
	for _, key := range keysOf(source) {
		if _, kept := s[key]; kept {
			continue
		}
		reason := a.dropped(path, key)
		if byReason[reason] == nil {
			reasons = append(reasons, reason)
		}
		byReason[reason] = append(byReason[reason], key)
	}
	var out []string
	for _, reason := range reasons {
		keys := byReason[reason]
		places := a.position(path + "." + keys[0])
		out = append(out, strings.TrimSuffix(fmt.Sprintf("left out: %s: %s, %s", strings.Join(keys, ", "), reason, places), ", "))
	}
	return out
}

// below returns the node of the value of a keyword that is an object, or nil if it holds no
// schema.
func (a *annotator) below(key string, v object, previous any, source object, path string) *node {
	old, _ := previous.(object)
	switch key {
	case "properties", "patternProperties":
		out := &node{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			child, _ := v[name].(object)
			location := fmt.Sprintf("%s.%s[%s]", path, key, name)
			was, known := old[name].(object)
			m := member{key: name, schema: a.schema(child, was, location)}
			switch {
			case known:
				m.comment = a.position(location)
			case source != nil && previous != nil:
				m.comment = a.added(source, name)
			}
			out.members = append(out.members, m)
		}
		for _, name := range slices.Sorted(maps.Keys(old)) {
			if _, kept := v[name]; !kept {
				out.notes = append(out.notes, "left out: "+name+": "+a.dropped(path+"."+key+"["+name+"]", name))
			}
		}
		return out
	case "items", "additionalProperties", "additionalItems", "not":
		return a.schema(v, old, path+"."+key)
	}
	return nil
}

// elements returns the node of a list of schemas, or nil if the keyword holds something else.
func (a *annotator) elements(key string, list []any, previous any, path string) *node {
	if !slices.Contains(inner(), key) {
		return nil
	}
	old, _ := previous.([]any)
	out := &node{}
	for i, element := range list {
		schema, _ := element.(object)
		location := fmt.Sprintf("%s.%s[%d]", path, key, i)
		m := member{}
		var was object
		if i < len(old) && len(old) == len(list) {
			was, _ = old[i].(object)
			m.comment = a.position(location)
		}
		m.schema = a.schema(schema, was, location)
		out.members = append(out.members, m)
	}
	return out
}
