package generator

import (
	"go/ast"
	"strconv"
	"strings"
)

// This file is about generic types. An instance is a declaration of its own: a
// copy of the generic one whose file binds the type parameters, so that all
// else need not know of them.

// typeArg is a type expression with the file that it stands in.
type typeArg struct {
	file *file
	expr ast.Expr
}

// maxInstances is how deep instances may stand inside of each other. Go itself
// refuses types that instantiate themselves without end.
const maxInstances = 20

// instantiate returns the instance of a generic type, or nil if the number of
// arguments is wrong or there is no end of it.
func (t *typeDecl) instantiate(f *file, args []ast.Expr) *typeDecl {
	var names []string
	for _, field := range t.spec.TypeParams.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	if len(names) != len(args) || f.instanceDepth >= maxInstances {
		return nil
	}
	keys := make([]string, len(args))
	bound := *t.file
	bound.params = map[string]typeArg{}
	bound.instanceDepth = f.instanceDepth + 1
	for i, arg := range args {
		keys[i] = f.typeKey(arg)
		bound.params[names[i]] = typeArg{f, arg}
	}
	key := strings.Join(keys, ",")
	if instance, ok := t.instances[key]; ok {
		return instance
	}
	spec := *t.spec
	spec.TypeParams = nil
	instance := &typeDecl{pkg: t.pkg, file: &bound, gen: t.gen, spec: &spec, generic: t, arguments: key}
	if t.instances == nil {
		t.instances = map[string]*typeDecl{}
	}
	t.instances[key] = instance
	return instance
}

// typeKey is a text that is equal for equal types.
func (f *file) typeKey(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return f.typeKey(expr.X)
	case *ast.StarExpr:
		return "*" + f.typeKey(expr.X)
	case *ast.ArrayType:
		length := ""
		if literal, ok := expr.Len.(*ast.BasicLit); ok {
			length = literal.Value
		} else if expr.Len != nil {
			length = "@" + strconv.Itoa(int(expr.Len.Pos()))
		}
		return "[" + length + "]" + f.typeKey(expr.Elt)
	case *ast.MapType:
		return "map[" + f.typeKey(expr.Key) + "]" + f.typeKey(expr.Value)
	case *ast.Ident:
		if arg, ok := f.params[expr.Name]; ok {
			return arg.file.typeKey(arg.expr)
		}
	}
	if name, why := f.resolve(expr); why == nil {
		if name.decl == nil {
			return name.predeclared
		}
		return name.decl.pkg.Path + "." + name.decl.label()
	}
	return "@" + strconv.Itoa(int(expr.Pos())) // a type without a name is only equal to itself
}

// label is the name of the type with its arguments.
func (t *typeDecl) label() string {
	if t.arguments == "" {
		return t.spec.Name.Name
	}
	return t.spec.Name.Name + "[" + t.arguments + "]"
}

// indexed takes an instance expression apart.
func indexed(expr ast.Expr) (generic ast.Expr, args []ast.Expr) {
	switch expr := expr.(type) {
	case *ast.IndexExpr:
		return expr.X, []ast.Expr{expr.Index}
	case *ast.IndexListExpr:
		return expr.X, expr.Indices
	}
	return expr, nil
}

// uninstantiated reports a generic type without type arguments.
func (b *builder) uninstantiated(f *file, expr ast.Expr) *draft {
	b.reporter.typeErrorf(codeGeneric, f.pkg, expr.Pos(), "", "generic type %s is used without type arguments", exprName(expr))
	return b.failed(f, expr.Pos())
}

// instance makes the draft of an instance of a generic type.
func (b *builder) instance(f *file, expr ast.Expr) *draft {
	generic, args := indexed(expr)
	name, why := f.resolve(generic)
	switch {
	case why != nil:
		return b.missing(f, generic, why)
	case name.decl == nil || name.decl.spec.TypeParams.NumFields() == 0:
		b.reporter.typeErrorf(codeGeneric, f.pkg, expr.Pos(), "", "%s is no generic type", exprName(generic))
		return b.failed(f, expr.Pos())
	case name.decl.spec.TypeParams.NumFields() != len(args):
		b.reporter.typeErrorf(codeGeneric, f.pkg, expr.Pos(), "", "generic type %s wants %d type arguments, got %d",
			exprName(generic), name.decl.spec.TypeParams.NumFields(), len(args))
		return b.failed(f, expr.Pos())
	}
	target := name.decl.instantiate(f, args)
	if target == nil {
		b.reporter.typeErrorf(codeGeneric, f.pkg, expr.Pos(), "", "generic type %s instantiates itself without end", exprName(generic))
		return b.failed(f, expr.Pos())
	}
	return b.local(f, expr, target)
}
