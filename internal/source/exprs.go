package source

import "go/ast"

// This file has what the syntax of a type expression shows.

// ExprName returns the text of a name, qualified or not, and "?" for other expressions.
func ExprName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return ExprName(expr.X) + "." + expr.Sel.Name
	}
	return "?"
}

// IsName reports whether an expression is a name, qualified or not.
func IsName(expr ast.Expr) bool {
	switch expr.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

// Pointee returns what a pointer type points to, and other types unchanged.
func Pointee(expr ast.Expr) ast.Expr {
	if star, ok := expr.(*ast.StarExpr); ok {
		return star.X
	}
	return expr
}

// Elem returns what a pointer points to, or the type of elements or values, and nil for other types.
func Elem(expr ast.Expr) ast.Expr {
	switch expr := ast.Unparen(expr).(type) {
	case *ast.StarExpr:
		return expr.X
	case *ast.ArrayType:
		return expr.Elt
	case *ast.MapType:
		return expr.Value
	}
	return nil
}

// EmbeddedName returns the name of a field that embeds a type, or nil if the expression cannot be
// embedded.
func EmbeddedName(expr ast.Expr) *ast.Ident {
	expr, _ = Indexed(Pointee(expr))
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr
	case *ast.SelectorExpr:
		return expr.Sel
	}
	return nil
}
