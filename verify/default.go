package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// wrongType matches the server's message about a value in a default whose type its schema does not
// allow.
var wrongType = lazyregexp.New(`in body must be of type (\w+): "\w+"$`)

// defaultHint says what to write in place of a value of the wrong type in a default: the server's
// message names the types alone.
func (c *checks) defaultHint(f apiserver.Finding) string {
	match := wrongType().FindStringSubmatch(strings.TrimSpace(f.Detail))
	if match == nil || len(f.Paths) == 0 {
		return ""
	}
	version, path, ok := splitSchemaPath(f.Paths[0])
	if !ok || version >= len(c.Schemas) || c.Schemas[version] == nil {
		return ""
	}
	location, raw, found := valueInDefault(c.Schemas[version], path)
	if !found {
		return ""
	}
	given := string(raw)
	want := match[1]
	what := "the default"
	if location != "" {
		what = location + " in the default"
	}
	var text string
	quoted := given != "null" && json.Unmarshal(raw, &text) == nil
	scalar := ""
	if quoted {
		scalar = scalarOf(text, want)
	}
	switch {
	case scalar != "" && scalar == text:
		return fmt.Sprintf("%s is the string %s: write %s without quotes", what, given, text)
	case scalar != "":
		return fmt.Sprintf("%s is the string %s: write %s", what, given, scalar)
	case want == "string" && !quoted && !strings.ContainsAny(given, "[{") && given != "null":
		return fmt.Sprintf("%s is %s: write %q, with quotes", what, given, given)
	case len(given) > 40:
		return ""
	}
	hint := fmt.Sprintf("%s is %s: write %s", what, given, map[string]string{
		"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object",
	}[want])
	if given == "null" {
		hint += ", or leave it out"
	}
	return hint
}

// valueInDefault returns the value at a path below a schema that leads into a default, and the
// rest of the path, which is empty for the default itself.
func valueInDefault(root *structural.Schema, path string) (location string, value json.RawMessage, found bool) {
	const keyword = ".default"
	schema := locate.Innermost(root, path)
	if schema.Default == nil {
		return "", nil, false
	}
	for end := 0; ; end += len(keyword) { // names of properties may contain dots
		next := strings.Index(path[end:], keyword)
		if next < 0 {
			return "", nil, false
		}
		end += next
		if locate.Innermost(root, path[:end]) != schema {
			continue
		}
		rest := path[end+len(keyword):]
		value, found = valueAt(schema.Default.Raw, rest)
		if found {
			return strings.TrimPrefix(rest, "."), value, true
		}
	}
}

// valueAt returns the value at a path as the server prints it: .key and .[index]. Keys may
// contain dots.
func valueAt(value json.RawMessage, path string) (json.RawMessage, bool) {
	if path == "" {
		return value, true
	}
	path = strings.TrimPrefix(path, ".")
	var list []json.RawMessage
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		number, rest, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
		index, err := strconv.Atoi(number)
		if err != nil || index < 0 || index >= len(list) {
			return nil, false
		}
		return valueAt(list[index], rest)
	}
	if json.Unmarshal(value, &object) != nil {
		return nil, false
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		rest, ok := strings.CutPrefix(path, key)
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if found, ok := valueAt(object[key], rest); ok {
			return found, true
		}
	}
	return nil, false
}

// scalarOf returns the JSON of a number or boolean in a text, such as 1 for "+1", or "" if
// the text is not of the type.
func scalarOf(text, name string) string {
	switch name {
	case "integer":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
			return ""
		case json.Valid([]byte(text)):
			return text
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	case "boolean":
		if text == "true" || text == "false" {
			return text
		}
	}
	return ""
}
