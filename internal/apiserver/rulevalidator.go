package apiserver

import (
	"cmp"
	"maps"
	"sync"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// ruleValidator evaluates the rules of a schema with the server's code. It compiles the rules of a
// place when the first object has a value there, because most objects have values in few places. It is safe for
// concurrent use.
//
// Rules are compiled for types without the fields that none of them uses, which takes a small part
// of the time for large schemas. They are evaluated with the whole schema, since values may be
// compared as a whole.
type ruleValidator struct {
	root *ruleNode
	// used are the words of all rules.
	used words

	mu sync.Mutex
	// reached are the places whose rules the validator has.
	reached   *place
	validator *cel.Validator
}

// place is a place in objects, with the places below it that have rules.
type place struct {
	// isNew is set until the rules are compiled.
	isNew         bool
	properties    map[string]*place
	items, values *place
}

// newRuleValidator returns the validator of the rules in the schema of a resource; nil if it has none.
func newRuleValidator(root *ruleNode) *ruleValidator {
	v := &ruleValidator{root: root, used: words{}}
	switch {
	case root.nested: // the server's validator looks for the properties in allOf
		v.validator = cel.NewValidator(root.schema, true, celconfig.PerCallLimit)
	case root.ruled:
		v.used.addRules(root, map[*ruleNode]bool{})
		v.reached = &place{isNew: true}
	default:
		return nil
	}
	return v
}

// forObject returns a validator with at least the rules that apply to an object; nil if there are none.
func (v *ruleValidator) forObject(object map[string]any) *cel.Validator { return v.forValue(object) }

// isEmpty reports whether the server has no validator of the schema: it ignores rules below types that it
// does not know.
func (v *ruleValidator) isEmpty() bool {
	return v.forObject(nil) == nil && v.forValue(everyValue{}) == nil
}

// everyValue stands for objects that have values in all places.
type everyValue struct{}

func (v *ruleValidator) forValue(value any) *cel.Validator {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.reached != nil && v.reached.reach(v.root, value) {
		added := cel.NewValidator(v.root.withoutUnused(v.used, v.reached), true, celconfig.PerCallLimit)
		setSchema(added, v.root.schema)
		v.validator = merged(v.validator, added)
		v.reached.settle()
	}
	return v.validator
}

// reach adds the places below p that have a value and rules. It reports whether there are new ones.
func (p *place) reach(n *ruleNode, value any) bool {
	found := p.isNew
	below := func(known *place, child *ruleNode, value any) *place {
		if child == nil || !child.ruled {
			return nil
		}
		if known == nil {
			known = &place{isNew: true}
		}
		found = known.reach(child, value) || found
		return known
	}
	property := func(name string, value any) {
		if reached := below(p.properties[name], n.properties[name], value); reached != nil {
			if p.properties == nil {
				p.properties = map[string]*place{}
			}
			p.properties[name] = reached
		}
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			property(name, field)
			p.values = below(p.values, n.values, field)
		}
	case []any:
		for _, item := range value {
			p.items = below(p.items, n.items, item)
		}
	case everyValue:
		for name := range n.properties {
			property(name, value)
		}
		p.values = below(p.values, n.values, value)
		p.items = below(p.items, n.items, value)
	}
	return found
}

// settle notes that all rules are compiled.
func (p *place) settle() {
	if p == nil {
		return
	}
	p.isNew = false
	p.items.settle()
	p.values.settle()
	for _, property := range p.properties {
		property.settle()
	}
}

// merged returns a validator with the rules of two. If both have a place, only the old one has rules there.
func merged(old, added *cel.Validator) *cel.Validator {
	if old == nil || added == nil {
		return cmp.Or(old, added)
	}
	out := *old
	out.Items = merged(old.Items, added.Items)
	out.AdditionalProperties = merged(old.AdditionalProperties, added.AdditionalProperties)
	out.Properties = map[string]cel.Validator{}
	maps.Copy(out.Properties, old.Properties)
	for name, property := range added.Properties {
		if known, ok := old.Properties[name]; ok {
			property = *merged(&known, &property)
		}
		out.Properties[name] = property
	}
	return &out
}

// withoutUnused returns a copy of a schema with the rules of new places, and without the properties
// that neither are in the words nor have such rules. p may be nil.
func (n *ruleNode) withoutUnused(used words, p *place) *structuralschema.Structural {
	p = cmp.Or(p, &place{})
	out := *n.schema
	if !p.isNew {
		out.XValidations = nil
	}
	if len(n.properties) > 0 {
		out.Properties = map[string]structuralschema.Structural{}
		for name, property := range n.properties {
			if isMeta(name) || used.has(name) || p.properties[name] != nil {
				out.Properties[name] = *property.withoutUnused(used, p.properties[name])
			}
		}
	}
	if n.items != nil {
		out.Items = n.items.withoutUnused(used, p.items)
	}
	if n.values != nil {
		out.AdditionalProperties = &structuralschema.StructuralOrBool{Structural: n.values.withoutUnused(used, p.values),
			Bool: out.AdditionalProperties.Bool}
	}
	return &out
}
