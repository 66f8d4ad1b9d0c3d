package dryrun

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// change changes an object and reports whether it did.
type change func(object map[string]any) bool

// changes returns the changes that may fix an error in the innermost of some nodes: its
// optional fields removed or added, other values for them, then the value itself removed,
// then its parents.
func (r *repairer) changes(nodes []locate.Followed) []change {
	var out []change
	for i := len(nodes) - 1; i >= 0; i-- {
		node := nodes[i]
		path := node.Object
		fields := r.fieldsOf(node.Schema)
		if i == len(nodes)-1 || i == len(nodes)-2 {
			literals := literalsOf(node.Schema.XValidations)
			for _, p := range fields {
				for _, value := range otherValues(p.Schema, literals) {
					out = append(out, set(path, p.Name, value))
				}
			}
			optional := slices.DeleteFunc(slices.Clone(fields),
				func(p structural.Property) bool { return node.Schema.Requires(p.Name) })
			if r.full {
				out = append(out, absent(path, optional)...)
			}
			for _, p := range fields {
				out = append(out, present(path, p))
			}
			if !r.full {
				out = append(out, absent(path, optional)...)
			}
			out = append(out, pairs(path, fields, optional)...)
			if i == 0 {
				for _, literal := range literals {
					out = append(out, func(o map[string]any) bool {
						o["metadata"].(map[string]any)["name"] = literal
						return true
					})
				}
			}
		}
		if i > 0 {
			parent := nodes[i-1]
			step := stepOf(parent.Object, path)
			for _, value := range otherValues(node.Schema, literalsOf(node.Schema.XValidations)) {
				out = append(out, set(parent.Object, step, value))
			}
			if !parent.Schema.Requires(step) {
				out = append(out, set(parent.Object, step, nil))
			}
		}
	}
	return out
}

// stepOf returns the name of a value in its parent.
func stepOf(parent, path string) string {
	step := strings.TrimPrefix(strings.TrimPrefix(path, parent), ".")
	return strings.TrimSuffix(strings.TrimPrefix(step, "["), "]")
}

// fieldsOf returns the properties that may be changed.
func (r *repairer) fieldsOf(s *structural.Schema) []structural.Property {
	var out []structural.Property
	for _, p := range s.Properties {
		if s != r.kind.schema || p.Name != "apiVersion" && p.Name != "kind" && p.Name != "metadata" && (p.Name != "status" || !r.server.HasStatus()) {
			out = append(out, p)
		}
	}
	return out
}

// literalText matches string literals in a rule, raw strings first.
var literalText = lazyregexp.New(`r'([^']*)'|r"([^"]*)"|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)

// literalsOf returns the string literals in rules, which values may have to equal, and
// texts that match them as patterns.
func literalsOf(rules []structural.Rule) []string {
	var out []string
	add := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, rule := range rules {
		for _, m := range literalText().FindAllStringSubmatch(rule.Rule, -1) {
			text := m[1] + m[2] + strings.ReplaceAll(m[3]+m[4], `\\`, `\`)
			if made, ok := unions.TextMatching(text); ok && made != "" {
				add(made)
			}
			add(text)
		}
	}
	return out
}

// absent returns changes that each remove one of the fields.
func absent(path string, fields []structural.Property) []change {
	var out []change
	for _, p := range fields {
		out = append(out, set(path, p.Name, nil))
	}
	return out
}

// present returns the change that adds a field.
func present(path string, p structural.Property) change {
	return func(object map[string]any) bool {
		parent, ok := valueAt(object, path).(map[string]any)
		if !ok || parent[p.Name] != nil {
			return false
		}
		parent[p.Name] = unions.Sample(p.Schema, false)
		return true
	}
}

// pairs returns changes that each replace one of the fields with another one.
func pairs(path string, fields, optional []structural.Property) []change {
	const few = 12
	if len(fields) > few {
		return nil
	}
	var out []change
	for _, away := range absent(path, optional) {
		for _, p := range fields {
			there := present(path, p)
			out = append(out, func(object map[string]any) bool { return there(object) && away(object) })
		}
	}
	return out
}

// otherValues returns alternative scalars for a value.
func otherValues(s *structural.Schema, literals []string) []any {
	var out []any
	switch s.Type {
	case "boolean":
		return []any{false, true}
	case "integer":
		return []any{int64(0), int64(1), int64(2), int64(10), int64(60), int64(100), int64(1000), int64(8080)}
	case "string":
		if s.ValueValidation != nil {
			for _, raw := range s.Enum {
				if text := strings.Trim(string(raw.Raw), `"`); text != "null" {
					out = append(out, text)
				}
			}
		}
		if len(out) > 0 {
			return out
		}
		for _, literal := range append(slices.Clone(literals), "example.com", "https://example.com", "192.0.2.1", "2001:db8::1", "10.0.0.0/16", "1", "a", "/a", "1h", "") {
			out = append(out, literal)
		}
	case "array":
		return []any{unions.Sample(s, true), []any{}}
	case "object":
		return []any{unions.Sample(s, true)}
	}
	return out
}

// set returns the change of a value in its parent, which removes it if the new value is nil.
func set(parent, step string, value any) change {
	return func(object map[string]any) bool {
		switch p := valueAt(object, parent).(type) {
		case map[string]any:
			old, ok := p[step]
			isHead := parent == "" && (step == "metadata" || step == "kind" || step == "apiVersion")
			if !ok || isHead || reflect.DeepEqual(old, value) {
				return false
			}
			p[step] = value
			if value == nil {
				delete(p, step)
			}
			return true
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(p) || value == nil {
				return false
			}
			p[i] = value
			return true
		}
		return false
	}
}

// valueAt returns the value at a path as printed by the server, or nil.
func valueAt(object map[string]any, path string) any {
	steps, _ := locate.Steps(object, path)
	value, _ := locate.ValueAt(object, steps)
	return value
}
