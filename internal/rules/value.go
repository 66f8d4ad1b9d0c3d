package rules

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/structural"
)

// value is what is known of the value of an expression.
type value struct {
	// schema is nil if it is not known.
	schema *structural.Schema
	place  Place
	// path identifies the value among all values that the rule reads; it is empty for results of
	// functions. text is the path as the rule writes it.
	path, text string
	// steps lead from "self" or "oldSelf" to the value: the JSON names of fields, and element.
	// They are nil if the value is not a part of them.
	steps []string
	// guards are the fields on the path that may be absent, as the rule writes them.
	guards []string
	// optional is set for a value of type optional.
	optional bool
	// empty is set for the literals [] and {}.
	empty bool
	// items is what is known of the elements of a list that the rule computes.
	items *value
	// filters are conditions that each element of a list satisfies.
	filters []filter
}

// element is the step from a list or a map to any of its values.
const element = "[]"

// filter is the condition of a macro filter.
type filter struct {
	variable  string
	condition ast.Expr
	scope     *scope
}

// scope has the variables of macros.
type scope struct {
	name  string
	value value
	outer *scope
}

func (s *scope) with(name string, v value) *scope { return &scope{name, v, s} }

func (s *scope) find(name string) (value, bool) {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s.value, true
		}
	}
	return value{}, false
}

// property returns the property that a rule reads by a name. Reserved words need no escape since
// Kubernetes 1.32.
func property(s *structural.Schema, name string) *structural.Property {
	for i := range s.Properties {
		if escaped, ok := celtext.Name(s.Properties[i].Name); ok && (escaped == name || s.Properties[i].Name == name) {
			return &s.Properties[i]
		}
	}
	return nil
}

// field returns a field of an object, and whether every object of its schema has it.
func (v value) field(name string) (out value, always, ok bool) {
	out = value{path: v.below("." + name), text: v.text + "." + name, optional: v.optional}
	switch {
	case v.schema == nil:
		return out, false, false
	case len(v.schema.Properties) == 0 && v.schema.AdditionalProperties != nil && v.schema.AdditionalProperties.Schema != nil:
		out.schema = v.schema.AdditionalProperties.Schema
		out.steps = v.step(element)
		out.guards = append(slices.Clip(v.guards), out.text)
		return out, false, true
	}
	if v.place == Root && name == "metadata" {
		out.place = metadata
	}
	p := property(v.schema, name)
	if p == nil {
		return v.metaField(name, out)
	}
	out.schema = p.Schema
	out.steps = v.step(p.Name)
	out.guards = v.guards
	isOfResource := v.place == Root && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name)
	always = isOfResource || v.schema.Requires(p.Name) || isDefaulted(p.Schema)
	if !always {
		out.guards = append(slices.Clip(v.guards), out.text)
	}
	return out, always, true
}

// isDefaulted reports whether the server adds a property where it is absent.
func isDefaulted(s *structural.Schema) bool {
	return s != nil && s.Default != nil && strings.TrimSpace(string(s.Default.Raw)) != "null"
}

// metaField returns a field that resources have, though their schemas need not have it.
func (v value) metaField(name string, out value) (value, bool, bool) {
	out.schema = &structural.Schema{Generic: structural.Generic{Type: "string"}}
	switch name {
	case "apiVersion", "kind":
		return out, true, v.place == Root || v.schema.XEmbeddedResource
	case "metadata":
		out.schema = &structural.Schema{Generic: structural.Generic{Type: "object"}}
		return out, v.place == Root, v.place == Root || v.schema.XEmbeddedResource
	case "name", "generateName":
		return out, name == "name" && v.place == metadata, strings.HasSuffix(v.path, ".metadata")
	}
	return out, false, false
}

// step returns the steps to a part of the value.
func (v value) step(name string) []string {
	if v.steps == nil {
		return nil
	}
	return append(slices.Clip(v.steps), name)
}

// below returns the path of a part of the value.
func (v value) below(suffix string) string {
	if v.path == "" {
		return ""
	}
	return v.path + suffix
}

// element returns any element of a list or a map.
func (v value) element(path string) value {
	out := value{path: path, text: path, steps: v.step(element), guards: nil}
	switch {
	case v.items != nil:
		out = *v.items
		out.path = path
	case v.schema == nil:
	case v.schema.Items != nil:
		out.schema = v.schema.Items
	case v.schema.AdditionalProperties != nil:
		out.schema = v.schema.AdditionalProperties.Schema
	}
	return out
}

// isMap reports whether the value is known to be a map.
func (v value) isMap() bool {
	return v.schema != nil && v.schema.Type == "object"
}

// merged returns what is known of a value that is one of two.
func merged(a, b value) value {
	switch {
	case a.empty:
		a, b = b, a
	case b.empty:
	case a.schema != b.schema || a.optional != b.optional:
		return value{}
	case a.path == b.path:
		return a
	}
	out := value{schema: a.schema, optional: a.optional, items: a.items, steps: a.steps}
	if b.empty { // an empty list has no element that does not satisfy the conditions
		out.filters = a.filters
		out.empty = a.empty
	}
	return out
}
