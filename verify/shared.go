package verify

import (
	"bytes"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

// Definitions of generated types share most of their schemas: every use of a type is the same
// node in memory. This file leaves repeated nodes and regular expressions out of what the API
// server is asked, so that it validates each once.

// partial is a definition without the nodes that others, or other parts of it, contain.
type partial struct {
	schemas []*structural.Schema
	// relies are the indexes of the definitions with the nodes that were left out. The answer
	// holds for the complete definition if the server finds nothing in them.
	relies []int
}

// partials returns the definitions without repeated nodes, and nil for definitions that are to be
// verified as they are.
func partials(subjects []*crd.Definition) []*partial {
	out := make([]*partial, len(subjects))
	r := repetitions{owners: map[*structural.Schema]int{}, patterns: map[string]int{},
		contents: map[*structural.Schema]content{}}
	for i, s := range subjects {
		if !mayOmit(s) {
			continue
		}
		r.owner = i
		r.relies = nil
		r.rules = nil
		r.seen = map[*structural.Schema]bool{}
		for _, schema := range s.Schemas {
			r.collect(schema)
		}
		r.mayUse = apiserver.MayUse(r.rules...)
		p := &partial{}
		for _, schema := range s.Schemas {
			p.schemas = append(p.schemas, r.without(schema, surroundings{root: true}))
		}
		p.relies = r.relies
		out[i] = p
	}
	return out
}

// maxPartialBytes is the maximum size of a definition that may be verified in part. Larger
// ones may exceed the server's limits, which are about the complete one.
const maxPartialBytes = 2 << 20

// isLarge reports whether a definition of this YAML may exceed the server's limits. They count
// JSON, which has no indentation: that is three quarters of the YAML of deep schemas.
func isLarge(yaml []byte) bool {
	n := len(yaml)
	for line := range bytes.Lines(yaml) {
		if n <= maxPartialBytes {
			return false
		}
		n -= len(line) - len(bytes.TrimLeft(line, " "))
	}
	return n > maxPartialBytes
}

func mayOmit(s *crd.Definition) bool {
	known := s.Provenance()
	return known.BuildWith != nil && s.CRD == nil && s.Old == nil && !known.OnlySchemas && known.Incomplete == nil &&
		len(s.Unsupported) == 0 &&
		textOf(s) != nil && !isLarge(textOf(s)) && !slices.Contains(s.Schemas, nil)
}

// repetitions finds nodes that occur repeatedly.
type repetitions struct {
	// owners are the definitions that contain a node, by index.
	owners map[*structural.Schema]int
	// patterns are the owners of regular expressions.
	patterns map[string]int
	contents map[*structural.Schema]content
	// owner is the definition being reduced, and relies the other owners of what it omits.
	owner  int
	relies []int
	// rules are the expressions of the definition, found in the nodes seen, and mayUse reports
	// whether they may use a property.
	rules  []string
	seen   map[*structural.Schema]bool
	mayUse func(property string) bool
}

// content is what a node and those below it contain.
type content struct{ rules, defaults bool }

// surroundings are what the server's validation of a node depends on besides the node itself,
// in the places where nodes are left out.
type surroundings struct {
	root bool
	// ruled is set at and below a node with rules.
	ruled bool
	// values is set below additionalProperties, where the server does not validate defaults.
	values bool
	// keys are the properties that identify the items of a list.
	keys []string
}

// without returns a schema without the properties that have an owner, and makes the definition
// the owner of the others. Everything that the server validates together with nodes above it is
// kept: what rules may use, parts of defaults and junctors, embedded resources, metadata, and
// the keys of lists.
func (r *repetitions) without(schema *structural.Schema, place surroundings) *structural.Schema {
	if schema == nil || !isPlain(schema) {
		return schema
	}
	out := *schema
	if v := schema.ValueValidation; v != nil && v.Pattern != "" {
		if owner, ok := r.patterns[v.Pattern]; ok {
			r.relyOn(owner)
			validation := *v
			validation.Pattern = ""
			out.ValueValidation = &validation
		} else {
			r.patterns[v.Pattern] = r.owner
		}
		return &out
	}
	inside := surroundings{values: place.values, ruled: place.ruled || len(schema.XValidations) > 0}
	if schema.Items != nil {
		inside.keys = schema.XListMapKeys
		out.Items = r.without(schema.Items, inside)
		return &out
	}
	if a := schema.AdditionalProperties; a != nil {
		if a.Schema != nil && len(schema.Properties) == 0 {
			inside.values = true
			out.AdditionalProperties = &structural.SchemaOrBool{Bool: a.Bool, Schema: r.without(a.Schema, inside)}
		}
		return &out
	}
	if schema.Type != "object" {
		return schema
	}
	out.Properties = make([]structural.Property, 0, len(schema.Properties))
	for _, p := range schema.Properties {
		keep := place.root && (p.Name == "metadata" || p.Name == "kind" || p.Name == "apiVersion") || slices.Contains(place.keys, p.Name)
		c := r.content(p.Schema)
		if keep || c.defaults && place.values {
			out.Properties = append(out.Properties, p)
			continue
		}
		used := inside.ruled && (r.mayUse(p.Name) || schema.Requires(p.Name))
		owner, ok := r.owners[p.Schema]
		if ok && !used {
			r.relyOn(owner)
			continue
		}
		if !ok && !c.rules {
			r.owners[p.Schema] = r.owner
		}
		out.Properties = append(out.Properties, structural.Property{Name: p.Name, Schema: r.without(p.Schema, inside)})
	}
	return &out
}

// relyOn notes that something was left out because another definition contains it.
func (r *repetitions) relyOn(owner int) {
	if owner != r.owner && !slices.Contains(r.relies, owner) {
		r.relies = append(r.relies, owner)
	}
}

// isPlain reports whether the server validates the nodes below a node independently of it,
// except for rules.
func isPlain(s *structural.Schema) bool {
	if v := s.ValueValidation; v != nil && (v.AllOf != nil || v.AnyOf != nil || v.OneOf != nil || v.Not != nil) {
		return false
	}
	return s.Default == nil && !s.XEmbeddedResource
}

// collect collects the expressions at and below a node.
func (r *repetitions) collect(s *structural.Schema) {
	if s == nil || r.seen[s] || !r.content(s).rules {
		return
	}
	r.seen[s] = true
	for _, rule := range s.XValidations {
		r.rules = append(r.rules, rule.Rule, rule.MessageExpression, rule.FieldPath)
	}
	r.collect(s.Items)
	if s.AdditionalProperties != nil {
		r.collect(s.AdditionalProperties.Schema)
	}
	for _, p := range s.Properties {
		r.collect(p.Schema)
	}
}

// content returns what a node contains.
func (r *repetitions) content(s *structural.Schema) content {
	if s == nil {
		return content{}
	}
	if c, ok := r.contents[s]; ok {
		return c
	}
	out := content{rules: len(s.XValidations) > 0, defaults: s.Default != nil}
	add := func(child *structural.Schema) {
		c := r.content(child)
		out.rules = out.rules || c.rules
		out.defaults = out.defaults || c.defaults
	}
	add(s.Items)
	if s.AdditionalProperties != nil {
		add(s.AdditionalProperties.Schema)
	}
	for _, p := range s.Properties {
		add(p.Schema)
	}
	r.contents[s] = out
	return out
}

// unsure returns the indexes of the partial definitions that rely on one with findings, or on
// one of those. rejected reports whether the server has findings about a definition.
func unsure(parts []*partial, rejected func(i int) bool) []int {
	var out []int
	doubtful := make([]bool, len(parts))
	for i := range parts {
		doubtful[i] = rejected(i)
	}
	for changed := true; changed; {
		changed = false
		for i, p := range parts {
			if p != nil && !slices.Contains(out, i) && slices.ContainsFunc(p.relies, func(j int) bool { return doubtful[j] }) {
				doubtful[i] = true
				changed = true
				out = append(out, i)
			}
		}
	}
	return out
}
