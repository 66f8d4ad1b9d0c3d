// Package schemapath writes paths of parts of definitions as people do.
package schemapath

import "strings"

// Short returns the path of a part of a definition in a form that people write: the
// fields of an object, and what the schema of the last one is rejected for. For
//
//	spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[items].items.properties[name].maxLength
//
// it returns "spec.items[].name maxLength". Other paths are returned unchanged.
func Short(path string) string {
	const schema = "openAPIV3Schema"
	i := strings.Index(path, schema)
	if i < 0 {
		return path
	}
	rest := path[i+len(schema):]
	var object strings.Builder
	for rest != "" {
		step, tail := nextStep(rest)
		name, inBrackets, hasName := strings.Cut(step, "[")
		inBrackets = strings.TrimSuffix(inBrackets, "]")
		switch {
		case name == ".properties" && hasName:
			if object.Len() > 0 {
				object.WriteByte('.')
			}
			object.WriteString(inBrackets)
		case step == ".items":
			object.WriteString("[]")
		case step == ".additionalProperties":
			object.WriteString("{}")
		default:
			return strings.TrimSpace(object.String() + " " + strings.TrimPrefix(rest, "."))
		}
		rest = tail
	}
	if object.Len() == 0 {
		return "the root of the schema"
	}
	return object.String()
}

// nextStep splits a path after its first step: a name after a dot, and what follows it in
// brackets.
func nextStep(path string) (step, rest string) {
	for i := 1; i < len(path); i++ {
		switch path[i] {
		case '.':
			return path[:i], path[i:]
		case '[':
			if end := strings.IndexByte(path[i:], ']'); end >= 0 {
				return path[:i+end+1], path[i+end+1:]
			}
			return path, ""
		}
	}
	return path, ""
}
