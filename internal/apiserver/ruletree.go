package apiserver

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ruleSchema is a schema with rules, as the server validates it: shared by all versions, or
// of one version.
type ruleSchema struct {
	// version is the name under which the server compares the schema with the old one.
	version string
	// versions are the indexes of the versions that use the schema.
	versions []int
	root     *node
	// ruled are the nodes with rules, in the order of their paths.
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
	// context is the server's context, which knows the type of the node and how often it
	// can occur.
	context *validation.CELSchemaContext
	// uncorrelatable is the outermost enclosing node whose parts the server cannot
	// correlate with the old object.
	uncorrelatable *field.Path
	// scoped is set if the node or an ancestor has rules.
	scoped bool
	// defaulted is set if the node or an ancestor has a default.
	defaulted bool
	// tooDeep is set if the node is part of a type that is nested too deeply.
	tooDeep  bool
	children []*node
}

// newRuleSchema builds the tree of the nodes at the given paths.
func newRuleSchema(schema *apiextensions.JSONSchemaProps, path *field.Path, paths []nodePath, target *Target) *ruleSchema {
	r := &ruleSchema{root: &node{schema: schema, path: path, defaulted: schema.Default != nil}}
	slices.SortFunc(paths, compareNodePaths)
	words := words{}
	for _, at := range paths {
		n := r.root
		for _, s := range at {
			n = n.child(s)
			if n == nil {
				break
			}
			words[s.name] = true
		}
		if n == nil || len(n.schema.XValidations) == 0 {
			continue
		}
		r.ruled = append(r.ruled, n)
		r.underDefault = r.underDefault || n.defaulted
		for _, rule := range n.schema.XValidations {
			words.add(rule.Rule)
			words.add(rule.MessageExpression)
		}
	}
	r.root.setContext(words, target)
	return r
}

// maxTypeNesting is the maximum nesting of the type of a node with rules. The time that CEL
// takes for nested lists grows with its cube: a thousand levels take seconds.
const maxTypeNesting = 100

// tooDeep reports whether a type is nested too deeply to compile rules for it.
func (r *ruleSchema) tooDeep() bool {
	return slices.ContainsFunc(r.ruled, func(n *node) bool { return n.tooDeep })
}

// tooDeep returns the finding for such a schema.
func (r *request) tooDeep(s *ruleSchema) Finding {
	path := s.root.path.String()
	return Finding{Source: Limit, Path: path, Paths: r.objectPaths(path), Detail: fmt.Sprintf(
		"the rules are not compiled: a schema with rules is nested more than %d levels deep, and the server may take very long to compile them", maxTypeNesting)}
}

// setContext sets the contexts of the node and its descendants. The server makes a type of
// the outermost schema with rules, so that schema is reduced to what the rules may use.
func (n *node) setContext(words words, target *Target) {
	schema := n.schema
	inScope := n.parent != nil && n.parent.scoped
	n.scoped = inScope || len(schema.XValidations) > 0
	if inScope {
		n.tooDeep = n.parent.tooDeep
	} else if n.scoped {
		schema = slim(schema, words)
		target.dropNewerSizes(schema)
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

func compareNodePaths(a, b nodePath) int {
	return slices.CompareFunc(a, b, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.keyword, b.keyword), cmp.Compare(a.name, b.name), cmp.Compare(a.index, b.index))
	})
}

// child returns the child of n at the step, or nil if there is none. Paths are sorted, so
// it is either the last child or a new one.
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
	c.defaulted = n.defaulted || c.schema.Default != nil
	n.children = append(n.children, c)
	return c
}

func (n *node) forbidOldSelf(path *field.Path) {
	if n.uncorrelatable == nil {
		n.uncorrelatable = path
	}
}

// rulesPath returns the path of the node's rules.
func (n *node) rulesPath() *field.Path { return n.path.Child("x-kubernetes-validations") }

// blankRules returns the node's rules with empty expressions, and without the field paths that
// are known to be valid: to validate one, the server converts the whole schema of the node.
// Rules at and below defaults are left out if the server reports nothing else about them,
// because it prepares to compile the rules that apply to a default.
func blankRules(n *node) apiextensions.ValidationRules {
	out := slices.Clone(n.schema.XValidations)
	for i := range out {
		out[i].Rule = ""
		if isFieldPath(out[i].FieldPath, n.schema) {
			out[i].FieldPath = ""
		}
	}
	if n.defaulted && !slices.ContainsFunc(out, isMoreThanText) {
		return nil
	}
	return out
}

// isFieldPath reports whether a path consists of names of properties, such as ".spec.size". All
// other paths are left to the server (ValidFieldPath of apiextensions-apiserver's
// pkg/apiserver/schema/cel).
func isFieldPath(path string, schema *apiextensions.JSONSchemaProps) bool {
	rest, ok := strings.CutPrefix(path, ".")
	if !ok || strings.ContainsAny(path, "['\r\n") {
		return false
	}
	for name := range strings.SplitSeq(rest, ".") {
		child, ok := schema.Properties[name]
		if !ok || name == "" || strings.TrimSpace(name) != name {
			return false
		}
		schema = &child
	}
	return true
}

// isMoreThanText reports whether a rule has parts that the server validates without compiling
// the rule.
func isMoreThanText(rule apiextensions.ValidationRule) bool {
	return rule.Reason != nil || rule.FieldPath != "" || rule.MessageExpression != "" && strings.TrimSpace(rule.MessageExpression) == ""
}

// noRules returns no rules.
func noRules(*node) apiextensions.ValidationRules { return nil }

// with returns the node's schema with different rules at and below it. Parts without rules
// are shared.
func (n *node) with(rules func(*node) apiextensions.ValidationRules) *apiextensions.JSONSchemaProps {
	out := *n.schema
	out.XValidations = rules(n)
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
