package source

import (
	"go/ast"
	"strconv"
	"strings"
)

// An instance of a generic type is a declaration of its own: a copy of the generic
// declaration whose file binds the type parameters. Other code need not know about type
// parameters.

// TypeArgument is a type expression and the file that contains it.
type TypeArgument struct {
	File *File
	Expr ast.Expr
}

// maxInstances is the maximum nesting depth of instances. Go rejects types that instantiate
// themselves infinitely.
const maxInstances = 20

// Instantiate returns the instance of a generic type for args, which are expressions of f.
// It returns nil if the number of arguments is wrong or instances are nested too deeply.
func (t *Type) Instantiate(f *File, args []ast.Expr) *Type {
	var names []string
	for _, field := range t.Spec.TypeParams.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	if len(names) != len(args) || f.instanceDepth >= maxInstances {
		return nil
	}
	keys := make([]string, len(args))
	arguments := make([]TypeArgument, len(args))
	bound := *t.File
	bound.Params = map[string]TypeArgument{}
	bound.instanceDepth = f.instanceDepth + 1
	for i, arg := range args {
		keys[i] = f.typeKey(arg)
		arguments[i] = TypeArgument{f, arg}
		bound.Params[names[i]] = arguments[i]
	}
	key := strings.Join(keys, ",")
	if instance, ok := t.instances[key]; ok {
		return instance
	}
	spec := *t.Spec
	spec.TypeParams = nil
	instance := &Type{Pkg: t.Pkg, File: &bound, Decl: t.Decl, Spec: &spec, Generic: t, Arguments: arguments, key: key}
	if t.instances == nil {
		t.instances = map[string]*Type{}
	}
	t.instances[key] = instance
	return instance
}

// typeKey returns a text that is equal for identical types.
func (f *File) typeKey(expr ast.Expr) string {
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
		if arg, ok := f.Params[expr.Name]; ok {
			return arg.File.typeKey(arg.Expr)
		}
	}
	if name, why := f.Resolve(expr); why == nil {
		if name.Type == nil {
			return name.Predeclared
		}
		return name.Type.Pkg.Path + "." + name.Type.Label()
	}
	return "@" + strconv.Itoa(int(expr.Pos())) // an unnamed type is only equal to itself
}

// Label returns the unqualified name of the type, with its type arguments.
func (t *Type) Label() string {
	if t.key == "" {
		return t.Spec.Name.Name
	}
	return t.Spec.Name.Name + "[" + t.key + "]"
}

// Indexed splits an instantiation into the generic type and its type arguments. args is nil
// for other expressions.
func Indexed(expr ast.Expr) (generic ast.Expr, args []ast.Expr) {
	switch expr := expr.(type) {
	case *ast.IndexExpr:
		return expr.X, []ast.Expr{expr.Index}
	case *ast.IndexListExpr:
		return expr.X, expr.Indices
	}
	return expr, nil
}
