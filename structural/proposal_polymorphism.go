package structural

import (
	"slices"
)

// nodeAt is a node and its path.
type nodeAt struct {
	schema *Schema
	path   *Path
}

// polymorphism checks the restriction of the pruning proposal: in the skeleton of
// the schema, in which junctors are merged into the node that contains them,
// properties must not occur together with additionalProperties or
// patternProperties. nodes are all schemas of one JSON path, without the junctors
// in them.
//
// A single node that is both a struct and a map is rejected by the server.
func (c *proposals) polymorphism(nodes []nodeAt) {
	for i := 0; i < len(nodes); i++ { // the loop appends junctors
		EachNested(nodes[i].schema.ValueValidation, nodes[i].path, func(n *NestedValueValidation, path *Path) {
			nodes = append(nodes, nodeAt{n.Outside(), path})
		})
	}
	c.structsBesideMaps(nodes)
	if len(nodes) == 1 { // fast path for the usual case
		s := nodes[0].schema
		path := nodes[0].path
		if s.Items != nil {
			c.polymorphism([]nodeAt{{s.Items, path.Child("items")}})
		}
		for _, p := range s.Properties {
			c.polymorphism([]nodeAt{{p.Schema, path.Property(p.Name)}})
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			c.polymorphism([]nodeAt{{a.Schema, path.Child("additionalProperties")}})
		}
		return
	}

	var items, additional []nodeAt
	var names []string
	byName := map[string][]nodeAt{}
	for _, n := range nodes {
		s := n.schema
		if s.Items != nil {
			items = append(items, nodeAt{s.Items, n.path.Child("items")})
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			additional = append(additional, nodeAt{a.Schema, n.path.Child("additionalProperties")})
		}
		for _, p := range s.Properties {
			if _, known := byName[p.Name]; !known {
				names = append(names, p.Name)
			}
			byName[p.Name] = append(byName[p.Name], nodeAt{p.Schema, n.path.Property(p.Name)})
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

// structsBesideMaps reports the maps among nodes if one of them is a struct.
func (c *proposals) structsBesideMaps(nodes []nodeAt) {
	i := slices.IndexFunc(nodes, func(n nodeAt) bool { return len(n.schema.Properties) > 0 })
	if i < 0 {
		return
	}
	forbid := func(n nodeAt, keyword string) {
		definedIn := nodes[i].path.Child("properties")
		c.warn(rulePolymorphism, Violation{
			Path: n.path.Child(keyword), Kind: Forbidden, Pos: n.schema.Origin.Of(keyword),
			Detail: "must not be specified for the same values as " + definedIn.String(), In: definedIn,
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
