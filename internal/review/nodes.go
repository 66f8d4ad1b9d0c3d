package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// node is a node of the schema of a version.
type node struct {
	version string
	// path is its path in the definition, field that in objects, as in package compare.
	path, field string
	name        string
	schema      *structural.Schema
	parent      *node // nil for the whole object
	// foreign is set for the parts of a type of another module, whose authors are not asked.
	foreign bool
	pos     diag.Position
}

// nodesOf returns the nodes of all versions of a definition, each after its parent.
func nodesOf(d *crd.Definition) (out []*node) {
	if d == nil {
		return nil
	}
	var walk func(n *node)
	walk = func(n *node) {
		if n.schema == nil {
			return
		}
		n.pos, _ = d.Position(n.path)
		// In Go, what is below a type of another module has the position of the field that leads there.
		n.foreign = n.parent != nil && (n.parent.foreign || n.pos == n.parent.pos && n.parent.parent != nil)
		out = append(out, n)
		for _, p := range n.schema.Properties {
			walk(&node{version: n.version, path: n.path + ".properties[" + p.Name + "]", field: n.field + "." + p.Name, name: p.Name, schema: p.Schema, parent: n})
		}
		walk(&node{version: n.version, path: n.path + ".items", field: n.field + "[*]", schema: n.schema.Items, parent: n})
		if a := n.schema.AdditionalProperties; a != nil {
			walk(&node{version: n.version, path: n.path + ".additionalProperties", field: n.field + ".*", schema: a.Schema, parent: n})
		}
	}
	for i, s := range d.Schemas {
		walk(&node{version: d.CRD.Spec.Versions[i].Name, path: fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i), schema: s})
	}
	return out
}

// place returns the version and the field of a node.
func (n *node) place() string { return n.version + " " + cmp.Or(n.field, ".") }

// isRequired reports whether an object must have the field.
func (n *node) isRequired() bool {
	return n.name != "" && n.parent.schema.ValueValidation != nil && slices.Contains(n.parent.schema.Required, n.name)
}

// newUnions returns the unions that no object had before at the same place.
func newUnions(before, after []*node) (out []Union) {
	had := map[string]bool{}
	for _, n := range before {
		for _, u := range unions.Of(n.schema) {
			had[n.place()+" "+u.Discriminator] = true
		}
	}
	for _, n := range after {
		for _, u := range unions.Of(n.schema) {
			if had[n.place()+" "+u.Discriminator] {
				continue
			}
			union := Union{Version: n.version, Field: cmp.Or(n.field, "."), Discriminator: u.Discriminator}
			for _, v := range u.Values {
				union.Values = append(union.Values, v.Name)
			}
			for _, m := range u.Members {
				union.Members = append(union.Members, m.Name)
			}
			out = append(out, union)
		}
	}
	return out
}
