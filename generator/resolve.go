package generator

import (
	"go/ast"
)

// typeName is what an identifier or a qualified identifier stands for.
type typeName struct {
	// decl is the declaration of a type; nil for a predeclared type.
	decl *typeDecl
	// predeclared is the name of a predeclared type.
	predeclared string
}

// unresolved says why a name stands for nothing.
type unresolved struct {
	// importPath is set if the package was not found; else the type is unknown.
	importPath string
}

// resolve returns what a type name in a file stands for: first the package's own
// declarations, then dot imports, then the language.
func (f *file) resolve(expr ast.Expr) (typeName, *unresolved) {
	switch expr := expr.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		generic, args := indexed(expr)
		name, why := f.resolve(generic)
		if why != nil {
			return typeName{}, why
		}
		if name.decl == nil || name.decl.spec.TypeParams.NumFields() == 0 {
			return typeName{}, &unresolved{}
		}
		if instance := name.decl.instantiate(f, args); instance != nil {
			return typeName{decl: instance}, nil
		}
	case *ast.Ident:
		if arg, ok := f.params[expr.Name]; ok {
			return arg.file.resolve(arg.expr)
		}
		if decl := f.pkg.lookup(expr.Name); decl != nil {
			return typeName{decl: decl}, nil
		}
		for _, p := range f.dotImports() {
			if decl := p.lookup(expr.Name); decl != nil && ast.IsExported(expr.Name) {
				return typeName{decl: decl}, nil
			}
		}
		if isUniverse(expr.Name) {
			return typeName{predeclared: expr.Name}, nil
		}
		return typeName{}, &unresolved{}
	case *ast.SelectorExpr:
		qualifier, ok := expr.X.(*ast.Ident)
		if !ok {
			return typeName{}, &unresolved{}
		}
		p, importPath := f.imported(qualifier.Name)
		if p == nil {
			return typeName{}, &unresolved{importPath: importPath}
		}
		if p.Path == "unsafe" {
			return typeName{predeclared: "unsafe." + expr.Sel.Name}, nil
		}
		if decl := p.lookup(expr.Sel.Name); decl != nil && ast.IsExported(expr.Sel.Name) {
			return typeName{decl: decl}, nil
		}
		return typeName{}, &unresolved{}
	}
	return typeName{}, &unresolved{}
}

// kind is the kind of a Go type, as far as a schema needs to tell.
type kind int

const (
	kindUnknown kind = iota
	kindBasic
	kindSlice
	kindArray
	kindMap
	kindStruct
	kindInterface
	kindPointer
	kindOther
)

// underlying is the type that a chain of declarations ends in.
type underlying struct {
	kind kind
	// basic is the predeclared name if the kind is basic.
	basic string
	// expr is the type itself, and file is where it stands, unless it is predeclared.
	expr ast.Expr
	file *file
}

// underlyingOf follows names to the type that they stand for.
func underlyingOf(f *file, expr ast.Expr) underlying {
	for range 100 { // a type that is its own is not Go
		switch typed := expr.(type) {
		case *ast.ParenExpr:
			expr = typed.X
			continue
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
			if ident, ok := typed.(*ast.Ident); ok {
				if arg, bound := f.params[ident.Name]; bound {
					f, expr = arg.file, arg.expr
					continue
				}
			}
			name, missing := f.resolve(typed)
			if missing != nil {
				return underlying{}
			}
			if name.decl == nil {
				switch name.predeclared {
				case "any", "error", "comparable":
					return underlying{kind: kindInterface}
				}
				return underlying{kind: kindBasic, basic: name.predeclared}
			}
			f, expr = name.decl.file, name.decl.spec.Type
			continue
		case *ast.ArrayType:
			if typed.Len == nil {
				return underlying{kind: kindSlice, expr: expr, file: f}
			}
			return underlying{kind: kindArray, expr: expr, file: f}
		case *ast.MapType:
			return underlying{kind: kindMap, expr: expr, file: f}
		case *ast.StructType:
			return underlying{kind: kindStruct, expr: expr, file: f}
		case *ast.InterfaceType:
			return underlying{kind: kindInterface, expr: expr, file: f}
		case *ast.StarExpr:
			return underlying{kind: kindPointer, expr: expr, file: f}
		}
		return underlying{kind: kindOther, expr: expr, file: f}
	}
	return underlying{}
}

// isUniverse reports whether the language declares a type of the name.
func isUniverse(name string) bool {
	switch name {
	case "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64",
		"int", "int8", "int16", "int32", "int64", "rune", "string",
		"uint", "uint8", "uint16", "uint32", "uint64", "uintptr":
		return true
	}
	return false
}

// basicSchema returns the schema type and format of a predeclared type. typ is
// empty if it has none; a float's is "number".
func basicSchema(name string) (typ, format string) {
	switch name {
	case "bool":
		return "boolean", ""
	case "string":
		return "string", ""
	case "int32", "uint32", "rune":
		return "integer", "int32"
	case "int64", "uint64":
		return "integer", "int64"
	case "int", "int8", "int16", "uint", "uint8", "uint16", "uintptr", "byte":
		return "integer", ""
	case "float32", "float64":
		return "number", ""
	}
	return "", ""
}
