package apiserver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ruleSchema is a schema with rules, as the server validates it: one that all
// versions share, or that of one version.
type ruleSchema struct {
	// version is the name by which the server compares the schema with the old one.
	version string
	// versions are the indices of the versions that have the schema.
	versions []int
	root     *node
	// ruled are the nodes with rules, in the order of their places.
	ruled []*node
	// underDefault is set if a rule applies to a part of a default.
	underDefault bool
}

// node is a node with rules, or an ancestor of one.
type node struct {
	step   step
	parent *node
	schema *apiextensions.JSONSchemaProps
	path   *field.Path
	// context is the server's: it knows how often the node can occur, and its type.
	context *validation.CELSchemaContext
	// uncorrelatable is the outermost node around this one whose parts the server
	// cannot find again in the old object.
	uncorrelatable *field.Path
	// scoped: the node or one around it has rules.
	scoped bool
	// tooDeep: the node is part of a type that is nested too deep.
	tooDeep  bool
	children []*node
}

// newRuleSchema makes the tree of the nodes at the given places.
func newRuleSchema(schema *apiextensions.JSONSchemaProps, path *field.Path, places []place, target *Target) *ruleSchema {
	r := &ruleSchema{root: &node{schema: schema, path: path}}
	slices.SortFunc(places, comparePlaces)
	words := words{}
	for _, at := range places {
		n, defaulted := r.root, schema.Default != nil
		for _, s := range at {
			if n = n.child(s); n == nil {
				break
			}
			defaulted = defaulted || n.schema.Default != nil
			words[s.name] = true
		}
		if n == nil || len(n.schema.XValidations) == 0 {
			continue
		}
		r.ruled = append(r.ruled, n)
		r.underDefault = r.underDefault || defaulted
		for _, rule := range n.schema.XValidations {
			words.add(rule.Rule)
			words.add(rule.MessageExpression)
		}
	}
	r.root.setContext(words, target)
	return r
}

// maxTypeNesting is how deep the type of a node with rules may be nested. The
// time that CEL takes for nested lists grows with the cube of it: for a thousand
// it is seconds.
const maxTypeNesting = 100

// tooDeep reports whether a type is nested too deep to compile rules for it.
func (r *ruleSchema) tooDeep() bool {
	return slices.ContainsFunc(r.ruled, func(n *node) bool { return n.tooDeep })
}

// tooDeep is the finding for such a schema.
func (r *request) tooDeep(s *ruleSchema) Finding {
	path := s.root.path.String()
	return Finding{Source: Limit, Path: path, Places: r.places(path), Detail: fmt.Sprintf(
		"the rules are not compiled: a schema with rules is nested more than %d levels deep, and the server may take very long for them", maxTypeNesting)}
}

// setContext makes the contexts of the node and of all below. Where a schema is
// the outermost one with rules, the server makes a type of it: it is given only
// what the rules may speak of.
func (n *node) setContext(words words, target *Target) {
	schema := n.schema
	inScope := n.parent != nil && n.parent.scoped
	n.scoped = inScope || len(schema.XValidations) > 0
	if inScope {
		n.tooDeep = n.parent.tooDeep
	} else if n.scoped {
		schema = slim(schema, words)
		target.age(schema)
		n.tooDeep = nestingOf(schema, maxTypeNesting) > maxTypeNesting
	}
	switch {
	case n.parent == nil:
		n.context = validation.RootCELContext(schema)
	case n.step.keyword == "properties":
		n.context = n.parent.context.ChildPropertyContext(schema, n.step.name)
	case n.step.keyword == "items":
		n.context = n.parent.context.ChildItemsContext(schema)
	default:
		n.context = n.parent.context.ChildAdditionalPropertiesContext(schema)
	}
	for _, c := range n.children {
		c.setContext(words, target)
	}
}

func comparePlaces(a, b place) int {
	return slices.CompareFunc(a, b, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.keyword, b.keyword), cmp.Compare(a.name, b.name), cmp.Compare(a.index, b.index))
	})
}

// child returns the node below n, and nil if there is none. Sorted places ask
// for the last one again, or for a new one.
func (n *node) child(s step) *node {
	if last := len(n.children) - 1; last >= 0 && n.children[last].step == s {
		return n.children[last]
	}
	c := &node{step: s, parent: n, uncorrelatable: n.uncorrelatable}
	switch s.keyword {
	case "properties":
		schema, ok := n.schema.Properties[s.name]
		if !ok {
			return nil
		}
		c.schema = &schema
		c.path = n.path.Child("properties").Key(s.name)
		if !cel.MapIsCorrelatable(n.schema.XMapType) {
			c.forbidOldSelf(n.path)
		}
	case "items":
		c.path = n.path.Child("items")
		if s.index >= 0 {
			c.schema = &n.schema.Items.JSONSchemas[s.index]
			c.path = c.path.Index(s.index)
		} else {
			c.schema = n.schema.Items.Schema
		}
		if n.schema.XListType == nil || *n.schema.XListType != "map" {
			c.forbidOldSelf(n.path)
		}
	case "additionalProperties":
		c.schema = n.schema.AdditionalProperties.Schema
		c.path = n.path.Child("additionalProperties")
	}
	n.children = append(n.children, c)
	return c
}

func (n *node) forbidOldSelf(path *field.Path) {
	if n.uncorrelatable == nil {
		n.uncorrelatable = path
	}
}

// rulesPath is the path of the node's rules.
func (n *node) rulesPath() *field.Path { return n.path.Child("x-kubernetes-validations") }

// blankRules returns rules whose text is empty.
func blankRules(rules apiextensions.ValidationRules) apiextensions.ValidationRules {
	out := slices.Clone(rules)
	for i := range out {
		out[i].Rule = ""
	}
	return out
}

// noRules returns no rules.
func noRules(apiextensions.ValidationRules) apiextensions.ValidationRules { return nil }

// with returns the node's schema with other rules at and below it. What has no
// rules is shared.
func (n *node) with(rules func(apiextensions.ValidationRules) apiextensions.ValidationRules) *apiextensions.JSONSchemaProps {
	out := *n.schema
	out.XValidations = rules(out.XValidations)
	for i, c := range n.children {
		switch {
		case c.step.keyword == "properties":
			if i == 0 || n.children[i-1].step.keyword != "properties" {
				out.Properties = maps.Clone(out.Properties)
			}
			out.Properties[c.step.name] = *c.with(rules)
		case c.step.keyword == "additionalProperties":
			additional := *out.AdditionalProperties
			additional.Schema = c.with(rules)
			out.AdditionalProperties = &additional
		case c.step.index >= 0:
			items := *out.Items
			items.JSONSchemas = slices.Clone(items.JSONSchemas)
			items.JSONSchemas[c.step.index] = *c.with(rules)
			out.Items = &items
		default:
			items := *out.Items
			items.Schema = c.with(rules)
			out.Items = &items
		}
	}
	return &out
}
