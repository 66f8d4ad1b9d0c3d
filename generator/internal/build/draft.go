package build

import (
	"slices"

	"github.com/schemagen/schemagen/generator/internal/checks"
	"github.com/schemagen/schemagen/generator/internal/edits"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// draft is a schema node on its way to a structural.Schema: it may still refer
// to a Go type, and what it embeds or refers to is not yet merged into it.
//
// The drafts of a type are shared between all that refer to it, and are not
// changed once the type is built: who wants to change a node clones it.
type draft struct {
	structural.Generic
	structural.Extensions
	// values is nil where there is no value validation. Its AllOf stays empty:
	// see allOf.
	values *structural.ValueValidation

	// object says that the node has properties, even if there are none.
	object     bool
	properties []draftProperty // in source order, names are unique
	items      *draft
	// additional are the additionalProperties; anything where only open is set.
	additional *draft
	open       bool

	// allOf are nodes to be merged into this one: embedded structs, or the two
	// halves of a resolved reference, the type and what the field says; after
	// merging, what could not be merged.
	allOf []*draft
	// ref is the type that the node refers to, as long as it is not resolved.
	ref *source.Type
	// resolved says that allOf are the two halves of a reference.
	resolved bool
	// cut is the type whose recursion ends in this node, and cycle is the way
	// from it to itself.
	cut   *source.Type
	cycle string

	// edits change the schema once everything is merged.
	edits []*edits.Edit
	// constants are what the values of an enum stand for.
	constants []source.Constant

	// metadata is where the type is metav1.ObjectMeta of which nothing is described, or
	// embeds it; nil elsewhere.
	metadata *checks.MetadataUse

	// failed: there is no schema, which was reported.
	failed bool

	pkg    *source.Package // the package that the node stands in
	docs   *source.Package // the package that the description is from, where that is another one
	origin structural.Origin
}

type draftProperty struct {
	name string
	node *draft
}

// validation returns the value validation of the node for writing.
func (d *draft) validation() *structural.ValueValidation {
	if d.values == nil {
		d.values = &structural.ValueValidation{}
	}
	return d.values
}

// clone returns a copy that can be changed without changing d. Children are shared.
func (d *draft) clone() *draft {
	out := *d
	if d.values != nil {
		values := *d.values
		values.Required = slices.Clip(values.Required)
		out.values = &values
	}
	out.XValidations = slices.Clip(out.XValidations)
	out.XListMapKeys = slices.Clip(out.XListMapKeys)
	out.properties = slices.Clip(out.properties)
	out.allOf = slices.Clip(out.allOf)
	out.edits = slices.Clip(out.edits)
	out.origin.Keywords = slices.Clip(out.origin.Keywords)
	return &out
}

// setProperty adds a property. A later one of the same name takes the place of
// an earlier one, and reports it. index has the places of all so far.
func (d *draft) setProperty(index map[string]int, name string, node *draft) (replaced bool) {
	if i, ok := index[name]; ok {
		d.properties[i].node = node
		return true
	}
	index[name] = len(d.properties)
	d.properties = append(d.properties, draftProperty{name: name, node: node})
	return false
}

// unrequire makes a property optional that is no more.
func (d *draft) unrequire(name string) {
	if d.values != nil {
		d.values.Required = slices.DeleteFunc(slices.Clone(d.values.Required), func(n string) bool { return n == name })
	}
}

// draftOf returns a finished schema as a draft.
func draftOf(s *structural.Schema, p *source.Package) *draft {
	d := &draft{Generic: s.Generic, Extensions: s.Extensions, values: s.ValueValidation, pkg: p, origin: s.Origin}
	for _, property := range s.Properties {
		d.object = true
		d.properties = append(d.properties, draftProperty{property.Name, draftOf(property.Schema, p)})
	}
	if s.Items != nil {
		d.items = draftOf(s.Items, p)
	}
	if a := s.AdditionalProperties; a != nil {
		d.open = a.Bool
		if a.Schema != nil {
			d.additional = draftOf(a.Schema, p)
		}
	}
	if d.values != nil && len(d.values.AllOf) > 0 {
		// The junctors of a draft stand apart until everything is merged.
		values := *d.values
		values.AllOf = nil
		d.values = &values
		d.edits = append(d.edits, &edits.Edit{Pkg: p, Pos: s.Origin.Pos, Name: markers.SchemaName,
			Op: edits.ExtendSchema{Fragment: &structural.Schema{ValueValidation: &structural.ValueValidation{AllOf: s.AllOf}, Origin: s.Origin}}})
	}
	return d
}
