package source

import (
	"bytes"
	"go/ast"
	"strings"
)

// Marshals reports whether the type, or a pointer to it, has a method with the name, for
// example MarshalJSON or MarshalText, and the signature func() ([]byte, error). The method
// set is as in go/types: declared methods, and those promoted through embedded fields from
// the shallowest depth unless they are ambiguous.
func (t *Type) Marshals(method string) bool {
	return t.method(method, (*File).isMarshalSignature).matches
}

// MarshalsByPointer reports whether encoding/json calls a method of the type only for values with an
// address: MarshalJSON or MarshalText has a pointer receiver. The values of maps have no address.
func (t *Type) MarshalsByPointer() bool {
	own := t.method("MarshalJSON", (*File).isMarshalSignature)
	if !own.matches {
		own = t.method("MarshalText", (*File).isMarshalSignature)
	}
	return own.matches && own.pointer
}

// HasMethod reports whether the type, or a pointer to it, has a method with the name,
// whatever its signature.
func (t *Type) HasMethod(method string) bool {
	return t.method(method, func(*File, *ast.FuncType) bool { return true }).matches
}

// Declares reports whether the package declares a method with the name on the type, whatever its
// signature.
func (t *Type) Declares(method string) bool {
	return t.declares(method, func(*File, *ast.FuncType) bool { return true }).declared
}

// foundMethod is a method of a type, or of a pointer to it.
type foundMethod struct {
	declared bool
	// matches is set if the method is in the method set, and has the wanted signature.
	matches bool
	// pointer is set if only a pointer to the type has the method.
	pointer bool
}

// method finds a method of the type, or of a pointer to it. match reports whether a signature is the
// wanted one.
func (t *Type) method(method string, match func(*File, *ast.FuncType) bool) foundMethod {
	level := []embeddedType{{decl: t}}
	seen := map[*Type]bool{} // those at shallower depths
	for len(level) > 0 {
		count := 0
		var good foundMethod
		add := func(e embeddedType, found foundMethod) {
			count++
			if e.multiples {
				count++ // the method is ambiguous
			}
			good = found
			good.pointer = found.pointer && !e.pointed
		}
		var next []embeddedType
		for _, e := range level {
			decl := e.decl.Unalias()
			if decl == nil || seen[decl] {
				continue
			}
			if found := decl.declares(method, match); found.declared {
				add(e, found)
				continue
			}
			switch body := UnderlyingOf(decl.File, decl.Spec.Type); body.Kind {
			case KindStruct:
				for _, field := range body.Expr.(*ast.StructType).Fields.List {
					for _, name := range field.Names {
						if name.Name == method {
							add(e, foundMethod{declared: true}) // a field hides the method
						}
					}
					if len(field.Names) == 0 {
						next = addEmbedded(next, body.File, field.Type, e)
					}
				}
			case KindInterface:
				if declared, matches := interfaceHas(body, method, match, 0); declared {
					add(e, foundMethod{declared: true, matches: matches})
				}
			}
		}
		for _, e := range level {
			seen[e.decl.Unalias()] = true
		}
		if count > 0 {
			good.matches = good.matches && count == 1
			return good
		}
		level = next
	}
	return foundMethod{}
}

// embeddedType is a type at one depth of embedding.
type embeddedType struct {
	decl *Type
	// multiples is set if the type is embedded more than once at this depth, as in go/types.
	multiples bool
	// pointed is set if the type is embedded by a pointer, or in a type that is.
	pointed bool
}

// addEmbedded adds the type of an embedded field of outer.
func addEmbedded(list []embeddedType, f *File, typ ast.Expr, outer embeddedType) []embeddedType {
	pointed := outer.pointed
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
		pointed = true
	}
	target, missing := f.Resolve(typ)
	if missing != nil || target.Type == nil {
		return list
	}
	decl := target.Type.Unalias()
	for i := range list {
		if list[i].decl == decl {
			list[i].multiples = true
			return list
		}
	}
	return append(list, embeddedType{decl, outer.multiples, pointed})
}

// Unalias returns the declaration at the end of a chain of aliases, or nil if that is not a
// declared type.
func (t *Type) Unalias() *Type {
	for range 100 { // a type cannot be an alias of itself in Go
		if t == nil || !t.Spec.Assign.IsValid() {
			return t
		}
		target, missing := t.File.Resolve(ast.Unparen(t.Spec.Type))
		if missing != nil {
			return nil
		}
		t = target.Type
	}
	return nil
}

// interfaceHas searches for a method in an interface and the interfaces that it embeds.
// matches is the result of match for its signature.
func interfaceHas(body Underlying, method string, match func(*File, *ast.FuncType) bool, depth int) (declared, matches bool) {
	iface, ok := body.Expr.(*ast.InterfaceType)
	if !ok || depth > 100 {
		return false, false
	}
	for _, m := range iface.Methods.List {
		if fn, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 && m.Names[0].Name == method {
			return true, match(body.File, fn)
		}
		if len(m.Names) == 0 && IsName(m.Type) {
			embedded := UnderlyingOf(body.File, m.Type)
			if declared, matches := interfaceHas(embedded, method, match, depth+1); declared {
				return true, matches
			}
		}
	}
	return false, false
}

// declares finds the method among the methods that the package declares on the type.
func (t *Type) declares(method string, match func(*File, *ast.FuncType) bool) foundMethod {
	t.Pkg.Index()
	for _, f := range t.Pkg.Sources {
		if !f.mentionsMethod(method) {
			continue
		}
		f.Parse()
		if f.Syntax == nil {
			continue
		}
		for _, decl := range f.Syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Name.Name != method {
				continue
			}
			name, pointer := Receiver(fn)
			if name != "" && (name == t.Spec.Name.Name || t.Pkg.Lookup(name).Unalias() == t) {
				return foundMethod{declared: true, matches: match(f, fn.Type), pointer: pointer}
			}
		}
	}
	return foundMethod{}
}

// Receiver returns the name of the type that a method is declared on, and reports whether the method
// has a pointer to it. The name is empty for a function.
func Receiver(fn *ast.FuncDecl) (name string, pointer bool) {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return "", false
	}
	expr := ast.Unparen(fn.Recv.List[0].Type)
	star, pointer := expr.(*ast.StarExpr)
	if pointer {
		expr = ast.Unparen(star.X)
	}
	expr, _ = Indexed(expr)
	if ident, ok := expr.(*ast.Ident); ok {
		return ident.Name, pointer
	}
	return "", pointer
}

// Receiver returns the name of a type for which the package declares a method with the name; empty
// if there is none.
func (p *Package) Receiver(method string) string {
	p.Index()
	for _, f := range p.Sources {
		if f.Parse(); f.Syntax == nil {
			continue
		}
		for _, fn := range f.allFunctions() {
			if name, _ := Receiver(fn); name != "" && fn.Name.Name == method {
				return name
			}
		}
	}
	return ""
}

// mentionsMethod reports whether the file may declare the method. Methods other than marshalers
// and IsZero are queried so rarely that the file is read again.
func (f *File) mentionsMethod(name string) bool {
	if strings.HasPrefix(name, "Marshal") {
		return f.mentionsMarshal
	}
	if name == "IsZero" {
		return f.mentionsIsZero
	}
	if strings.HasPrefix(name, "DeepCopy") {
		return f.MentionsDeepCopy
	}
	src, err := f.Text()
	return err == nil && bytes.Contains(src, []byte(name+"("))
}

// isMarshalSignature reports whether the function has no parameters and returns ([]byte,
// error).
func (f *File) isMarshalSignature(fn *ast.FuncType) bool {
	if fn.Params.NumFields() != 0 || fn.TypeParams.NumFields() != 0 || fn.Results.NumFields() != 2 {
		return false
	}
	var results []ast.Expr
	for _, field := range fn.Results.List {
		for range max(1, len(field.Names)) {
			results = append(results, field.Type)
		}
	}
	file, expr := f.Unalias(results[0])
	bytes, ok := expr.(*ast.ArrayType)
	if !ok || bytes.Len != nil {
		return false
	}
	elem := file.Predeclared(bytes.Elt)
	return (elem == "byte" || elem == "uint8") && f.Predeclared(results[1]) == "error"
}

// Unalias resolves the aliases in a type expression, and returns the result and its file.
func (f *File) Unalias(expr ast.Expr) (*File, ast.Expr) {
	for range 100 {
		if !IsName(expr) {
			break
		}
		name, missing := f.Resolve(expr)
		if missing != nil || name.Type == nil || !name.Type.Spec.Assign.IsValid() {
			break
		}
		f = name.Type.File
		expr = name.Type.Spec.Type
	}
	return f, expr
}

// Predeclared returns the name of the predeclared type that an expression denotes, with
// aliases resolved, or "".
func (f *File) Predeclared(expr ast.Expr) string {
	f, expr = f.Unalias(expr)
	name, missing := f.Resolve(expr)
	if missing != nil || name.Type != nil {
		return ""
	}
	return name.Predeclared
}

// ResolveExpr resolves type parameters, parentheses and aliases in a type expression, and
// returns the result and its file.
func (f *File) ResolveExpr(expr ast.Expr) (*File, ast.Expr) {
	for range 20 {
		switch typed := expr.(type) {
		case *ast.ParenExpr:
			expr = typed.X
			continue
		case *ast.Ident:
			if arg, ok := f.Params[typed.Name]; ok {
				f = arg.File
				expr = arg.Expr
				continue
			}
		}
		file, resolved := f.Unalias(expr)
		if resolved == expr {
			break
		}
		f = file
		expr = resolved
	}
	return f, expr
}

// Selectors returns the names of the fields and methods of a type, including promoted ones.
func (t *Type) Selectors() []string {
	var out []string
	seen := map[*Type]bool{}
	for level := []embeddedType{{decl: t}}; len(level) > 0; {
		var next []embeddedType
		for _, e := range level {
			decl := e.decl.Unalias()
			if decl == nil || seen[decl] {
				continue
			}
			seen[decl] = true
			out = append(out, decl.methodNames()...)
			switch body := UnderlyingOf(decl.File, decl.Spec.Type); body.Kind {
			case KindStruct:
				for _, field := range body.Expr.(*ast.StructType).Fields.List {
					for _, name := range field.Names {
						out = append(out, name.Name)
					}
					if len(field.Names) == 0 {
						out = append(out, (&Field{Type: field.Type}).GoName())
						next = addEmbedded(next, body.File, field.Type, embeddedType{})
					}
				}
			case KindInterface:
				if list, ok := body.Expr.(*ast.InterfaceType); ok {
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

// methodNames returns the names of the methods declared on the type.
func (t *Type) methodNames() []string {
	t.Pkg.Index()
	var out []string
	for _, f := range t.Pkg.Sources {
		f.Parse()
		if f.Syntax == nil {
			continue
		}
		for _, fn := range f.allFunctions() {
			name, _ := Receiver(fn)
			if name != "" && (name == t.Spec.Name.Name || t.Pkg.Lookup(name).Unalias() == t) {
				out = append(out, fn.Name.Name)
			}
		}
	}
	return out
}
