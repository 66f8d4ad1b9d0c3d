package uniongen

import (
	"slices"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/unions/gounions"
)

// This file generates the methods that set discriminators and members.

// addAccessors adds the methods for a struct's own unions. Those of embedded structs are
// promoted.
func (f *functionFile) addAccessors(node *structNode) {
	if node.defined != nil {
		return
	}
	s := f.structs[node]
	taken := node.decl.Selectors()
	for i, u := range node.unions {
		d := s.Unions[i].Discriminator
		if d == nil {
			continue
		}
		name := "Select" + d.Go
		f.checkAccessor(node, name, u.Discriminator, taken)
		s.Accessors = append(s.Accessors,
			goAccessor{Name: name, Select: true, Union: &s.Unions[i], Type: d.Type, Owner: s.Type})
		for index := range s.Unions[i].Members {
			m := &s.Unions[i].Members[index]
			member := memberOf(u, m.JSON)
			f.checkAccessor(node, "Set"+m.Go, member, taken)
			s.Accessors = append(s.Accessors, goAccessor{
				Name: "Set" + m.Go, Selector: name, Union: &s.Unions[i], Member: m, Type: f.text(node.decl.File, member.Field.Type), Owner: s.Type,
			})
		}
	}
}

// memberOf returns the field of a member.
func memberOf(u *gounions.Marked, name string) *source.NamedField {
	return u.Members[slices.IndexFunc(u.Members, func(m *source.NamedField) bool { return m.Name == name })]
}

// checkAccessor reports a method whose name the type already declares.
func (f *functionFile) checkAccessor(node *structNode, name string, field *source.NamedField, taken []string) {
	_, declared := f.declared[node.decl.Spec.Name.Name+"."+name] // perhaps in a file that is not part of the run
	if !declared && !slices.Contains(taken, name) {
		return
	}
	hint := "rename the Go field, its JSON name may stay; or run without functions.accessors"
	if m := field.Field.Markers.Get(markers.UnionMemberName); m != nil {
		hint = "rename the Go field, its JSON name may stay, and so may its value: +unionMember=" + field.Field.GoName() + "; or run without functions.accessors"
	}
	f.errorf(field.Field.Pos, hint, "the method %s of field %s is generated for type %s, which has a field or method of that name", name, field.Field.GoName(), node.decl)
}
