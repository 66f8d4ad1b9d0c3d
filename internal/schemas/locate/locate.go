package locate

import (
	"go/token"
	"strconv"
	"strings"
	"sync"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// Positions follows a path below a schema as printed by the API server, for example
// ".properties[spec].items.x-kubernetes-validations[0].rule". It returns the
// positions along the path, outermost first: those of the nodes, then that of the
// keyword. It stops where the schema ends. A [Locator] finds many paths faster.
func Positions(s *structural.Schema, path string) []token.Pos { return (*Locator)(nil).Locate(s, path) }

// Locator finds positions for many paths below the same schemas: it remembers properties by name, so that
// a path takes the same time whether an object has ten fields or ten thousand. The schemas must not change.
// The zero value is ready for use, also by several goroutines.
type Locator struct {
	mu     sync.Mutex
	byName map[*structural.Schema]map[string]*structural.Schema
}

// manyProperties is the number of properties from which a map finds one faster than a scan.
const manyProperties = 16

// Property returns the property of a schema with a name, or nil.
func (l *Locator) Property(s *structural.Schema, name string) *structural.Schema {
	if s == nil {
		return nil
	}
	if l == nil || len(s.Properties) < manyProperties {
		return s.Property(name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.byName[s]
	if !ok {
		if l.byName == nil {
			l.byName = map[*structural.Schema]map[string]*structural.Schema{}
		}
		known = make(map[string]*structural.Schema, len(s.Properties))
		for _, p := range s.Properties {
			known[p.Name] = p.Schema
		}
		l.byName[s] = known
	}
	return known[name]
}

// Locate is [Positions].
func (l *Locator) Locate(schema *structural.Schema, path string) []token.Pos {
	places := []token.Pos{schema.Origin.Pos}
	var parent *structural.Schema
	for {
		child, rest := l.step(schema, path)
		if child == nil {
			break
		}
		parent = schema
		schema = child
		path = rest
		places = append(places, schema.Origin.Pos)
	}
	if keyword := firstStep(path); keyword != "" {
		index := 0
		if rest, ok := strings.CutPrefix(path, "."+keyword+"["); ok {
			number, _, _ := strings.Cut(rest, "]")
			index, _ = strconv.Atoi(number) // the server prints numbers
		}
		if keyword == "x-kubernetes-map-type" && parent != nil && schema == parent.Items && parent.XListType != "" {
			// The server requires it because of the list type.
			return append(places, parent.Origin.Of("x-kubernetes-list-type"))
		}
		places = append(places, nth(schema.Origin, keyword, index))
	}
	return places
}

// Innermost returns the innermost node on a path below a schema as printed by the
// API server.
func Innermost(s *structural.Schema, path string) *structural.Schema {
	for {
		child, rest := (*Locator)(nil).step(s, path)
		if child == nil {
			return s
		}
		s = child
		path = rest
	}
}

// step takes the first step of a path, which leads to a child. It returns nil if
// the step leads elsewhere. Names of properties may contain brackets and dots.
func (l *Locator) step(schema *structural.Schema, path string) (child *structural.Schema, rest string) {
	if rest, ok := strings.CutPrefix(path, ".properties["); ok {
		if name, tail, closed := strings.Cut(rest, "]"); closed && isStepEnd(tail) {
			if child := l.Property(schema, name); child != nil {
				return child, tail
			}
		}
		if strings.Count(rest, "]") == 1 {
			return nil, path
		}
		for _, p := range schema.Properties {
			if !strings.Contains(p.Name, "]") {
				continue
			}
			if tail, ok := strings.CutPrefix(rest, p.Name+"]"); ok && isStepEnd(tail) {
				return p.Schema, tail
			}
		}
		return nil, path
	}
	if rest, ok := strings.CutPrefix(path, ".items"); ok && isStepEnd(rest) {
		return schema.Items, rest
	}
	if rest, ok := strings.CutPrefix(path, ".additionalProperties"); ok && isStepEnd(rest) && schema.AdditionalProperties != nil {
		return schema.AdditionalProperties.Schema, rest
	}
	return nil, path
}

func isStepEnd(rest string) bool { return rest == "" || rest[0] == '.' || rest[0] == '[' }

// firstStep returns the keyword at the beginning of a path.
func firstStep(path string) string {
	path = strings.TrimPrefix(path, ".")
	if i := strings.IndexAny(path, ".["); i >= 0 {
		path = path[:i]
	}
	return path
}

// nth returns the position of the n-th rule or list key, or that of another keyword.
func nth(o structural.Origin, keyword string, n int) token.Pos {
	if keyword != keywords.Rules && keyword != "x-kubernetes-list-map-keys" {
		return o.Of(keyword)
	}
	for _, k := range o.Keywords {
		if k.Keyword != keyword {
			continue
		}
		if n == 0 {
			return k.Pos
		}
		n--
	}
	return o.Of(keyword)
}

// Value returns the schema of a value of an object, or nil if the value is not specified.
func Value(s *structural.Schema, steps []structural.Step) *structural.Schema {
	for _, step := range steps {
		s = (*Locator)(nil).Value(s, step)
	}
	return s
}

// Value returns the schema of a field or element of a value with the schema s, or nil if it is not specified.
func (l *Locator) Value(s *structural.Schema, step structural.Step) *structural.Schema {
	if s == nil {
		return nil
	}
	if step.Index >= 0 {
		return s.Items
	}
	if p := l.Property(s, step.Field); p != nil {
		return p
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema
	}
	return nil
}

// FieldNames returns the names of the properties.
func FieldNames(s *structural.Schema) []string {
	if s == nil {
		return nil
	}
	var out []string
	for _, p := range s.Properties {
		out = append(out, p.Name)
	}
	return out
}

// Followed is a node on the path to a value.
type Followed struct {
	Schema *structural.Schema
	// Path is the path of the node below the schema, as printed by the API
	// server: ".properties[spec].items".
	Path string
	// Object is the prefix of the value's path that leads to the node's value.
	Object string
}

// Follow returns the nodes on the path to a value of an object, outermost first
// and at least the schema itself. The path is the value's, as the API server prints it:
// "spec.list[0].name". Follow stops where the schema ends. If names contain dots or brackets, the
// longest match is used.
func Follow(s *structural.Schema, path string) []Followed {
	out := []Followed{{Schema: s}}
	for whole := path; path != ""; {
		last := out[len(out)-1]
		next, rest := follow(last.Schema, path)
		if next == nil {
			break
		}
		next.Path = last.Path + next.Path
		next.Object = whole[:len(whole)-len(rest)]
		out = append(out, *next)
		path = rest
	}
	return out
}

// follow takes the first step of a path.
func follow(schema *structural.Schema, path string) (*Followed, string) {
	if inside, ok := strings.CutPrefix(path, "["); ok {
		name, rest, closed := strings.Cut(inside, "]")
		switch a := schema.AdditionalProperties; {
		case !closed:
			return nil, ""
		case schema.Items != nil:
			return &Followed{Schema: schema.Items, Path: ".items"}, rest
		case schema.Property(name) != nil:
			return &Followed{Schema: schema.Property(name), Path: ".properties[" + name + "]"}, rest
		case a != nil && a.Schema != nil:
			return &Followed{Schema: a.Schema, Path: ".additionalProperties"}, rest
		}
		return nil, ""
	}
	path = strings.TrimPrefix(path, ".")
	var longest *structural.Property
	for i, p := range schema.Properties {
		rest, ok := strings.CutPrefix(path, p.Name)
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') && (longest == nil || len(p.Name) > len(longest.Name)) {
			longest = &schema.Properties[i]
		}
	}
	if longest != nil {
		return &Followed{Schema: longest.Schema, Path: ".properties[" + longest.Name + "]"}, path[len(longest.Name):]
	}
	if a := schema.AdditionalProperties; a != nil && a.Schema != nil {
		if end := strings.IndexAny(path, ".["); end >= 0 {
			return &Followed{Schema: a.Schema, Path: ".additionalProperties"}, path[end:]
		}
		return &Followed{Schema: a.Schema, Path: ".additionalProperties"}, ""
	}
	return nil, ""
}
