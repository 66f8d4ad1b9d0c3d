package suggest

import (
	"go/ast"
	"slices"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file finds the structs that are the status of a kind. Controllers write a status in parts,
// and the first part often has no field of a union: a union that needs one is not suggested there.
// Other structs, such as the elements of a list in a status, are written as a whole.

// findStatuses finds the types of the status of each kind in packages, and of the structs that are
// inlined into it.
func (s *suggester) findStatuses(packages []*source.Package) {
	s.statuses = map[*source.Type]bool{}
	for _, p := range packages {
		for _, t := range structsOf(p) {
			if !define.IsKind(t, s.Reporter) {
				continue
			}
			for _, f := range t.Fields() {
				if f.JSON().Name == "status" {
					s.addStatus(t, f)
				}
			}
		}
	}
}

// addStatus adds the type of a field, and those of its inlined fields.
func (s *suggester) addStatus(owner *source.Type, f *source.Field) {
	name, why := owner.File.Resolve(source.Pointee(f.Type))
	if why != nil || name.Type == nil || s.statuses[name.Type] {
		return
	}
	t := name.Type
	t.Load()
	if _, ok := t.Spec.Type.(*ast.StructType); !ok {
		return
	}
	s.statuses[t] = true
	for _, child := range t.Fields() {
		if tag := child.JSON(); tag.IsSet && tag.Name == "" {
			s.addStatus(t, child)
		}
	}
}

// needsFields reports whether an object without the fields of the union is rejected, if standing
// is the value of an absent discriminator.
func (c *candidate) needsFields(standing string, members []Member) bool {
	if standing != "" {
		return slices.ContainsFunc(members, func(m Member) bool { return m.Value == standing && !m.Optional })
	}
	mayBeAbsent := slices.Contains(c.choices.values, "") || c.field.Markers.Get(markers.DiscriminatorName) != nil
	return c.required || !mayBeAbsent
}
