package structural

import (
	"encoding/json"
	"go/token"
	"slices"
)

const unionsKeyword = "x-kubernetes-unions"

// CheckUnions returns the violations of the proposals in x-kubernetes-unions: the
// part of [CheckProposals] that applies to documents with unions.
func CheckUnions(s *Schema) []Finding {
	c := &proposals{}
	var node func(s *Schema, context nodeContext)
	node = func(s *Schema, context nodeContext) {
		if s == nil {
			return
		}
		c.unions(s, context)
		node(s.Items, context.below(context.path.Child("items")))
		for _, p := range s.Properties {
			child := context.below(context.path.Property(p.Name))
			child.property = true
			node(p.Schema, child)
		}
		if a := s.AdditionalProperties; a != nil {
			node(a.Schema, context.below(context.path.Child("additionalProperties")))
		}
	}
	node(s, nodeContext{root: true})
	return c.findings
}

// unions checks x-kubernetes-unions of a node in both forms.
func (c *proposals) unions(schema *Schema, context nodeContext) {
	pos := schema.Origin.Of(unionsKeyword)
	path := context.path.Child(unionsKeyword)
	forbid := func(detail string) {
		c.warn(ruleUnionPlace, Violation{Path: path, Kind: Forbidden, Detail: detail, Pos: pos})
	}
	switch {
	case len(schema.XUnions) == 0 && len(schema.XUnionMembers) == 0:
	case context.junctor:
		forbid("must be undefined to be structural")
		return
	case len(schema.XUnions) > 0 && schema.Type != "object":
		forbid("must only be used on objects")
		return
	case len(schema.XUnionMembers) > 0 && !context.property:
		forbid("must only list fieldMembers on a property")
	}
	for i, u := range schema.XUnions {
		c.union(schema, u, context.path, context.path.Index(unionsKeyword, i))
	}
	if context.junctor {
		return
	}
	for _, p := range schema.Properties {
		if len(p.Schema.XUnionMembers) > 0 {
			definedIn := context.path.Property(p.Name).Child(unionsKeyword)
			c.unionOf(schema, p.Name, p.Schema.XUnionMembers, context.path, definedIn, p.Schema.Origin.Of(unionsKeyword))
		}
	}
}

// union checks a union that is set on its object.
func (c *proposals) union(s *Schema, u Union, path, definedIn *Path) {
	pos := s.Origin.Of(unionsKeyword)
	if u.Discriminator == "" {
		if len(u.Fields) > 0 {
			c.warn(ruleUnionFields, Violation{
				Path: definedIn.Child("fields"), Kind: Forbidden, Detail: "must be undefined if discriminator is empty", Pos: pos,
			})
		}
		return
	}
	if s.Property(u.Discriminator) == nil {
		c.mustBeProperty(u.Discriminator, path, definedIn, pos)
	}
	var members []UnionMember
	for _, f := range u.Fields {
		members = append(members, UnionMember{Value: f.Value, Name: f.Name})
	}
	c.unionOf(s, u.Discriminator, members, path, definedIn, pos)
}

// unionOf performs the checks that both forms share. path is the path of the object
// s, in that of the union.
func (c *proposals) unionOf(s *Schema, discriminator string, members []UnionMember, path, definedIn *Path, pos token.Pos) {
	d := s.Property(discriminator)
	if d != nil && d.Type != "string" {
		c.warn(ruleUnionProperties, Violation{
			Path: path.Property(discriminator).Child("type"), Kind: Invalid, Value: d.Type,
			Detail: "must be string because it is a discriminator", Pos: d.Origin.Of("type"),
		})
	}
	values := enumOf(d)
	for _, m := range members {
		if m.Name != "" && s.Property(m.Name) == nil {
			c.mustBeProperty(m.Name, path, definedIn, pos)
		}
		if values != nil && !slices.Contains(values, m.Value) {
			c.warn(ruleUnionFields, Violation{
				Path: definedIn, Kind: NotSupported, Value: m.Value, Pos: pos,
				Detail: notSupported(nil, "", values, Origin{}, "").Detail,
			})
		}
	}
}

func (c *proposals) mustBeProperty(name string, path, definedIn *Path, pos token.Pos) {
	c.warn(ruleUnionProperties, Violation{
		Path: path.Property(name), Kind: Required, Detail: "because it is defined in " + definedIn.String(), In: definedIn, Pos: pos,
	})
}

// enumOf returns the strings of the enum of s, in order, or nil if it has none.
func enumOf(s *Schema) []string {
	if s == nil || s.ValueValidation == nil {
		return nil
	}
	var out []string
	for _, value := range s.Enum {
		var text *string
		if json.Unmarshal(value.Raw, &text) == nil && text != nil {
			out = append(out, *text)
		}
	}
	return out
}
