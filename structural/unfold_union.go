package structural

import (
	"reflect"
	"slices"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// unfoldUnions unfolds the unions of an object that have a discriminator: first
// those set on the object, then those set on its properties.
func unfoldUnions(s *Schema) *Schema {
	out := s
	for _, u := range s.XUnions {
		var members []UnionMember
		for _, f := range u.Fields {
			members = append(members, UnionMember{Value: f.Value, Name: f.Name})
		}
		if u.Discriminator != "" && len(members) > 0 {
			out = unfoldUnion(out, u.Discriminator, members)
		}
	}
	for _, p := range s.Properties {
		if len(p.Schema.XUnionMembers) > 0 {
			out = unfoldUnion(out, p.Name, p.Schema.XUnionMembers)
		}
	}
	return out
}

// unfoldUnion restricts the discriminator to its values and adds the branches.
func unfoldUnion(schema *Schema, discriminator string, members []UnionMember) *Schema {
	d := schema.Property(discriminator)
	values := enumOf(d)
	if values == nil {
		closed := &Schema{Generic: Generic{Type: "string"}, Origin: schema.Origin}
		if d != nil {
			closed = d
		}
		closed = closed.withValues()
		for _, m := range members {
			if !slices.Contains(values, m.Value) {
				values = append(values, m.Value)
				closed.Enum = append(slices.Clip(closed.Enum), JSON{Raw: []byte(plainjson.Text(m.Value))})
			}
		}
		schema = schema.withProperty(discriminator, closed)
		d = closed
	}
	branches := unionBranches(schema, d, discriminator, values, members)
	asOneOf := ValueValidation{OneOf: branches}
	out := schema.withValues()
	switch {
	case sameValues(asOneOf, ValueValidation{OneOf: out.OneOf}),
		slices.ContainsFunc(out.AllOf, func(n NestedValueValidation) bool { return sameValues(asOneOf, n.ValueValidation) }):
		return schema // already unfolded
	case len(out.OneOf) == 0:
		out.OneOf = branches
	default:
		out.AllOf = append(slices.Clip(out.AllOf), NestedValueValidation{ValueValidation: asOneOf, Origin: schema.Origin})
	}
	return out
}

// unionBranches returns one branch for each value of the discriminator, of which
// exactly one matches: it requires the member that the value selects and forbids
// the other members. An absent discriminator counts as the empty value.
func unionBranches(schema, d *Schema, discriminator string, values []string, members []UnionMember) []NestedValueValidation {
	var out []NestedValueValidation
	branch := func(v ValueValidation, forbidden []string) *NestedValueValidation {
		if len(forbidden) > 0 {
			not := &NestedValueValidation{Origin: schema.Origin}
			for _, name := range forbidden {
				not.AnyOf = append(not.AnyOf,
					NestedValueValidation{ValueValidation: ValueValidation{Required: []string{name}}, Origin: schema.Origin})
			}
			v.Not = not
		}
		out = append(out, NestedValueValidation{ValueValidation: v, Origin: schema.Origin})
		return &out[len(out)-1]
	}
	for _, value := range values {
		var v ValueValidation
		var others []string
		if value != "" {
			v.Required = []string{discriminator}
		}
		for _, m := range members {
			switch {
			case m.Name == "":
			case m.Value != value:
				others = append(others, m.Name)
			case !m.Optional && value != "":
				v.Required = append(v.Required, m.Name)
			}
		}
		only := ValueValidation{Enum: []JSON{{Raw: []byte(plainjson.Text(value))}}}
		branch(v, others).Properties = []NestedProperty{
			{Name: discriminator, Schema: &NestedValueValidation{ValueValidation: only, Origin: schema.Origin}},
		}
	}
	mayBeAbsent := d.Default == nil && !schema.Requires(discriminator)
	if mayBeAbsent && !slices.Contains(values, "") {
		absent := []string{discriminator}
		for _, m := range members {
			if m.Name != "" {
				absent = append(absent, m.Name)
			}
		}
		branch(ValueValidation{}, absent)
	}
	return out
}

// sameValues reports whether a and b render the same; positions are ignored.
func sameValues(a, b ValueValidation) bool {
	return reflect.DeepEqual((&Schema{ValueValidation: &a}).Props(), (&Schema{ValueValidation: &b}).Props())
}
