package verify

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/internal/lazyregexp"
)

// wrongType matches the server's message about a default whose type is not that of its schema.
var wrongType = lazyregexp.New(`^in body must be of type (\w+): "\w+"$`)

// defaultHint says what to write in place of a default of the wrong type: the server's message
// names the types alone.
func (c *checks) defaultHint(f apiserver.Finding) string {
	match := wrongType().FindStringSubmatch(strings.TrimSpace(f.Detail))
	if match == nil || len(f.Paths) == 0 {
		return ""
	}
	version, path, ok := splitSchemaPath(f.Paths[0])
	path, isDefault := strings.CutSuffix(path, ".default")
	if !ok || !isDefault || version >= len(c.Schemas) || c.Schemas[version] == nil {
		return ""
	}
	schema := c.Schemas[version].Innermost(path)
	if schema.Default == nil {
		return ""
	}
	given, want := string(schema.Default.Raw), match[1]
	var text string
	quoted := json.Unmarshal(schema.Default.Raw, &text) == nil
	switch {
	case quoted && isScalar(text, want):
		return fmt.Sprintf("the default is the string %s: write %s without quotes", given, text)
	case want == "string" && !quoted && !strings.ContainsAny(given, "[{"):
		return fmt.Sprintf("write %q, with quotes", given)
	case len(given) > 40:
		return ""
	}
	return fmt.Sprintf("the default is %s: write %s", given, map[string]string{
		"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object",
	}[want])
}

// isScalar reports whether a text is a value of a type.
func isScalar(text, name string) bool {
	var err error
	switch name {
	case "integer":
		_, err = strconv.ParseInt(text, 10, 64)
	case "number":
		_, err = strconv.ParseFloat(text, 64)
	case "boolean":
		return text == "true" || text == "false"
	default:
		return false
	}
	return err == nil
}
