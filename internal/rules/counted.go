package rules

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"
)

// reading is what a condition reads.
type reading struct {
	// columns are the columns that the condition reads, with those around them, and counted the ones of which only
	// the number that is present matters. They are not among columns.
	columns, counted []*part
	// times is how often the condition reads a column, or one below it.
	times map[*part]int
}

// key identifies what a condition reads of choices.
func (r reading) key(condition int, chosen assignment) string {
	present := 0
	for _, column := range r.counted {
		if chosen[column] != absent {
			present++
		}
	}
	key := []int{condition, present}
	for _, column := range r.columns {
		key = append(key, chosen[column])
	}
	return textOf(key)
}

// count separates the largest set of columns that a rule counts. It reads each of them once, by has(), in operands
// of one chain or list whose order does not matter, and these operands are written alike otherwise.
func (r *reading) count(parsed *ast.AST, fields []*part) {
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		alike := map[string][]*part{}
		for _, operand := range unordered(e) {
			text, err := parser.Unparse(operand, parsed.SourceInfo())
			if err != nil {
				return
			}
			for _, p := range fields {
				name, rest, isRead := strings.Cut(text, "has(self."+p.step+")")
				if !isRead || r.times[p] != 1 || !p.optional || p.schema.Nullable {
					continue
				}
				columns := append(alike[name+rest], p)
				alike[name+rest] = columns
				if len(columns) > len(r.counted) {
					r.counted = columns
				}
			}
		}
	}))
	isCounted := func(p *part) bool { return slices.Contains(r.counted, p) }
	r.columns = slices.DeleteFunc(r.columns, isCounted)
}

// unordered returns the operands of an expression whose order does not matter: of &&, ||, the sum of choices
// between integers, and a list of conditions that a macro counts.
func unordered(e ast.Expr) []ast.Expr {
	if e.Kind() != ast.CallKind {
		return nil
	}
	call := e.AsCall()
	m, isMacro := macroOf(call)
	switch name := call.FunctionName(); {
	case name == operators.LogicalAnd || name == operators.LogicalOr:
		return operands(e, name)
	case name == operators.Add:
		list := operands(e, name)
		if slices.ContainsFunc(list, func(operand ast.Expr) bool { return !isSmall(operand) }) {
			return nil
		}
		return list
	case isMacro && strings.HasPrefix(m.name, "exists") && len(m.variables) == 1 && m.target.Kind() == ast.ListKind:
		return m.target.AsList().Elements()
	case name == "size" && call.IsMemberFunction() && call.Target().Kind() == ast.CallKind:
		if m, ok := macroOf(call.Target().AsCall()); ok && m.name == "filter" && m.target.Kind() == ast.ListKind {
			return m.target.AsList().Elements()
		}
	}
	return nil
}

// isSmall reports whether an expression is a small positive integer, or a choice between such.
func isSmall(e ast.Expr) bool {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Conditional {
		return isSmall(e.AsCall().Args()[1]) && isSmall(e.AsCall().Args()[2])
	}
	n, ok := intLiteral(e)
	return ok && n >= 0 && n <= maxRows
}
