package define

import (
	"slices"

	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// draft is a schema node before it becomes a structural.Schema: it may still refer to a Go
// type, and embedded or referenced types are not merged into it yet.
//
// The drafts of a type are shared by all its users and are not modified once the type is
// built: to change a node, clone it first.
type draft struct {
	structural.Generic
	structural.Extensions
	// values is nil if there is no value validation. Its AllOf stays empty: see allOf.
	values *structural.ValueValidation

	// object is set if the node has properties, even if the list is empty.
	object     bool
	properties []draftProperty // in source order, with unique names
	items      *draft
	// additional is the schema of additionalProperties. If it is nil and open is set, any
	// value is allowed.
	additional *draft
	open       bool

	// allOf are nodes to be merged into this one: embedded structs, or the two halves of a
	// resolved reference, which are the type and the keywords of the field. After merging,
	// it has the parts that could not be merged.
	allOf []*draft
	// inlined is the field that the node describes if the node is merged into that of a struct.
	inlined *inlinedField
	// typed are the inlined fields that gave the node its type, if nothing else did.
	typed []*inlinedField
	// ref is the type that the node refers to until it is resolved.
	ref *source.Type
	// resolved is set if allOf holds the two halves of a reference.
	resolved bool
	// cut is the type whose recursion ends at this node, and cycle the path from that type
	// to itself.
	cut   *source.Type
	cycle string

	// edits are applied to the schema after merging.
	edits []*edits.Edit
	// constants are the Go constants for the values of an enum.
	constants []source.Constant

	// metadata is the use of a metav1.ObjectMeta whose fields are not described, or of a
	// type that embeds one; otherwise nil.
	metadata *checks.MetadataUse

	// failed is set once an error has been reported; no schema was built.
	failed bool
	// integerKeys is set for a map with integers as keys, whose type is only what markers set.
	integerKeys bool

	pkg    *source.Package // the package that declares the node
	docs   *source.Package // the package of the description, if different
	origin structural.Origin
}

type draftProperty struct {
	name string
	node *draft
}

// validation returns the value validation of the node, creating it if necessary.
func (d *draft) validation() *structural.ValueValidation {
	if d.values == nil {
		d.values = &structural.ValueValidation{}
	}
	return d.values
}

// clone returns a copy that can be modified without affecting d. Children are shared.
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

// setProperty adds a property. If there is already one with the name, it is replaced, and
// setProperty returns true. index maps the names of the properties to their indexes.
func (d *draft) setProperty(index map[string]int, name string, node *draft) (replaced bool) {
	if i, ok := index[name]; ok {
		d.properties[i].node = node
		return true
	}
	index[name] = len(d.properties)
	d.properties = append(d.properties, draftProperty{name: name, node: node})
	return false
}

// unrequire removes the name of a removed property from the required ones.
func (d *draft) unrequire(name string) {
	if d.values != nil {
		d.values.Required = slices.DeleteFunc(slices.Clone(d.values.Required), func(n string) bool { return n == name })
	}
}

// draftOf converts a schema to a draft.
func draftOf(schema *structural.Schema, p *source.Package) *draft {
	d := &draft{Generic: schema.Generic, Extensions: schema.Extensions, values: schema.ValueValidation, pkg: p, origin: schema.Origin}
	for _, property := range schema.Properties {
		d.object = true
		d.properties = append(d.properties, draftProperty{property.Name, draftOf(property.Schema, p)})
	}
	if schema.Items != nil {
		d.items = draftOf(schema.Items, p)
	}
	if a := schema.AdditionalProperties; a != nil {
		d.open = a.Bool
		if a.Schema != nil {
			d.additional = draftOf(a.Schema, p)
		}
	}
	if d.values != nil && len(d.values.AllOf) > 0 {
		// A draft keeps allOf apart until everything is merged.
		values := *d.values
		values.AllOf = nil
		d.values = &values
		d.edits = append(d.edits, &edits.Edit{Pkg: p, Pos: schema.Origin.Pos, Name: markers.SchemaName,
			Op: edits.ExtendSchema{Fragment: &structural.Schema{ValueValidation: &structural.ValueValidation{AllOf: schema.AllOf}, Origin: schema.Origin}}})
	}
	return d
}
