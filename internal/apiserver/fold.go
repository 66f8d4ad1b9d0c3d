package apiserver

import (
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/structural"
)

// AlwaysHolds reports whether a rule is known to be true for every value of an object that has
// the fields of a schema, satisfies it, and was pruned by it; and for every change of one such
// value to another. It does not find all such rules.
func (t *Target) AlwaysHolds(rule structural.Rule, s *structural.Schema) bool {
	e := t.parsed.expression(rule.Rule)
	if e == nil {
		return false
	}
	old := !ptr.Deref(rule.OptionalOldSelf, false)
	return evaluation{schema: s, bounded: true, pruned: true, old: old}.outcomes(e) == mayHold
}

// PossibleResults reports whether a condition may hold, and whether it may not hold, whatever the
// values of its variables are.
func PossibleResults(e ast.Expr) (holds, fails bool) {
	possible := evaluation{}.outcomes(e)
	return possible&mayHold != 0, possible&mayNotHold != 0
}

// variable returns what is known about a variable.
func (v evaluation) variable(name string) fact {
	for known := v.variables; known != nil; known = known.outer {
		if known.name == name {
			return known.value
		}
	}
	if name == "self" || name == "oldSelf" && v.old {
		return v.valueOf(v.schema)
	}
	return anything()
}

// given returns the evaluation of what matters only if a condition has an outcome, mayHold or mayNotHold:
// the fields that the condition tests exist.
func (v evaluation) given(e ast.Expr, outcome outcomes) evaluation {
	switch e.Kind() {
	case ast.SelectKind:
		if path := pathOf(e.AsSelect()); e.AsSelect().IsTestOnly() && outcome == mayHold && path != "" {
			v.present = append(slices.Clip(v.present), path)
		}
	case ast.CallKind:
		switch call := e.AsCall(); {
		case call.FunctionName() == operators.LogicalNot:
			return v.given(call.Args()[0], outcome.negated())
		case call.FunctionName() == operators.LogicalAnd && outcome == mayHold, call.FunctionName() == operators.LogicalOr && outcome == mayNotHold:
			return v.given(call.Args()[0], outcome).given(call.Args()[1], outcome)
		}
	}
	return v
}

// pathOf returns the path of a field of a variable, or "".
func pathOf(e ast.SelectExpr) string {
	switch operand := e.Operand(); {
	case operand.Kind() == ast.IdentKind:
		return operand.AsIdent() + "." + e.FieldName()
	case operand.Kind() == ast.SelectKind && !operand.AsSelect().IsTestOnly():
		if outer := pathOf(operand.AsSelect()); outer != "" {
			return outer + "." + e.FieldName()
		}
	}
	return ""
}

// lacksOthers reports whether a value has no fields that its schema does not specify.
func (v evaluation) lacksOthers(f fact) bool {
	return v.pruned && f.kind == object && f.schema.AdditionalProperties == nil
}

// quantified returns the fact of the macros all and exists.
func (v evaluation) quantified(c ast.ComprehensionExpr) fact {
	values := v.fact(c.IterRange())
	step := c.LoopStep()
	isAccumulator := func(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == c.AccuVar() }
	// Other parsers may not have the form with two variables.
	if values.kind != sized || c.HasIterVar2() || step.Kind() != ast.CallKind ||
		c.AccuInit().Kind() != ast.LiteralKind || !isAccumulator(c.Result()) {
		return anything()
	}
	call := step.AsCall()
	all := c.AccuInit().AsLiteral() == types.True && call.FunctionName() == operators.LogicalAnd
	if !all && (c.AccuInit().AsLiteral() != types.False || call.FunctionName() != operators.LogicalOr) ||
		!isAccumulator(call.Args()[0]) {
		return anything()
	}
	element := fact{kind: text, high: math.Inf(1)} // the key of a map
	if values.schema.Items != nil {
		element = v.valueOf(values.schema.Items)
	}
	v.present = slices.DeleteFunc(slices.Clone(v.present), func(path string) bool { return strings.HasPrefix(path, c.IterVar()+".") })
	v.variables = &variable{c.IterVar(), element, v.variables}
	var out outcomes
	if values.high > 0 {
		out = v.fact(call.Args()[1]).asCondition()
	}
	switch {
	case values.low > 0:
	case all:
		out |= mayHold
	default:
		out |= mayNotHold
	}
	return conditionOf(out, values)
}

// optional returns the fact of a field that is selected with .?.
func (v evaluation) optional(operand, name fact) fact {
	switch {
	case operand.kind == none:
		return operand
	case v.lacksOthers(operand) && len(name.texts) == 1 && !specifies(operand.schema, name.texts[0]):
		return fact{kind: none, fails: operand.fails}
	}
	return anything()
}

// specifies reports whether a schema has a property with a name in CEL.
func specifies(s *structural.Schema, name string) bool {
	for _, p := range s.Properties {
		if known, ok := celtext.Name(p.Name); ok && known == name {
			return true
		}
	}
	return false
}

// ofNone returns the fact of a function of an optional without a value, which is the first
// argument.
func ofNone(name string, args []fact) fact {
	switch name {
	case "hasValue":
		return conditionOf(mayNotHold, args[0])
	case "optMap", "optFlatMap":
		return args[0]
	case "orValue", "or":
		if args[0].fails {
			return args[1].failing()
		}
		return args[1]
	}
	return anything()
}
