package uniongen

import (
	"go/ast"
	"path"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/gotext"
)

// This file converts type expressions to text for the generated file of a package.

// text returns a type expression of any file as written in the generated file. Types that
// cannot be named there are reported.
func (f *functionFile) text(file *source.File, expr ast.Expr) string {
	switch typed := expr.(type) {
	case *ast.ParenExpr:
		return f.text(file, typed.X)
	case *ast.StarExpr:
		return "*" + f.text(file, typed.X)
	case *ast.ArrayType:
		switch length := typed.Len.(type) {
		case nil:
			return "[]" + f.text(file, typed.Elt)
		case *ast.BasicLit:
			return "[" + length.Value + "]" + f.text(file, typed.Elt)
		default:
			return "[" + f.name(file, length) + "]" + f.text(file, typed.Elt)
		}
	case *ast.MapType:
		return "map[" + f.text(file, typed.Key) + "]" + f.text(file, typed.Value)
	case *ast.StructType:
		if node := f.graph.unnamed[unnamedStruct{file, typed}]; node != nil && f.aliases[node] != "" {
			return f.aliases[node]
		}
		return f.structText(file, typed)
	case *ast.IndexExpr, *ast.IndexListExpr:
		generic, args := source.Indexed(typed)
		texts := make([]string, len(args))
		for i, arg := range args {
			texts[i] = f.text(file, arg)
		}
		return f.name(file, generic) + "[" + strings.Join(texts, ", ") + "]"
	case *ast.InterfaceType:
		if typed.Methods.NumFields() == 0 {
			return "any"
		}
	case *ast.Ident:
		if arg, ok := file.Params[typed.Name]; ok {
			return f.text(arg.File, arg.Expr)
		}
		return f.name(file, expr)
	case *ast.SelectorExpr:
		return f.name(file, expr)
	}
	f.errorf(expr.Pos(), "declare a type for it", "%s cannot be written in generated code", define.GoSyntax(expr))
	return "any"
}

// name returns the name of a type or constant as written in the generated file.
func (f *functionFile) name(file *source.File, expr ast.Expr) string {
	preferred := ""
	if selector, ok := expr.(*ast.SelectorExpr); ok {
		preferred = source.ExprName(selector.X)
	}
	name, why := file.Resolve(expr)
	switch {
	case why == nil && name.Type != nil:
		return f.qualified(name.Type, preferred)
	case why == nil:
		return name.Predeclared
	}
	// Not a type: a constant that is the length of an array.
	switch typed := expr.(type) {
	case *ast.Ident:
		return f.qualifiedName(file.Pkg, typed.Name, "")
	case *ast.SelectorExpr:
		if p, _ := file.Imported(preferred); p != nil {
			return f.qualifiedName(p, typed.Sel.Name, preferred)
		}
	}
	f.errorf(expr.Pos(), "", "%s cannot be written in generated code", source.ExprName(expr))
	return "any"
}

// qualified returns the name of a declared type.
func (f *functionFile) qualified(t *source.Type, preferred string) string {
	name := t.Spec.Name.Name
	if t.Pkg != f.pkg && !ast.IsExported(name) {
		f.errorf(t.Spec.Name.Pos(), "export it", "the functions of package %s would have to name the type %s, which is not exported", f.pkg.Path, t)
	}
	return f.qualifiedName(t.Pkg, name, preferred)
}

func (f *functionFile) qualifiedName(p *source.Package, name, preferred string) string {
	if p == f.pkg {
		return name
	}
	return f.importName(p, preferred) + "." + name
}

// instanceText returns an instance of a generic type.
func (f *functionFile) instanceText(t *source.Type) string {
	var args []string
	for _, arg := range t.Arguments {
		args = append(args, f.text(arg.File, arg.Expr))
	}
	return f.qualified(t.Generic, "") + "[" + strings.Join(args, ", ") + "]"
}

// nodeText returns the type of a struct.
func (f *functionFile) nodeText(node *structNode) string {
	switch {
	case node.unnamed != "":
		return f.structOf(node).Type
	case node.decl.Generic != nil:
		return f.instanceText(node.decl)
	}
	return f.qualified(node.decl, "")
}

// structText returns an unnamed struct type, which must be identical to the original.
func (f *functionFile) structText(file *source.File, st *ast.StructType) string {
	var out strings.Builder
	out.WriteString("struct {\n")
	for _, field := range st.Fields.List {
		names := make([]string, len(field.Names))
		for i, name := range field.Names {
			names[i] = name.Name
		}
		out.WriteString(strings.Join(names, ", ") + " " + f.text(file, field.Type))
		if field.Tag != nil {
			out.WriteString(" " + field.Tag.Value)
		}
		out.WriteString("\n")
	}
	out.WriteString("}")
	return out.String()
}

// importName returns the name of an import, adding the import if necessary: preferred, or the
// package's own name.
func (f *functionFile) importName(p *source.Package, preferred string) string {
	if name, ok := f.imports[p.Path]; ok {
		return name
	}
	if preferred == "" {
		preferred = qualifierOf(f.pkg, p)
	}
	name := preferred
	if slices.Contains([]string{"field", "maps", "slices", "strings"}, name) {
		name = path.Base(path.Dir(p.Path)) + name // the functions use it themselves
	}
	name = f.unique(gotext.Identifier(name))
	f.imports[p.Path] = name
	added := gotext.Import{Path: p.Path}
	if name != path.Base(p.Path) || name != p.Name {
		added.Name = name
	}
	f.out.Imports = append(f.out.Imports, added)
	return name
}

// qualifierOf returns the name by which the package's files import another one: the first
// explicit name, or else the other package's own.
func qualifierOf(p, other *source.Package) string {
	for _, f := range p.Sources {
		if f.Syntax == nil {
			continue
		}
		for _, spec := range f.Syntax.Imports {
			if spec.Name != nil && spec.Name.Name != "." && spec.Name.Name != "_" && strings.Trim(spec.Path.Value, "\"`") == other.Path {
				return spec.Name.Name
			}
		}
	}
	return other.Name
}
