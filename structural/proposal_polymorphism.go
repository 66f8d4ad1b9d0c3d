package structural

import (
	"slices"
)

// placedNode is a node and its place.
type placedNode struct {
	schema *Schema
	path   *Path
}

// polymorphism checks the pruning proposal's restriction: its skeleton of a
// schema, in which the junctors are merged into the node that they stand in,
// must not have properties beside additionalProperties or patternProperties.
// nodes are all that speak of one JSON path, but for the junctors in them.
//
// A single node that is struct and map at once is the server's to refuse.
func (c *proposals) polymorphism(nodes []placedNode) {
	for i := 0; i < len(nodes); i++ { // junctors are added on the way
		eachNested(nodes[i].schema.ValueValidation, nodes[i].path, func(n *NestedValueValidation, path *Path) {
			nodes = append(nodes, placedNode{n.outside(), path})
		})
	}
	c.structsBesideMaps(nodes)
	if len(nodes) == 1 { // the usual case, without the detour below
		s, path := nodes[0].schema, nodes[0].path
		if s.Items != nil {
			c.polymorphism([]placedNode{{s.Items, path.Child("items")}})
		}
		for _, p := range s.Properties {
			c.polymorphism([]placedNode{{p.Schema, path.Property(p.Name)}})
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			c.polymorphism([]placedNode{{a.Schema, path.Child("additionalProperties")}})
		}
		return
	}

	var items, additional []placedNode
	var names []string
	byName := map[string][]placedNode{}
	for _, n := range nodes {
		s := n.schema
		if s.Items != nil {
			items = append(items, placedNode{s.Items, n.path.Child("items")})
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			additional = append(additional, placedNode{a.Schema, n.path.Child("additionalProperties")})
		}
		for _, p := range s.Properties {
			if _, known := byName[p.Name]; !known {
				names = append(names, p.Name)
			}
			byName[p.Name] = append(byName[p.Name], placedNode{p.Schema, n.path.Property(p.Name)})
		}
	}
	if items != nil {
		c.polymorphism(items)
	}
	for _, name := range names {
		c.polymorphism(byName[name])
	}
	if additional != nil {
		c.polymorphism(additional)
	}
}

// structsBesideMaps reports the maps among nodes if one of nodes is a struct.
func (c *proposals) structsBesideMaps(nodes []placedNode) {
	i := slices.IndexFunc(nodes, func(n placedNode) bool { return len(n.schema.Properties) > 0 })
	if i < 0 {
		return
	}
	forbid := func(n placedNode, keyword string) {
		in := nodes[i].path.Child("properties")
		c.warn(rulePolymorphism, Violation{
			Path: n.path.Child(keyword), Kind: Forbidden, Pos: n.schema.Origin.Of(keyword),
			Detail: "must not be specified for the same values as " + in.String(), In: in,
		})
	}
	for _, n := range nodes {
		if n.schema.AdditionalProperties != nil && !isStructAndMap(n.schema) {
			forbid(n, "additionalProperties")
		}
		if c.unheld != nil && slices.Contains(c.unheld[n.path.String()], "patternProperties") {
			forbid(n, "patternProperties")
		}
	}
}
