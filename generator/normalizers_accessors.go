package generator

import (
	"go/ast"
	"slices"

	"github.com/schemagen/schemagen/templates"
)

// This file is about methods that set discriminators and members.

// addAccessors adds the methods of a struct's own unions. Those of embedded
// structs are promoted.
func (f *functionFile) addAccessors(node *structNode) {
	if node.defined != nil {
		return
	}
	s, taken := f.structs[node], node.decl.selectors()
	for i, u := range node.unions {
		d := s.Unions[i].Discriminator
		if d == nil {
			continue
		}
		name := "Select" + d.Go
		f.checkAccessor(node, name, u.discriminator, taken)
		s.Accessors = append(s.Accessors, templates.Accessor{Name: name, Select: true, Union: &s.Unions[i], Type: d.Type, Owner: s.Type})
		for at := range s.Unions[i].Members {
			m := &s.Unions[i].Members[at]
			member := u.memberOf(m.JSON)
			f.checkAccessor(node, "Set"+m.Go, member, taken)
			s.Accessors = append(s.Accessors, templates.Accessor{
				Name: "Set" + m.Go, Selector: name, Union: &s.Unions[i], Member: m, Type: f.text(node.decl.file, member.field.typ), Owner: s.Type,
			})
		}
	}
}

func (u *draftUnion) memberOf(name string) *namedField {
	return u.members[slices.IndexFunc(u.members, func(m *namedField) bool { return m.name == name })]
}

// checkAccessor reports a method whose name the type has already.
func (f *functionFile) checkAccessor(node *structNode, name string, of *namedField, taken []string) {
	if !slices.Contains(taken, name) {
		return
	}
	hint := "rename the Go field, its JSON name may stay; or run without --accessors"
	if m := of.field.markers.get("unionMember"); m != nil {
		hint = "rename the Go field, its JSON name may stay, and so may its value: +unionMember=" + of.field.goName() + "; or run without --accessors"
	}
	f.errorf(of.field.pos, hint, "the method %s of field %s is generated for type %s, which has a field or method of that name", name, of.field.goName(), node.decl)
}

// selectors returns the names of the fields and methods of a struct, with those
// that are promoted.
func (t *typeDecl) selectors() []string {
	var out []string
	seen := map[*typeDecl]bool{}
	for level := []embeddedType{{decl: t}}; len(level) > 0; {
		var next []embeddedType
		for _, e := range level {
			decl := e.decl.unalias()
			if decl == nil || seen[decl] {
				continue
			}
			seen[decl] = true
			out = append(out, decl.methodNames()...)
			switch body := underlyingOf(decl.file, decl.spec.Type); body.kind {
			case kindStruct:
				for _, field := range body.expr.(*ast.StructType).Fields.List {
					for _, name := range field.Names {
						out = append(out, name.Name)
					}
					if len(field.Names) == 0 {
						out = append(out, (&fieldDecl{typ: field.Type}).goName())
						next = addEmbedded(next, body.file, field.Type, false)
					}
				}
			case kindInterface:
				if list, ok := body.expr.(*ast.InterfaceType); ok {
					for _, method := range list.Methods.List {
						for _, name := range method.Names {
							out = append(out, name.Name)
						}
					}
				}
			}
		}
		level = next
	}
	return out
}

// methodNames returns the names of the methods that are declared for the type.
func (t *typeDecl) methodNames() []string {
	t.pkg.index()
	var out []string
	for _, f := range t.pkg.files {
		f.parse()
		if f.ast == nil {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || len(fn.Recv.List) != 1 {
				continue
			}
			receiver := ast.Unparen(fn.Recv.List[0].Type)
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = ast.Unparen(star.X)
			}
			receiver, _ = indexed(receiver)
			name, ok := receiver.(*ast.Ident)
			if !ok || name.Name != t.spec.Name.Name && (t.pkg.lookup(name.Name) == nil || t.pkg.lookup(name.Name).unalias() != t) {
				continue
			}
			out = append(out, fn.Name.Name)
		}
	}
	return out
}
