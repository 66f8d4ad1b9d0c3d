package generator

import "go/ast"

// marshals reports whether the type, or a pointer to it, has a method of the
// name with the signature func() ([]byte, error): MarshalJSON, MarshalText.
// Methods are those of go/types: declared ones, and those promoted through
// embedded fields from the shallowest depth, unless they are ambiguous there.
func (t *typeDecl) marshals(method string) bool {
	level := []*typeDecl{t}
	seen := map[*typeDecl]bool{}
	for len(level) > 0 {
		var next []*typeDecl
		found, good := 0, false
		for i := 0; i < len(level); i++ { // aliases extend the level
			decl := level[i]
			if seen[decl] {
				continue
			}
			seen[decl] = true
			if decl.spec.Assign.IsValid() {
				// An alias has the methods of its target, at the same depth.
				if target, missing := decl.file.resolve(decl.spec.Type); missing == nil && target.decl != nil {
					level = append(level, target.decl)
				}
				continue
			}
			if declared, matches := decl.declares(method); declared {
				found++
				good = matches
				continue
			}
			body := underlyingOf(decl.file, decl.spec.Type)
			switch body.kind {
			case kindStruct:
				for _, field := range body.expr.(*ast.StructType).Fields.List {
					for _, name := range field.Names {
						if name.Name == method {
							found++ // a field hides the method
							good = false
						}
					}
					if len(field.Names) > 0 {
						continue
					}
					typ := field.Type
					if star, ok := typ.(*ast.StarExpr); ok {
						typ = star.X
					}
					if target, missing := body.file.resolve(typ); missing == nil && target.decl != nil {
						next = append(next, target.decl)
					}
				}
			case kindInterface:
				if iface, ok := body.expr.(*ast.InterfaceType); ok {
					for _, m := range iface.Methods.List {
						if fn, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 && m.Names[0].Name == method {
							found++
							good = isMarshalSignature(fn)
						}
					}
				}
			}
		}
		if found > 0 {
			return found == 1 && good
		}
		level = next
	}
	return false
}

// declares reports whether the package declares the method on the type, and
// whether with the signature of a marshaler.
func (t *typeDecl) declares(method string) (declared, matches bool) {
	t.pkg.index()
	for _, f := range t.pkg.files {
		if !f.mentionsMarshal {
			continue
		}
		f.parse()
		if f.ast == nil {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Name.Name != method || fn.Recv == nil || len(fn.Recv.List) != 1 {
				continue
			}
			receiver := fn.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if index, ok := receiver.(*ast.IndexExpr); ok {
				receiver = index.X
			}
			if name, ok := receiver.(*ast.Ident); ok && name.Name == t.spec.Name.Name {
				return true, isMarshalSignature(fn.Type)
			}
		}
	}
	return false, false
}

// isMarshalSignature reports whether the function takes nothing and returns ([]byte, error).
func isMarshalSignature(fn *ast.FuncType) bool {
	if fn.Params.NumFields() != 0 || fn.TypeParams.NumFields() != 0 || fn.Results.NumFields() != 2 {
		return false
	}
	var results []ast.Expr
	for _, field := range fn.Results.List {
		for range max(1, len(field.Names)) {
			results = append(results, field.Type)
		}
	}
	bytes, ok := results[0].(*ast.ArrayType)
	if !ok || bytes.Len != nil {
		return false
	}
	elem, ok := bytes.Elt.(*ast.Ident)
	if !ok || elem.Name != "byte" && elem.Name != "uint8" {
		return false
	}
	err, ok := results[1].(*ast.Ident)
	return ok && err.Name == "error"
}
