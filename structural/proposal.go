package structural

import (
	"strings"
)

// Finding is a violation of a rule that [Check] does not enforce.
type Finding struct {
	Violation
	// rule is the name of the rule, one of those below.
	rule string
	// Server is true if the API server also rejects the schema, with this
	// message, when it validates the whole CRD: the finding is an error. It is a
	// warning if only a proposal forbids it.
	Server bool
}

// Names of the rules that CheckProposals enforces.
const (
	rulePreserve         = "preserve-unknown-fields"
	ruleTypeNames        = "type-names"
	ruleMapType          = "map-type"
	ruleListType         = "list-type"
	ruleListMapKeys      = "list-map-keys"
	ruleStructOrMap      = "struct-or-map"
	ruleMetadataDefault  = "metadata-default"
	ruleMetadataEmbedded = "metadata-embedded"

	rulePair             = "int-or-string-pair"
	ruleBelowRoot        = "completeness-below-root"
	ruleJunctorGenerics  = "junctor-generics"
	ruleEmbeddedMetadata = "embedded-metadata"
	rulePolymorphism     = "object-polymorphism"
	ruleReadOnly         = "read-only"
	ruleUnionFields      = "union-fields"
	ruleUnionProperties  = "union-properties"
	ruleUnionPlace       = "union-place"
)

// CheckProposals returns violations of the proposals that Check accepts, and of
// those rules of the proposals that the server enforces outside of
// ValidateStructural, in the order of the nodes. unheld are the keywords that the
// decoder could not put into s.
func CheckProposals(s *Schema, unheld []Unsupported) []Finding {
	if s == nil {
		return nil
	}
	c := &proposals{implied: &unfolder{embedded: true}}
	if len(unheld) > 0 {
		c.unheld = map[string][]string{}
		for _, u := range unheld {
			path := u.Path.String()
			c.unheld[path] = append(c.unheld[path], u.Keyword)
		}
	}
	c.node(s, nodeContext{root: true})
	c.polymorphism([]nodeAt{{s, nil}})
	return c.findings
}

type proposals struct {
	findings []Finding
	// unheld are the keywords that the model cannot hold, by the path of their node.
	unheld map[string][]string
	// implied adds the fields that embedded resources imply.
	implied *unfolder
}

// nodeContext is the context of a node that the rules depend on.
type nodeContext struct {
	path    *Path
	root    bool
	junctor bool
	// property is true if the node is a property of an object outside of junctors.
	property bool
	// meta is true if the node belongs to the TypeMeta or ObjectMeta of an object.
	meta bool
	// noDefault is the server's reason for forbidding defaults here, or "".
	noDefault string
}

// below returns the context of a child of the node at p.
func (p nodeContext) below(path *Path) nodeContext {
	p.path = path
	p.root = false
	p.property = false
	return p
}

func (c *proposals) reject(rule string, v Violation) {
	c.findings = append(c.findings, Finding{Violation: v, rule: rule, Server: true})
}

func (c *proposals) warn(rule string, v Violation) {
	c.findings = append(c.findings, Finding{Violation: v, rule: rule})
}

// node checks a node and everything below it. A node inside a junctor is passed in
// the form that it would have outside.
func (c *proposals) node(schema *Schema, context nodeContext) {
	c.types(schema, context.path)
	c.metadata(schema, context)
	c.structOrMap(schema, context.path)
	c.topology(schema, context.path)
	c.unions(schema, context)
	if context.junctor {
		c.junctorGenerics(schema, context.path)
	} else {
		c.pair(schema, context.path)
		c.embeddedMetadata(schema, context.path)
		if !context.root {
			c.completeBelow(schema, context.path)
		}
	}
	c.unsupported(schema, context)

	if schema.Items != nil {
		c.node(schema.Items, context.below(context.path.Child("items")))
	}
	for _, p := range schema.Properties {
		child := context.below(context.path.Property(p.Name))
		child.property = !context.junctor
		if isMeta(p.Name) && (context.root || schema.XEmbeddedResource) {
			child.meta = true
			if context.root {
				child.noDefault = "in top-level " + p.Name
			}
		}
		c.node(p.Schema, child)
	}
	if a := schema.AdditionalProperties; a != nil && a.Schema != nil {
		child := context.below(context.path.Child("additionalProperties"))
		if context.meta {
			child.noDefault = "inside additionalProperties applying to object metadata"
		}
		c.node(a.Schema, child)
	}
	EachNested(schema.ValueValidation, context.path, func(n *NestedValueValidation, path *Path) {
		child := context.below(path)
		child.junctor = true
		c.node(n.Outside(), child)
	})
}

func isMeta(name string) bool { return name == "metadata" || name == "kind" || name == "apiVersion" }

// EachNested calls f for each schema directly below a junctor of v.
func EachNested(v *ValueValidation, path *Path, f func(n *NestedValueValidation, path *Path)) {
	if v == nil {
		return
	}
	for _, junctor := range []struct {
		keyword string
		list    []NestedValueValidation
	}{{"allOf", v.AllOf}, {"anyOf", v.AnyOf}, {"oneOf", v.OneOf}} {
		for i := range junctor.list {
			f(&junctor.list[i], path.Index(junctor.keyword, i))
		}
	}
	if v.Not != nil {
		f(v.Not, path.Child("not"))
	}
}

// Outside returns the schema in the form that it would have outside of junctors,
// the inverse of [Schema.Nested].
func (n *NestedValueValidation) Outside() *Schema {
	s := &Schema{
		Generic: n.ForbiddenGenerics, Extensions: n.ForbiddenExtensions,
		ValueValidation: &n.ValueValidation, Origin: n.Origin,
	}
	for _, p := range n.Properties {
		s.Properties = append(s.Properties, Property{Name: p.Name, Schema: p.Schema.Outside()})
	}
	if n.Items != nil {
		s.Items = n.Items.Outside()
	}
	if a := n.AdditionalProperties; a != nil {
		s.AdditionalProperties = &SchemaOrBool{Bool: a.Bool}
		if a.Schema != nil {
			s.AdditionalProperties.Schema = a.Schema.Outside()
		}
	}
	return s
}

// pair reports int-or-string patterns on nodes without x-kubernetes-int-or-string.
// The server allows them everywhere.
func (c *proposals) pair(s *Schema, path *Path) {
	if s.XIntOrString {
		return
	}
	const detail = "must not contain types unless x-kubernetes-int-or-string is true"
	if isIntOrStringPair(s) {
		c.warn(rulePair, Violation{Path: path.Child("anyOf"), Kind: Forbidden, Detail: detail, Pos: s.Origin.Of("anyOf")})
	}
	if startsWithIntOrStringPair(s) {
		c.warn(rulePair, Violation{Path: path.Index("allOf", 0).Child("anyOf"), Kind: Forbidden, Detail: detail, Pos: s.Origin.Of("allOf")})
	}
}

// junctorGenerics reports generics inside junctors that the server ignores,
// because it treats their value as unset.
func (c *proposals) junctorGenerics(s *Schema, path *Path) {
	if s.Default != nil && string(s.Default.Raw) == "null" {
		c.warn(ruleJunctorGenerics, Violation{
			Path: path.Child("default"), Kind: Forbidden, Detail: "must be undefined to be structural", Pos: s.Origin.Of("default"),
		})
	}
	if a := s.AdditionalProperties; a != nil && *a == (SchemaOrBool{}) {
		c.warn(ruleJunctorGenerics, Violation{
			Path: path.Child("additionalProperties"), Kind: Forbidden, Detail: "must be undefined to be structural", Pos: s.Origin.Of("additionalProperties"),
		})
	}
}

// unsupported reports the keywords of the node that the model cannot hold.
func (c *proposals) unsupported(s *Schema, context nodeContext) {
	if c.unheld == nil {
		return
	}
	for _, keyword := range c.unheld[context.path.String()] {
		if keyword != "readOnly" {
			continue
		}
		detail := "is not a field of apiextensions.k8s.io/v1"
		if context.junctor {
			detail = "must be false to be structural"
		}
		c.warn(ruleReadOnly, Violation{Path: context.path.Child("readOnly"), Kind: Forbidden, Detail: detail, Pos: s.Origin.Of("readOnly")})
	}
}

// completeBelow checks the completeness of a node below the root, which the server
// does not check. Embedded resources specify the fields that they imply.
func (c *proposals) completeBelow(s *Schema, path *Path) {
	if v := s.ValueValidation; v == nil || v.AllOf == nil && v.AnyOf == nil && v.OneOf == nil && v.Not == nil {
		return
	}
	inner := checker{}
	inner.complete(s.ValueValidation, c.implied.schema(s), path, path)
	for _, v := range inner.violations {
		c.warn(ruleBelowRoot, v)
	}
}

// proposed renders the violation with the wording of the KEP for the message of a
// condition: ".properties[foo].items.properties[bar].type must be non-empty".
func (v Violation) proposed() string {
	switch {
	case v.Kind == Required && strings.HasPrefix(v.Detail, "must not be empty"):
		return v.Path.String() + " must be non-empty"
	case v.Kind == Required && v.In != nil:
		return v.Path.String() + " must be specified " + v.Detail
	case v.Kind == NotSupported:
		return v.Path.String() + " must be one of " + strings.TrimPrefix(v.Detail, "supported values: ")
	}
	return v.Path.String() + " " + v.Detail
}
