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
	// step is how the parent leads to the node, name that of a property.
	step step
	name string
	// known is set once foreign is.
	known, foreign bool
}

// step is what a node is to its parent.
type step int8

const (
	property step = iota
	items
	values
)

// nodesOf returns the nodes of all versions of a definition, each after its parent.
func nodesOf(d *crd.Definition) (out []*node) {
	if d == nil {
		return nil
	}
	var walk func(version int, s *structural.Schema, parent *node, place step, name string)
	walk = func(version int, s *structural.Schema, parent *node, place step, name string) {
		if s == nil {
			return
		}
		n := &node{definition: d, version: version, schema: s, parent: parent, step: place, name: name}
		out = append(out, n)
		for _, p := range s.Properties {
			walk(version, p.Schema, n, property, p.Name)
		}
		walk(version, s.Items, n, items, "")
		if a := s.AdditionalProperties; a != nil {
			walk(version, a.Schema, n, values, "")
		}
	}
	for i, s := range d.Schemas {
		walk(i, s, nil, property, "")
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
	switch {
	case n.parent == nil:
		return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", n.version)
	case n.step == items:
		return parent + ".items"
	case n.step == values:
		return parent + ".additionalProperties"
	}
	return parent + ".properties[" + n.name + "]"
}

// field returns the path of the node in objects, as in package compare.
func (n *node) field() string {
	switch {
	case n.parent == nil:
		return ""
	case n.step == items:
		return n.parent.field() + "[*]"
	case n.step == values:
		return n.parent.field() + ".*"
	}
	return n.parent.field() + "." + n.name
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
	return n.name != "" && n.parent.schema.Requires(n.name)
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
