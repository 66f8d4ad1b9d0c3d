package rules

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// facts are what holds at a place in a rule. They are immutable.
type facts struct {
	// literals are "+" and the path of something that exists, and "-" and the path of something
	// that does not.
	literals []string
	// implications are literals that follow from others.
	implications []implication
	// conditions hold for all elements of the list at a path.
	conditions []condition
}

type implication struct{ from, to []string }

type condition struct {
	path string
	filter
}

func (f facts) holds(literal string) bool { return slices.Contains(f.literals, literal) }

// has reports whether there is something at a path.
func (f facts) has(path string) bool {
	return path != "" && slices.ContainsFunc(f.literals, func(literal string) bool {
		rest, ok := strings.CutPrefix(literal, "+"+path)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], ".["))
	})
}

// filters returns the conditions that hold for all elements of the list at a path.
func (f facts) filters(path string) []filter {
	var out []filter
	for _, c := range f.conditions {
		if c.path == path {
			out = append(out, c.filter)
		}
	}
	return out
}

// contradictory reports whether the facts exclude each other, so that the place is never reached.
func (f facts) contradictory() bool {
	return slices.ContainsFunc(f.literals, func(literal string) bool { return literal[0] == '-' && f.has(literal[1:]) })
}

// with returns the facts with more literals, and what follows from them.
func (f facts) with(literals ...string) facts {
	out := facts{literals: slices.Clip(f.literals), implications: f.implications, conditions: f.conditions}
	for _, literal := range literals {
		if len(literal) > 1 && !out.holds(literal) {
			out.literals = append(out.literals, literal)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, i := range out.implications {
			if !slices.ContainsFunc(i.from, func(literal string) bool { return !out.entails(literal) }) {
				for _, literal := range i.to {
					if !out.holds(literal) {
						out.literals = append(out.literals, literal)
						changed = true
					}
				}
			}
		}
	}
	return out
}

func (f facts) entails(literal string) bool {
	return f.holds(literal) || literal[0] == '+' && f.has(literal[1:])
}

// implying returns the facts with an implication.
func (f facts) implying(from, to []string) facts {
	if len(from) == 0 || len(to) == 0 {
		return f
	}
	f.implications = append(slices.Clip(f.implications), implication{from, to})
	return f.with()
}

// beyond returns the literals that f has beyond those of before.
func (f facts) beyond(before facts) []string {
	var out []string
	for _, literal := range f.literals {
		if !before.holds(literal) {
			out = append(out, literal)
		}
	}
	return out
}

// outcome is a result of a condition: that it holds or, if it is not set, that it does not hold. If
// mayFail is set, its evaluation may also fail.
type outcome struct{ holds, mayFail bool }

func (o outcome) negated() outcome {
	o.holds = !o.holds
	return o
}

// given returns the facts with those that follow from the outcome of a condition.
func (w *walk) given(e ast.Expr, s *scope, f facts, o outcome) facts {
	if e.Kind() == ast.CallKind {
		call := e.AsCall()
		args := call.Args()
		switch name := call.FunctionName(); name {
		case operators.LogicalNot:
			return w.given(args[0], s, f, o.negated())
		case operators.LogicalAnd, operators.LogicalOr:
			if (name == operators.LogicalAnd) == o.holds {
				return w.given(args[1], s, w.given(args[0], s, f, o), o)
			}
			return w.either(args[0], args[1], s, f, o)
		}
	}
	if o.mayFail {
		if _, failing := w.try(e, s, f); len(failing) > 0 || !isTotal(e) {
			return f
		}
	}
	f = f.with(w.completed(e, s)...)
	switch e.Kind() {
	case ast.SelectKind:
		if e.AsSelect().IsTestOnly() {
			return f.with(w.presence(e, s, o)...)
		}
	case ast.CallKind:
		return w.givenCall(e, s, f, o)
	}
	return f
}

// either returns the facts that follow if one of two conditions has an outcome.
func (w *walk) either(a, b ast.Expr, s *scope, f facts, o outcome) facts {
	ofA := w.given(a, s, f, o).beyond(f)
	ofB := w.given(b, s, f, o).beyond(f)
	both := slices.DeleteFunc(slices.Clone(ofA), func(literal string) bool { return !slices.Contains(ofB, literal) })
	out := f.with(both...)
	if o.mayFail { // the other one may have failed
		return out
	}
	for _, literals := range w.sufficient(a, s, o.negated()) {
		out = out.implying(literals, ofB)
	}
	for _, literals := range w.sufficient(b, s, o.negated()) {
		out = out.implying(literals, ofA)
	}
	return out
}

// sufficient returns sets of literals, each of which is enough for an outcome of a condition that
// does not fail.
func (w *walk) sufficient(e ast.Expr, s *scope, o outcome) [][]string {
	switch e.Kind() {
	case ast.SelectKind:
		if literals := w.presence(e, s, o); e.AsSelect().IsTestOnly() && literals != nil {
			return [][]string{literals}
		}
	case ast.CallKind:
		args := e.AsCall().Args()
		switch name := e.AsCall().FunctionName(); name {
		case operators.LogicalNot:
			return w.sufficient(args[0], s, o.negated())
		case operators.LogicalAnd, operators.LogicalOr:
			a := w.sufficient(args[0], s, o)
			b := w.sufficient(args[1], s, o)
			if (name == operators.LogicalAnd) != o.holds {
				return slices.Concat(a, b)
			}
			if len(a) == 1 && len(b) == 1 {
				return [][]string{slices.Concat(a[0], b[0])}
			}
		}
	}
	return nil
}

// presence returns the literal that follows from the outcome of has().
func (w *walk) presence(e ast.Expr, s *scope, o outcome) []string {
	path := w.resolve(e.AsSelect().Operand(), s).below("." + e.AsSelect().FieldName())
	if path == "" {
		return nil
	}
	if o.holds {
		return []string{"+" + path}
	}
	return []string{"-" + path}
}

// completed returns the literals that follow from the evaluation of an expression without a failure.
func (w *walk) completed(e ast.Expr, s *scope) []string {
	var out []string
	if v := w.resolve(e, s); v.path != "" && !v.optional {
		out = append(out, "+"+v.path)
	}
	switch e.Kind() {
	case ast.SelectKind:
		return append(out, w.completed(e.AsSelect().Operand(), s)...)
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch name := call.FunctionName(); {
		case name == operators.LogicalAnd, name == operators.LogicalOr:
			return nil
		case name == operators.Conditional:
			return w.completed(args[0], s)
		case call.IsMemberFunction():
			out = append(out, w.completed(call.Target(), s)...)
			if _, isMacro := macroOf(call); isMacro || name == "bind" {
				return out
			}
		}
		for _, arg := range args {
			out = append(out, w.completed(arg, s)...)
		}
	}
	return out
}

// givenCall returns the facts that follow from the outcome of a call.
func (w *walk) givenCall(e ast.Expr, s *scope, f facts, o outcome) facts {
	call := e.AsCall()
	args := call.Args()
	if m, ok := macroOf(call); ok {
		path := w.resolve(m.target, s).path
		if path != "" && len(m.variables) == 1 && m.name == "all" && o.holds {
			f.conditions = append(slices.Clip(f.conditions), condition{path, filter{m.variables[0], m.bodies[0], s}})
		}
		return f
	}
	switch name := call.FunctionName(); {
	case name == "hasValue" && o.holds:
		return f.with("+" + w.resolve(call.Target(), s).path)
	case name == operators.In && o.holds:
		if m := w.resolve(args[1], s); m.isMap() {
			return f.with("+" + w.elementPath(m, args[0], s))
		}
	case (name == operators.Equals || name == operators.NotEquals) && isTest(args[0]) && isTest(args[1]):
		for _, holds := range []bool{true, false} {
			ofA := w.presence(args[0], s, outcome{holds: holds})
			ofB := w.presence(args[1], s, outcome{holds: holds == (o.holds == (name == operators.Equals))})
			f = f.implying(ofA, ofB).implying(ofB, ofA)
		}
		return f
	}
	return w.givenDefault(e, s, f, o)
}

// isTest reports whether an expression is has().
func isTest(e ast.Expr) bool { return e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() }

// givenDefault returns the facts with the fields that must exist, because the outcome of a
// condition is impossible with what .orValue() has in their place.
func (w *walk) givenDefault(e ast.Expr, s *scope, f facts, o outcome) facts {
	var found []string
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(part ast.Expr) {
		if part.Kind() != ast.CallKind || part.AsCall().FunctionName() != "orValue" || len(part.AsCall().Args()) != 1 {
			return
		}
		target := w.resolve(part.AsCall().Target(), s)
		if target.path == "" || !target.optional {
			return
		}
		factory := ast.NewExprFactory()
		without := factory.CopyExpr(e)
		ast.PostOrderVisit(without, ast.NewExprVisitor(func(copied ast.Expr) {
			if copied.ID() == part.ID() {
				copied.SetKindCase(factory.CopyExpr(part.AsCall().Args()[0]))
			}
		}))
		holds, fails := apiserver.PossibleResults(without)
		if o.holds && !holds || !o.holds && !fails {
			found = append(found, "+"+target.path)
		}
	}))
	return f.with(found...)
}
