package unions

import (
	"reflect"
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// fromBranches recovers the unions from the oneOf form. A oneOf is recognized only if
// the union that it appears to express lowers to exactly these branches.
func fromBranches(s *structural.Schema) []Union {
	if s.ValueValidation == nil {
		return nil
	}
	var out []Union
	add := func(branches []structural.NestedValueValidation) {
		if u, ok := unionOf(s, branches); ok {
			out = append(out, u)
		}
	}
	add(s.OneOf)
	// If there are several oneOf, each is in an allOf.
	for _, n := range s.AllOf {
		only := structural.NestedValueValidation{Origin: n.Origin}
		only.OneOf = n.OneOf
		if reflect.DeepEqual(n, only) {
			add(n.OneOf)
		}
	}
	return out
}

// WithoutBranches returns the value validations of an object without the oneOf from
// which [Of] recovers unions. It returns nil if nothing else is left.
func WithoutBranches(s *structural.Schema) *structural.ValueValidation {
	if s.ValueValidation == nil || len(fromBranches(s)) == 0 {
		return s.ValueValidation
	}
	isUnion := func(branches []structural.NestedValueValidation) bool {
		_, ok := unionOf(s, branches)
		return ok
	}
	out := *s.ValueValidation
	if isUnion(out.OneOf) {
		out.OneOf = nil
	}
	out.AllOf = slices.DeleteFunc(slices.Clone(out.AllOf), func(n structural.NestedValueValidation) bool {
		only := structural.NestedValueValidation{Origin: n.Origin}
		only.OneOf = n.OneOf
		return reflect.DeepEqual(n, only) && isUnion(n.OneOf)
	})
	return &out
}

// unionOf converts the branches to a union and compares its branches with them.
func unionOf(s *structural.Schema, branches []structural.NestedValueValidation) (Union, bool) {
	var read []branch
	for i := range branches {
		b, ok := readBranch(&branches[i])
		if !ok {
			return Union{}, false
		}
		read = append(read, b)
	}
	if len(read) == 0 {
		return Union{}, false
	}
	u := countOf(s, read)
	if read[0].discriminator != "" {
		u = selectionOf(s, read)
	}
	if len(u.Members) == 0 || slices.ContainsFunc(u.Members, func(m Member) bool { return s.Property(m.Name) == nil }) {
		return Union{}, false
	}
	ours := oneOfBranches(&u)
	if len(ours) != len(read) {
		return Union{}, false
	}
	for i := range ours {
		if b, _ := readBranch(&ours[i]); !b.equal(read[i]) {
			return Union{}, false
		}
	}
	return u, true
}

// branch is one branch: a value of a discriminator, or none, and names in
// alphabetical order, because the order of fields is not always known.
type branch struct {
	discriminator, value string
	required, forbidden  []string
}

func (b branch) equal(o branch) bool {
	return b.discriminator == o.discriminator && b.value == o.value &&
		slices.Equal(b.required, o.required) && slices.Equal(b.forbidden, o.forbidden)
}

// readBranch parses a branch; it fails if the schema contains anything else.
func readBranch(n *structural.NestedValueValidation) (branch, bool) {
	b := branch{required: sorted(n.Required)}
	only := structural.NestedValueValidation{Origin: n.Origin, Properties: n.Properties}
	only.Required = n.Required
	only.Not = n.Not
	if !reflect.DeepEqual(*n, only) || len(n.Properties) > 1 {
		return branch{}, false
	}
	for _, p := range n.Properties {
		only := structural.NestedValueValidation{Origin: p.Schema.Origin}
		only.Enum = p.Schema.Enum
		if !reflect.DeepEqual(*p.Schema, only) || len(p.Schema.Enum) != 1 {
			return branch{}, false
		}
		value, ok := stringOf(&p.Schema.Enum[0])
		if !ok {
			return branch{}, false
		}
		b.discriminator = p.Name
		b.value = value
	}
	if n.Not == nil {
		return b, true
	}
	only = structural.NestedValueValidation{Origin: n.Not.Origin}
	only.AnyOf = n.Not.AnyOf
	if !reflect.DeepEqual(*n.Not, only) || len(n.Not.AnyOf) == 0 {
		return branch{}, false
	}
	for _, any := range n.Not.AnyOf {
		only := structural.NestedValueValidation{Origin: any.Origin}
		only.Required = any.Required
		if !reflect.DeepEqual(any, only) || len(any.Required) != 1 {
			return branch{}, false
		}
		b.forbidden = append(b.forbidden, any.Required[0])
	}
	b.forbidden = sorted(b.forbidden)
	return b, true
}

func sorted(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return out
}

// selectionOf returns the discriminated union that the branches appear to express. The
// member of a value is the one that its branch does not forbid.
func selectionOf(schema *structural.Schema, branches []branch) Union {
	discriminator := branches[0].discriminator
	var values, names []string
	for _, b := range branches {
		if b.discriminator != "" {
			values = append(values, b.value)
		}
		for _, name := range slices.Concat(b.required, b.forbidden) {
			if name != discriminator && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	var members []Member
	for _, b := range branches {
		for _, name := range names {
			if b.discriminator != "" && !slices.Contains(b.forbidden, name) {
				members = append(members, Member{Name: name, Value: b.value, Optional: !slices.Contains(b.required, name)})
			}
		}
	}
	// The form also restricts the values: with other values it is not this form.
	if !slices.Equal(stringsOf(schema.Property(discriminator)), values) {
		return Union{}
	}
	return withFacts(schema, discriminator, values, members)
}

// countOf returns the undiscriminated union that the branches appear to express.
func countOf(s *structural.Schema, branches []branch) Union {
	u := Union{Pos: s.Origin.Pos}
	for _, b := range branches {
		if len(b.required) == 1 {
			u.Members = append(u.Members, Member{Name: b.required[0]})
		} else {
			u.AtMostOne = true
		}
	}
	if len(u.Members) < 2 {
		return Union{}
	}
	return u
}
