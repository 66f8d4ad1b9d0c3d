package generator

import (
	"go/ast"
	"path"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/templates"
)

// This file is where type expressions become texts for the file of a package.

// text returns a type expression of any file as it is written in the package's.
// What cannot be named there is reported.
func (f *functionFile) text(file *file, expr ast.Expr) string {
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
		generic, args := indexed(typed)
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
		if arg, ok := file.params[typed.Name]; ok {
			return f.text(arg.file, arg.expr)
		}
		return f.name(file, expr)
	case *ast.SelectorExpr:
		return f.name(file, expr)
	}
	f.errorf(expr.Pos(), "declare a type for it", "%s cannot be written in generated code", goSyntax(expr))
	return "any"
}

// name returns the name of a type or constant as it is written in the package.
func (f *functionFile) name(file *file, expr ast.Expr) string {
	preferred := ""
	if selector, ok := expr.(*ast.SelectorExpr); ok {
		preferred = exprName(selector.X)
	}
	name, why := file.resolve(expr)
	switch {
	case why == nil && name.decl != nil:
		return f.qualified(name.decl, preferred)
	case why == nil:
		return name.predeclared
	}
	// No type: the constant that is the length of an array.
	switch typed := expr.(type) {
	case *ast.Ident:
		return f.qualifiedName(file.pkg, typed.Name, "")
	case *ast.SelectorExpr:
		if p, _ := file.imported(preferred); p != nil {
			return f.qualifiedName(p, typed.Sel.Name, preferred)
		}
	}
	f.errorf(expr.Pos(), "", "%s cannot be written in generated code", exprName(expr))
	return "any"
}

// qualified returns the name of a declared type.
func (f *functionFile) qualified(t *typeDecl, preferred string) string {
	name := t.spec.Name.Name
	if t.pkg != f.pkg && !ast.IsExported(name) {
		f.errorf(t.spec.Name.Pos(), "export it", "the functions of package %s would have to name the type %s, which is not exported", f.pkg.Path, t)
	}
	return f.qualifiedName(t.pkg, name, preferred)
}

func (f *functionFile) qualifiedName(p *pkg, name, preferred string) string {
	if p == f.pkg {
		return name
	}
	return f.importName(p, preferred) + "." + name
}

// instanceText is an instance of a generic type.
func (f *functionFile) instanceText(t *typeDecl) string {
	var args []string
	for _, field := range t.generic.spec.TypeParams.List {
		for _, name := range field.Names {
			arg := t.file.params[name.Name]
			args = append(args, f.text(arg.file, arg.expr))
		}
	}
	return f.qualified(t.generic, "") + "[" + strings.Join(args, ", ") + "]"
}

// nodeText is the type of a struct.
func (f *functionFile) nodeText(node *structNode) string {
	switch {
	case node.unnamed != "":
		return f.structOf(node).Type
	case node.decl.generic != nil:
		return f.instanceText(node.decl)
	}
	return f.qualified(node.decl, "")
}

// structText is a struct type without a name, which must be the same type.
func (f *functionFile) structText(file *file, st *ast.StructType) string {
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

// importName returns the name of an import, which is added if the file has it
// not yet: the one that the source prefers, or the package's own.
func (f *functionFile) importName(p *pkg, preferred string) string {
	if name, ok := f.imports[p.Path]; ok {
		return name
	}
	if preferred == "" {
		preferred = f.pkg.qualifierOf(p)
	}
	name := preferred
	if slices.Contains([]string{"field", "maps", "slices", "strings"}, name) {
		name = path.Base(path.Dir(p.Path)) + name // one that the functions use themselves
	}
	name = f.unique(strings.Map(identifierRune, name))
	f.imports[p.Path] = name
	added := templates.Import{Path: p.Path}
	if name != path.Base(p.Path) || name != p.Name {
		added.Name = name
	}
	f.out.Imports = append(f.out.Imports, added)
	return name
}

func identifierRune(r rune) rune {
	if identifier([]byte("a"+string(r))) == "a"+string(r) {
		return r
	}
	return '_'
}

// qualifierOf is how the files of the package call another one: as the first that
// gives it a name of its own does, else by its name.
func (p *pkg) qualifierOf(other *pkg) string {
	for _, f := range p.files {
		if f.ast == nil {
			continue
		}
		for _, spec := range f.ast.Imports {
			if spec.Name != nil && spec.Name.Name != "." && spec.Name.Name != "_" && strings.Trim(spec.Path.Value, "\"`") == other.Path {
				return spec.Name.Name
			}
		}
	}
	return other.Name
}
