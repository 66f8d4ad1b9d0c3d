// Package templates holds the templates of generated Go: the functions that normalize and validate
// unions.
//
// It knows the form of these functions and how literals and conversions are written. It does not
// know where the values come from: package internal/unions/uniongen resolves names, types and
// imports, and executes the templates with them.
package templates

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"maps"
	"strconv"
	"strings"
	"text/template"
)

//go:embed unions.go.tmpl
var unionsTemplate string

// Unions parses the template for the functions of a package. Executing "body" writes the
// declarations of a file, without a package clause and imports; they are not formatted.
//
// functions are the functions of the template that depend on its data, such as functions that
// return the names of variables, which differ from package to package. The others are defined here.
func Unions(functions template.FuncMap) (*template.Template, error) {
	all := template.FuncMap{
		"quote":   quoted,
		"join":    func(list []string) string { return strings.Join(list, ", ") },
		"typed":   typed,
		"keyText": keyText,
		"bare":    bare,
		"ternary": func(is bool, yes, no string) string { return map[bool]string{true: yes, false: no}[is] },
	}
	maps.Copy(all, functions)
	return template.New("unions").Funcs(all).Parse(unionsTemplate)
}

// quoted returns a string literal, as a raw string if that avoids escaped quotes.
func quoted(s string) string {
	if strings.Contains(s, `"`) && !strings.Contains(s, "`") && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// typed converts a string constant to a named type.
func typed(typ, constant string) string {
	if typ == "string" || !strings.HasPrefix(constant, `"`) {
		return constant
	}
	return typ + "(" + constant + ")"
}

// keyText returns an expression that converts the key of a map to a string.
func keyText(typ, key string) string {
	if typ == "string" {
		return key
	}
	return "string(" + key + ")"
}

// bare returns an expression without enclosing parentheses.
func bare(expr string) string {
	if parsed, err := parser.ParseExpr(expr); err == nil {
		if _, ok := parsed.(*ast.ParenExpr); ok {
			return expr[1 : len(expr)-1]
		}
	}
	return expr
}
