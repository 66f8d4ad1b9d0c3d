package rules

import (
	"iter"
	"maps"
	"reflect"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// part is a part of a value that a rule reads, or one that has such parts.
type part struct {
	step     string
	schema   *structural.Schema
	children []*part
	// optional is set for a property that an object need not have, and for the elements of a list
	// or a map that may be empty.
	optional bool
	// choices are the values of a part without children; of others, the only one is what surrounds
	// the children.
	choices []any
	// counted are the unions of the schema of which a sample has set a member.
	counted []unions.Union
}

// maxChoices bounds the values of a part.
const maxChoices = 10

// partsOf returns the parts of self or oldSelf that a rule reads.
func (a *Analysis) partsOf(variable string, s *structural.Schema) *part {
	root := &part{step: variable, schema: s}
	for _, r := range a.Known {
		if r.Steps[0] == variable {
			root.add(r.Steps[1:])
		}
	}
	root.choose(a)
	return root
}

func (p *part) add(steps []string) {
	if len(steps) == 0 {
		return
	}
	child := p.child(steps[0])
	if child == nil {
		child = newPart(p.schema, steps[0])
		if child == nil {
			return
		}
		p.children = append(p.children, child)
	}
	child.add(steps[1:])
}

// addUnread adds a property that the rule does not read, if there is one.
func (p *part) addUnread(a *Analysis) {
	for _, property := range p.schema.Properties {
		isMeta := slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, property.Name)
		if !isMeta && p.child(property.Name) == nil && property.Schema != nil && !p.schema.Requires(property.Name) {
			p.add([]string{property.Name})
			p.child(property.Name).choose(a)
			return
		}
	}
}

func (p *part) child(step string) *part {
	for _, c := range p.children {
		if c.step == step {
			return c
		}
	}
	return nil
}

// find returns the part to which steps lead, with the parts on the way.
func (p *part) find(steps []string) []*part {
	var out []*part
	for _, step := range steps {
		p = p.child(step)
		if p == nil {
			return nil
		}
		out = append(out, p)
	}
	return out
}

// newPart returns the part of a schema to which a step leads, or nil if there is none.
func newPart(s *structural.Schema, step string) *part {
	switch {
	case step != element:
		if child := s.Property(step); child != nil {
			return &part{step: step, schema: child, optional: !s.Requires(step) && !isDefaulted(child)}
		}
	case s.Items != nil:
		mayBeEmpty := s.ValueValidation == nil || s.MinItems == nil || *s.MinItems == 0
		return &part{step: step, schema: s.Items, optional: mayBeEmpty}
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return &part{step: step, schema: s.AdditionalProperties.Schema, optional: true}
	}
	return nil
}

// choose sets the choices of all parts.
func (p *part) choose(a *Analysis) {
	for _, c := range p.children {
		c.choose(a)
	}
	if p.schema == nil {
		return
	}
	p.choices = []any{unions.Sample(p.schema, false)}
	if len(p.children) > 0 {
		p.counted = unions.Counted(p.schema)
		return
	}
	if v := p.schema.ValueValidation; v != nil {
		for _, allowed := range v.Enum {
			var value any
			if utiljson.Unmarshal(allowed.Raw, &value) == nil {
				p.choice(value)
			}
		}
	}
	for _, text := range a.Strings {
		p.choice(text)
		p.choice(text + "x")
	}
	for _, n := range a.Numbers {
		p.choice(int64(n))
		p.choice(int64(n) + 1)
		p.choice(int64(n) - 1)
	}
	p.choice(zero(p.schema, 0))
	p.choice(true)
	p.choice("b")
	p.choice(int64(2))
	if value := larger(p.schema); value != nil {
		p.choice(value)
	}
}

// larger returns a value with an element or an optional field more than the schema requires; nil
// if there is none.
func larger(s *structural.Schema) any {
	switch value := unions.Sample(s, false).(type) {
	case []any:
		if s.Items != nil {
			return append(value, unions.Sample(s.Items, false))
		}
	case map[string]any:
		for _, p := range s.Properties {
			if _, ok := value[p.Name]; !ok && p.Schema != nil {
				value[p.Name] = unions.Sample(p.Schema, false)
				return value
			}
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			value[entryName] = unions.Sample(a.Schema, false)
			return value
		}
	}
	return nil
}

// covering returns a schema without rules, and without the properties that none of the values has
// and that have no default: the server's evaluation converts what the schema describes, however
// little of it a value has.
func covering(s *structural.Schema, values []any) *structural.Schema {
	if s == nil {
		return nil
	}
	out := *s
	out.XValidations = nil
	out.Properties = nil
	var elements, entries []any
	for _, value := range values {
		switch value := value.(type) {
		case []any:
			elements = append(elements, value...)
		case map[string]any:
			entries = append(entries, value)
		}
	}
	out.Items = covering(s.Items, elements)
	for _, p := range s.Properties {
		var below []any
		for _, entry := range entries {
			if value, ok := entry.(map[string]any)[p.Name]; ok {
				below = append(below, value)
			}
		}
		switch {
		case len(below) > 0:
			covered := structural.Property{Name: p.Name, Schema: covering(p.Schema, below)}
			out.Properties = append(out.Properties, covered)
		case isDefaulted(p.Schema):
			out.Properties = append(out.Properties, p)
		}
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		var below []any
		for _, entry := range entries {
			for _, value := range entry.(map[string]any) {
				below = append(below, value)
			}
		}
		out.AdditionalProperties = &structural.SchemaOrBool{Bool: a.Bool, Schema: covering(a.Schema, below)}
	}
	return &out
}

// choice adds a value that the schema accepts.
func (p *part) choice(value any) {
	_, isText := value.(string)
	isOther := slices.Contains([]string{"integer", "boolean", "array", "object"}, p.schema.Type)
	if len(p.choices) >= maxChoices || isText && isOther {
		return
	}
	text, err := plainjson.Marshal(value)
	if err != nil || contradictions.Refusal(p.schema, structural.JSON{Raw: text}) != "" {
		return
	}
	if !slices.ContainsFunc(p.choices, func(known any) bool { return reflect.DeepEqual(known, value) }) {
		p.choices = append(p.choices, value)
	}
}

// zero returns Go's zero value of a field without omitempty.
func zero(s *structural.Schema, depth int) any {
	switch s.Type {
	case "string":
		return ""
	case "integer", "number":
		return int64(0)
	case "boolean":
		return false
	case "array":
		return []any{}
	}
	out := map[string]any{}
	for _, p := range s.Properties {
		if depth < 3 && p.Schema != nil && s.Requires(p.Name) {
			out[p.Name] = zero(p.Schema, depth+1)
		}
	}
	if s.XIntOrString {
		return int64(0)
	}
	return out
}

// absent is the choice of an optional part that an object does not have.
const absent = -1

// assignment is the choice of each part; the first one where there is none.
type assignment map[*part]int

// build returns a value of a part, which shares what has no children with other values. override is
// the value of a part, whatever its choice is.
func (p *part) build(chosen assignment, override map[*part]any) any {
	if value, ok := override[p]; ok {
		return value
	}
	if len(p.children) == 0 {
		return p.choices[max(0, chosen[p])]
	}
	value := p.choices[0]
	if object, ok := value.(map[string]any); ok {
		value = maps.Clone(object)
	}
	for _, c := range p.children {
		_, isOverridden := override[c]
		isAbsent := chosen[c] == absent && !isOverridden
		switch {
		case c.step == element && p.schema.Items != nil:
			list, _ := value.([]any)
			if len(list) > 0 {
				list = list[1:]
			}
			if !isAbsent {
				list = append([]any{c.build(chosen, override)}, list...)
			}
			value = slices.Clip(append([]any{}, list...))
		case isAbsent:
			if object, ok := value.(map[string]any); ok {
				delete(object, c.step)
			}
		default:
			object, ok := value.(map[string]any)
			if !ok {
				object = map[string]any{}
				value = object
			}
			name := c.step
			if name == element {
				name = entryName
			}
			object[name] = c.build(chosen, override)
			leaveOut(object, p.counted, name, func(other string) bool { return p.child(other) != nil })
		}
	}
	return value
}

// leaveOut removes the other members of the unions of which a field is a member, except those to keep.
func leaveOut(object map[string]any, counted []unions.Union, field string, keep func(string) bool) {
	for _, u := range counted {
		if !slices.ContainsFunc(u.Members, func(m unions.Member) bool { return m.Name == field }) {
			continue
		}
		for _, m := range u.Members {
			if m.Name != field && !keep(m.Name) {
				delete(object, m.Name)
			}
		}
	}
}

// all returns the parts of roots that have choices, in order. Roots may be nil.
func all(roots ...*part) []*part {
	var out []*part
	for _, root := range roots {
		if root == nil {
			continue
		}
		if len(root.children) == 0 {
			out = append(out, root)
		}
		out = append(out, root.below()...)
	}
	return out
}

// below returns the parts of a part, in order.
func (p *part) below() []*part {
	var out []*part
	for _, c := range p.children {
		out = append(append(out, c), c.below()...)
	}
	return out
}

// options returns the choices of a part, besides the first one.
func (p *part) options() []int {
	var out []int
	if p.optional {
		out = append(out, absent)
	}
	for i := range p.choices {
		out = append(out, i)
	}
	return out
}

// assignments yields choices of parts, those first that differ least from one without, and from
// one with, all optional parts. The choices of fixed parts do not change.
func assignments(parts []*part, fixed assignment) iter.Seq[assignment] {
	return func(yield func(assignment) bool) {
		var vary func(base assignment, from, changes int) bool
		vary = func(base assignment, from, changes int) bool {
			if changes == 0 {
				return yield(base)
			}
			for i := from; i < len(parts); i++ {
				p := parts[i]
				before := base[p]
				if _, isFixed := fixed[p]; isFixed {
					continue
				}
				for _, option := range p.options() {
					if option == before {
						continue
					}
					base[p] = option
					if !vary(base, i+1, changes-1) {
						return false
					}
				}
				base[p] = before
			}
			return true
		}
		for changes := range 4 {
			for _, base := range []assignment{without(parts), {}} {
				for p, choice := range fixed {
					base[p] = choice
				}
				if !vary(base, 0, changes) {
					return
				}
			}
		}
	}
}

// without returns the assignment in which all optional parts are absent.
func without(parts []*part) assignment {
	out := assignment{}
	for _, p := range parts {
		if p.optional {
			out[p] = absent
		}
	}
	return out
}
