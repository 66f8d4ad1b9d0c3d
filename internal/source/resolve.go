package source

import (
	"go/ast"
)

// Name is the type that an identifier or a qualified identifier refers to.
type Name struct {
	// Type is the declaration of the type, or nil for a predeclared type.
	Type *Type
	// Predeclared is the name of a predeclared type, or empty.
	Predeclared string
}

// Unresolved is the reason that a name could not be resolved.
type Unresolved struct {
	// ImportPath is set if the package was not found; otherwise the type is unknown.
	ImportPath string
}

// Resolve returns the type that a type name in a file refers to. It searches the
// declarations of the package, then dot imports, then predeclared types.
func (f *File) Resolve(expr ast.Expr) (Name, *Unresolved) {
	switch expr := expr.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		generic, args := Indexed(expr)
		name, why := f.Resolve(generic)
		if why != nil {
			return Name{}, why
		}
		if name.Type == nil || name.Type.Spec.TypeParams.NumFields() == 0 {
			return Name{}, &Unresolved{}
		}
		if instance := name.Type.Instantiate(f, args); instance != nil {
			return Name{Type: instance}, nil
		}
	case *ast.Ident:
		if arg, ok := f.Params[expr.Name]; ok {
			return arg.File.Resolve(arg.Expr)
		}
		if decl := f.Pkg.Lookup(expr.Name); decl != nil {
			return Name{Type: decl}, nil
		}
		for _, path := range f.DotImports() {
			p := f.Pkg.Imported(path)
			if p == nil {
				continue
			}
			if decl := p.Lookup(expr.Name); decl != nil && ast.IsExported(expr.Name) {
				return Name{Type: decl}, nil
			}
		}
		if isUniverse(expr.Name) {
			return Name{Predeclared: expr.Name}, nil
		}
		return Name{}, &Unresolved{}
	case *ast.SelectorExpr:
		qualifier, ok := expr.X.(*ast.Ident)
		if !ok {
			return Name{}, &Unresolved{}
		}
		p, importPath := f.Imported(qualifier.Name)
		if p == nil {
			return Name{}, &Unresolved{ImportPath: importPath}
		}
		if p.Path == "unsafe" {
			return Name{Predeclared: "unsafe." + expr.Sel.Name}, nil
		}
		if decl := p.Lookup(expr.Sel.Name); decl != nil && ast.IsExported(expr.Sel.Name) {
			return Name{Type: decl}, nil
		}
		return Name{}, &Unresolved{}
	}
	return Name{}, &Unresolved{}
}

// Kind is the kind of a Go type, as far as schemas distinguish it.
type Kind int

const (
	KindUnknown Kind = iota
	KindBasic
	KindSlice
	KindArray
	KindMap
	KindStruct
	KindInterface
	KindPointer
	KindOther
)

// Underlying is the type at the end of a chain of declarations.
type Underlying struct {
	Kind Kind
	// Basic is the predeclared name if Kind is KindBasic.
	Basic string
	// Expr is the type expression and File the file that contains it. They are nil for
	// predeclared types.
	Expr ast.Expr
	File *File
}

// UnderlyingOf follows names to the underlying type. The result is of KindUnknown if a name
// cannot be resolved.
func UnderlyingOf(file *File, expr ast.Expr) Underlying {
	for range 100 { // Go rejects a type that is its own underlying type
		switch typed := expr.(type) {
		case *ast.ParenExpr:
			expr = typed.X
			continue
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
			if ident, ok := typed.(*ast.Ident); ok {
				if arg, bound := file.Params[ident.Name]; bound {
					file = arg.File
					expr = arg.Expr
					continue
				}
			}
			name, missing := file.Resolve(typed)
			if missing != nil {
				return Underlying{}
			}
			if name.Type == nil {
				switch name.Predeclared {
				case "any", "error", "comparable":
					return Underlying{Kind: KindInterface}
				}
				return Underlying{Kind: KindBasic, Basic: name.Predeclared}
			}
			file = name.Type.File
			expr = name.Type.Spec.Type
			continue
		case *ast.ArrayType:
			if typed.Len == nil {
				return Underlying{Kind: KindSlice, Expr: expr, File: file}
			}
			return Underlying{Kind: KindArray, Expr: expr, File: file}
		case *ast.MapType:
			return Underlying{Kind: KindMap, Expr: expr, File: file}
		case *ast.StructType:
			return Underlying{Kind: KindStruct, Expr: expr, File: file}
		case *ast.InterfaceType:
			return Underlying{Kind: KindInterface, Expr: expr, File: file}
		case *ast.StarExpr:
			return Underlying{Kind: KindPointer, Expr: expr, File: file}
		}
		return Underlying{Kind: KindOther, Expr: expr, File: file}
	}
	return Underlying{}
}

// isUniverse reports whether name is a predeclared type.
func isUniverse(name string) bool {
	switch name {
	case "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64",
		"int", "int8", "int16", "int32", "int64", "rune", "string",
		"uint", "uint8", "uint16", "uint32", "uint64", "uintptr":
		return true
	}
	return false
}

// IsString reports whether the underlying type is string and the type is not just an alias
// of a predeclared or unnamed type.
func (t *Type) IsString() bool {
	if t.Unalias() == nil {
		return false
	}
	body := UnderlyingOf(t.File, t.Spec.Type)
	return body.Kind == KindBasic && body.Basic == "string"
}
