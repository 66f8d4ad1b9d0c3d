package rules

import (
	"sync"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// newParser returns the parser of rules. It expands no macro but has: the others are calls whose
// first arguments are variables, see [macroOf].
var newParser = sync.OnceValues(func() (*parser.Parser, error) {
	return parser.NewParser(parser.Macros(parser.HasMacro), parser.EnableOptionalSyntax(true))
})

// parse returns a rule as an expression, or nil if it is not one.
func parse(rule string) *ast.AST {
	p, err := newParser()
	if err != nil {
		return nil
	}
	parsed, errs := p.Parse(common.NewTextSource(rule))
	if errs != nil && len(errs.GetErrors()) > 0 {
		return nil
	}
	return parsed
}

// unparsed returns the text of a rule without parentheses that it does not need; empty if it is not an expression.
func unparsed(rule string) string {
	parsed := parse(rule)
	if parsed == nil {
		return ""
	}
	text, err := parser.Unparse(parsed.Expr(), parsed.SourceInfo())
	if err != nil {
		return ""
	}
	return text
}

// macro is a call of a macro.
type macro struct {
	name   string
	target ast.Expr
	// variables are the names of the variables, and bodies the expressions that use them.
	variables []string
	bodies    []ast.Expr
}

// variablesOf returns the number of variables of a macro with n arguments, 0 if there is no such macro.
func variablesOf(name string, n int) int {
	switch name {
	case "all", "exists", "existsOne", "exists_one":
		return max(0, n-1)
	case "filter", "optMap", "optFlatMap", "sortBy":
		return 1
	case "map":
		return min(1, max(0, n-1))
	case "transformList", "transformMap", "transformMapEntry":
		return 2
	}
	return 0
}

// macroOf returns a call as a call of a macro.
func macroOf(call ast.CallExpr) (m macro, ok bool) {
	args := call.Args()
	n := variablesOf(call.FunctionName(), len(args))
	if !call.IsMemberFunction() || n == 0 || n > 2 || len(args) <= n {
		return m, false
	}
	m = macro{name: call.FunctionName(), target: call.Target(), bodies: args[n:]}
	for _, variable := range args[:n] {
		if variable.Kind() != ast.IdentKind {
			return m, false
		}
		m.variables = append(m.variables, variable.AsIdent())
	}
	return m, true
}

// textLiteral returns the value of a string literal.
func textLiteral(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().(types.String)
	return string(text), ok
}

// intLiteral returns the value of an integer literal.
func intLiteral(e ast.Expr) (int64, bool) {
	if e.Kind() != ast.LiteralKind {
		return 0, false
	}
	n, ok := e.AsLiteral().(types.Int)
	return int64(n), ok
}
