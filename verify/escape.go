package verify

import (
	"slices"
	"strconv"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/structural"
)

// This file finds names of properties that a CEL expression has to escape: CEL reserves words, and its identifiers
// have neither - nor other punctuation.

// receiver matches what may be between the position of an error and the name that is its cause, such as "(self.list[0]".
var receiver = lazyregexp.New(`^[(\w.\[\]\s]*$`)

// suggestEscape adds a hint, and a fix, to an error about an expression that has the name of a property as it is.
func (c *checks) suggestEscape(d *result, f apiserver.Finding) {
	match := celError().FindStringSubmatch(f.Detail)
	version, _, ok := splitSchemaPath(d.Path)
	if match == nil || !ok || version >= len(c.Schemas) {
		return
	}
	column, _ := strconv.Atoi(match[2]) // digits
	text := []rune(match[4])
	if column < 1 || column > len(text) {
		return
	}
	name := c.unescaped(version, match[4], len(string(text[:column-1])))
	if name == "" {
		return
	}
	escaped, ok := celtext.Name(name)
	if !ok {
		d.Hint = "rules cannot refer to property " + name + " because of the characters of its name"
		return
	}
	d.Hint = "expressions have property " + name + " as " + escaped + ", as in self." + escaped
	d.Old = name
	d.Meant = escaped
}

// unescaped returns the property that is the cause of an error at an offset in a line, because its name is
// written as it is. Of several names that fit, it is the longest of the first ones. The error may be at the dot before
// the name, in the name, or where the macro has begins.
func (c *checks) unescaped(version int, line string, offset int) (name string) {
	first := len(line)
	for _, candidate := range c.escapable(version) {
		for i := range line[:max(0, len(line)-len(candidate))] {
			end := i + 1 + len(candidate)
			if line[i:end] != "."+candidate || end < len(line) && isIdentifier(line[end]) || end <= offset {
				continue
			}
			if i > offset && !receiver().MatchString(line[offset:i]) {
				break
			}
			if i < first || i == first && len(candidate) > len(name) {
				name = candidate
				first = i
			}
			break
		}
	}
	return name
}

func isIdentifier(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// escapable returns the names of the properties of a version that expressions cannot have as they are. Since
// Kubernetes 1.32, they may have most of the words that CEL reserves after a dot.
func (c *checks) escapable(version int) (names []string) {
	var walk func(s *structural.Schema)
	seen := map[*structural.Schema]bool{}
	walk = func(s *structural.Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		for _, p := range s.Properties {
			escaped, _ := celtext.Name(p.Name)
			isWord := escaped == "__"+p.Name+"__" && !slices.Contains([]string{"true", "false", "null", "in"}, p.Name)
			if escaped != p.Name && (!isWord || c.Before(32)) && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
			walk(p.Schema)
		}
		walk(s.Items)
		if s.AdditionalProperties != nil {
			walk(s.AdditionalProperties.Schema)
		}
	}
	walk(c.Schemas[version])
	return names
}
