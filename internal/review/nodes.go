package review

import (
	"cmp"
	"fmt"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// node is a node of the schema of a version.
type node struct {
	definition *crd.Definition
	// version is the index of the version.
	version int
	schema  *structural.Schema
	parent  *node // nil for the whole object
	// edge leads from the parent to the node.
	edge structural.Edge
	// known is set once foreign is.
	known, foreign bool
}

// nodesOf returns the nodes of all versions of a definition, each after its parent.
func nodesOf(d *crd.Definition) (out []*node) {
	if d == nil {
		return nil
	}
	var walk func(n *node)
	walk = func(n *node) {
		out = append(out, n)
		for edge, child := range n.schema.Children() {
			walk(&node{definition: d, version: n.version, schema: child, parent: n, edge: edge})
		}
	}
	for i, s := range d.Schemas {
		if s != nil {
			walk(&node{definition: d, version: i, schema: s})
		}
	}
	return out
}

func (n *node) versionName() string { return n.definition.CRD.Spec.Versions[n.version].Name }

// path returns the path of the node in the definition.
func (n *node) path() string {
	if n.parent == nil {
		return n.pathBelow("")
	}
	return n.pathBelow(n.parent.path())
}

// pathBelow returns the path of the node, of whose parent it is given.
func (n *node) pathBelow(parent string) string {
	if n.parent == nil {
		return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", n.version)
	}
	var root *structural.Path
	return parent + root.Edge(n.edge).String()
}

// field returns the path of the node in objects, as in package compare.
func (n *node) field() string {
	switch {
	case n.parent == nil:
		return ""
	case n.edge.Keyword == "items":
		return n.parent.field() + "[*]"
	case n.edge.Keyword == "additionalProperties":
		return n.parent.field() + ".*"
	}
	return n.parent.field() + "." + n.edge.Property
}

// isForeign reports whether the node is a part of a type of another module, whose authors are not
// asked. In Go, what is below such a type has the position of the field that leads there.
func (n *node) isForeign() bool {
	if n.parent == nil {
		return false
	}
	if !n.known {
		n.known, n.foreign = true, n.parent.isForeign() || n.parent.parent != nil && n.position() == n.parent.position()
	}
	return n.foreign
}

func (n *node) position() diag.Position {
	pos, _ := n.definition.Position(n.path())
	return pos
}

// place returns the version and the field of a node.
func (n *node) place() string { return n.versionName() + " " + cmp.Or(n.field(), ".") }

// isRequired reports whether an object must have the field.
func (n *node) isRequired() bool {
	return n.edge.Property != "" && n.parent.schema.Requires(n.edge.Property)
}

// newUnions returns the unions that no object had before at the same place.
func newUnions(old, current []*node) (out []Union) {
	had := map[string]bool{}
	for _, n := range old {
		for _, u := range unions.Of(n.schema) {
			had[n.place()+" "+u.Discriminator] = true
		}
	}
	for _, n := range current {
		for _, u := range unions.Of(n.schema) {
			if had[n.place()+" "+u.Discriminator] {
				continue
			}
			union := Union{Version: n.versionName(), Field: cmp.Or(n.field(), "."), Discriminator: u.Discriminator}
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
