package generator

import (
	"bytes"
	"go/ast"
	"strings"
)

// marshals reports whether the type, or a pointer to it, has a method of the
// name with the signature func() ([]byte, error): MarshalJSON, MarshalText.
// Methods are those of go/types: declared ones, and those promoted through
// embedded fields from the shallowest depth, unless they are ambiguous there.
func (t *typeDecl) marshals(method string) bool {
	return t.hasMethod(method, (*file).isMarshalSignature)
}

// anySignature is for methods whose name alone counts.
func (f *file) anySignature(*ast.FuncType) bool { return true }

// hasMethod reports whether the type, or a pointer to it, has a method of the
// name whose signature fits.
func (t *typeDecl) hasMethod(method string, fits func(*file, *ast.FuncType) bool) bool {
	level := []embeddedType{{decl: t}}
	seen := map[*typeDecl]bool{} // at shallower depths
	for len(level) > 0 {
		found, good := 0, false
		note := func(e embeddedType, matches bool) {
			found++
			if e.twice {
				found++ // the same method, reached in two ways, is ambiguous
			}
			good = matches
		}
		var next []embeddedType
		for _, e := range level {
			decl := e.decl.unalias()
			if decl == nil || seen[decl] {
				continue
			}
			if declared, matches := decl.declares(method, fits); declared {
				note(e, matches)
				continue
			}
			switch body := underlyingOf(decl.file, decl.spec.Type); body.kind {
			case kindStruct:
				for _, field := range body.expr.(*ast.StructType).Fields.List {
					for _, name := range field.Names {
						if name.Name == method {
							note(e, false) // a field hides the method
						}
					}
					if len(field.Names) == 0 {
						next = addEmbedded(next, body.file, field.Type, e.twice)
					}
				}
			case kindInterface:
				if declared, matches := interfaceHas(body, method, fits, 0); declared {
					note(e, matches)
				}
			}
		}
		for _, e := range level {
			seen[e.decl.unalias()] = true
		}
		if found > 0 {
			return found == 1 && good
		}
		level = next
	}
	return false
}

// embeddedType is a type at one depth of embedding.
type embeddedType struct {
	decl *typeDecl
	// twice: it is reached in more than one way at this depth.
	twice bool
}

func addEmbedded(list []embeddedType, f *file, typ ast.Expr, twice bool) []embeddedType {
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	target, missing := f.resolve(typ)
	if missing != nil || target.decl == nil {
		return list
	}
	decl := target.decl.unalias()
	for i := range list {
		if list[i].decl == decl {
			list[i].twice = true
			return list
		}
	}
	return append(list, embeddedType{decl, twice})
}

// unalias returns the declaration that an alias stands for in the end, or nil
// if that is not a declared type.
func (t *typeDecl) unalias() *typeDecl {
	for range 100 { // an alias of itself is not Go
		if t == nil || !t.spec.Assign.IsValid() {
			return t
		}
		target, missing := t.file.resolve(t.spec.Type)
		if missing != nil {
			return nil
		}
		t = target.decl
	}
	return nil
}

// interfaceHas looks for the method in an interface and those that it embeds.
func interfaceHas(body underlying, method string, fits func(*file, *ast.FuncType) bool, depth int) (declared, matches bool) {
	iface, ok := body.expr.(*ast.InterfaceType)
	if !ok || depth > 100 {
		return false, false
	}
	for _, m := range iface.Methods.List {
		if fn, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 && m.Names[0].Name == method {
			return true, fits(body.file, fn)
		}
		if len(m.Names) == 0 && isName(m.Type) {
			embedded := underlyingOf(body.file, m.Type)
			if declared, matches := interfaceHas(embedded, method, fits, depth+1); declared {
				return true, matches
			}
		}
	}
	return false, false
}

// declares reports whether the package declares the method on the type, and
// whether with a signature that fits.
func (t *typeDecl) declares(method string, fits func(*file, *ast.FuncType) bool) (declared, matches bool) {
	t.pkg.index()
	for _, f := range t.pkg.files {
		if !f.mentionsMethod(method) {
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
			name, ok := receiver.(*ast.Ident)
			if !ok {
				continue
			}
			if name.Name == t.spec.Name.Name || t.pkg.lookup(name.Name).unalias() == t {
				return true, fits(f, fn.Type)
			}
		}
	}
	return false, false
}

// mentionsMethod reports whether the file may declare the method. All but the
// marshalers are asked for so rarely that the file is read again.
func (f *file) mentionsMethod(name string) bool {
	if strings.HasPrefix(name, "Marshal") {
		return f.mentionsMarshal
	}
	src, err := f.pkg.world.read(f.name)
	return err == nil && bytes.Contains(src, []byte(name+"("))
}

// isMarshalSignature reports whether the function takes nothing and returns ([]byte, error).
func (f *file) isMarshalSignature(fn *ast.FuncType) bool {
	if fn.Params.NumFields() != 0 || fn.TypeParams.NumFields() != 0 || fn.Results.NumFields() != 2 {
		return false
	}
	var results []ast.Expr
	for _, field := range fn.Results.List {
		for range max(1, len(field.Names)) {
			results = append(results, field.Type)
		}
	}
	at, expr := f.unalias(results[0])
	bytes, ok := expr.(*ast.ArrayType)
	if !ok || bytes.Len != nil {
		return false
	}
	elem := at.predeclared(bytes.Elt)
	return (elem == "byte" || elem == "uint8") && f.predeclared(results[1]) == "error"
}

// unalias returns what a type expression is behind its aliases, and where.
func (f *file) unalias(expr ast.Expr) (*file, ast.Expr) {
	for range 100 {
		if !isName(expr) {
			break
		}
		name, missing := f.resolve(expr)
		if missing != nil || name.decl == nil || !name.decl.spec.Assign.IsValid() {
			break
		}
		f, expr = name.decl.file, name.decl.spec.Type
	}
	return f, expr
}

// predeclared returns the name of the predeclared type that an expression is,
// aliases looked through, or "".
func (f *file) predeclared(expr ast.Expr) string {
	f, expr = f.unalias(expr)
	name, missing := f.resolve(expr)
	if missing != nil || name.decl != nil {
		return ""
	}
	return name.predeclared
}
