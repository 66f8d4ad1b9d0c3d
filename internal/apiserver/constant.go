package apiserver

import (
	"encoding/json"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/structural"
)

// ConstantRule is a rule that has the same result for every value that its schema accepts.
type ConstantRule struct {
	// Path is the path of the node, and Index the index of the rule.
	Path  *structural.Path
	Index int
	// Holds is the result of the rule.
	Holds bool
}

// ConstantRules returns rules of a schema that are true for every value even without its
// bounds, and rules that are false for every value within its bounds. It does not find all
// of them. Transition rules, and the rule "false" on an optional field, a way to forbid the
// field, are not returned.
func (t *Target) ConstantRules(s *structural.Schema) []ConstantRule {
	c := &constants{parsed: &t.parsed}
	c.node(s, nil, true)
	return c.found
}

type constants struct {
	parsed *parsedTexts
	found  []ConstantRule
}

// parsedTexts are the parsed expressions of a target by their text. Those from the compiler
// differ from those parsed here in the expansion of macros about which nothing is known in
// either form.
type parsedTexts struct{ expressions sync.Map }

// keep keeps a copy of an expression, because checking changes it.
func (p *parsedTexts) keep(text string, e ast.Expr) {
	if _, ok := p.expressions.Load(text); !ok {
		p.expressions.Store(text, ast.NewExprFactory().CopyExpr(e))
	}
}

// expression returns a rule as an expression, or nil if it is not one.
func (p *parsedTexts) expression(rule string) ast.Expr {
	if e, ok := p.expressions.Load(rule); ok {
		return e.(ast.Expr)
	}
	e := parseRule(rule)
	if e != nil {
		p.expressions.Store(rule, e)
	}
	return e
}

// parseRule returns a rule as an expression, or nil if it is not one.
func parseRule(rule string) ast.Expr {
	reader, err := parser.NewParser(parser.Macros(parser.AllMacros...), parser.EnableOptionalSyntax(true))
	if err != nil {
		return nil
	}
	parsed, errs := reader.Parse(common.NewTextSource(rule))
	if errs != nil && len(errs.GetErrors()) > 0 {
		return nil
	}
	return parsed.Expr()
}

// node checks the rules of a node. present is set if every object has it.
func (c *constants) node(s *structural.Schema, path *structural.Path, present bool) {
	for i, rule := range s.XValidations {
		e := c.parsed.expression(rule.Rule)
		if e == nil || mentions(e, "oldSelf") {
			continue
		}
		bounded := evaluation{schema: s, bounded: true}
		plain := evaluation{schema: s}
		switch {
		case bounded.outcomes(e)&mayHold == 0:
			if rule.Rule != "false" || present {
				c.found = append(c.found, ConstantRule{path, i, false})
			}
		case plain.outcomes(e) == mayHold:
			c.found = append(c.found, ConstantRule{path, i, true})
		}
	}
	for edge, child := range s.Children() {
		c.node(child, path.Edge(edge), present && edge.Keyword == "properties" && s.Requires(edge.Property))
	}
}

// mentions reports whether an expression uses a variable.
func mentions(e ast.Expr, variable string) bool {
	found := false
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		found = found || e.Kind() == ast.IdentKind && e.AsIdent() == variable
	}))
	return found
}

// outcomes is the set of possible results of a condition.
type outcomes uint8

const (
	mayHold outcomes = 1 << iota
	mayNotHold
	mayFail
	anyOutcome = mayHold | mayNotHold | mayFail
)

// combine applies a logical operator to all pairs of outcomes. An operand that decides the
// result masks the failure of the other.
func combine(a, b, decides outcomes) outcomes {
	var out outcomes
	for _, x := range []outcomes{mayHold, mayNotHold, mayFail} {
		for _, y := range []outcomes{mayHold, mayNotHold, mayFail} {
			switch {
			case a&x == 0 || b&y == 0:
			case x == decides || y == decides:
				out |= decides
			case x == mayFail || y == mayFail:
				out |= mayFail
			default:
				out |= decides.negated()
			}
		}
	}
	return out
}

// fact is what is known about the value of an expression.
type fact struct {
	kind  factKind
	fails bool // its evaluation may fail
	// outcomes are the possible results of a condition.
	outcomes outcomes
	// low and high are the bounds of a number, or of the size of a string, list or map.
	low, high float64
	// texts are all possible values of a string, or nil if they are unknown.
	texts []string
	// schema is the schema of a structured value.
	schema *structural.Schema
}

type factKind int

const (
	unknown factKind = iota
	condition
	numeric
	text
	sized // a list or a map
	object
	none // an optional without a value
)

// evaluation computes facts of expressions about a value of the schema.
type evaluation struct {
	schema *structural.Schema
	// bounded is set if the value satisfies the schema; otherwise only its types are known.
	bounded bool
	// pruned is set if the value has no unspecified fields, and old if oldSelf is such a value,
	// too.
	pruned, old bool
	// reflexive is set if expressions with the same text have the same value, and equal themselves.
	reflexive bool
	// variables are declared by macros.
	variables *variable
	// present are optional fields that the value is known to have, as in "self.a.b".
	present []string
}

// variable is a variable of a macro.
type variable struct {
	name  string
	value fact
	outer *variable
}

func (v evaluation) outcomes(e ast.Expr) outcomes { return v.fact(e).asCondition() }

func (f fact) asCondition() outcomes {
	if f.kind != condition {
		return anyOutcome
	}
	return f.outcomes
}

func conditionOf(o outcomes, operands ...fact) fact {
	for _, f := range operands {
		if f.fails || f.kind == unknown || f.kind == condition && f.outcomes&mayFail != 0 {
			o |= mayFail
		}
	}
	return fact{kind: condition, outcomes: o}
}

// anything returns the fact of a value about which nothing is known.
func anything() fact { return fact{fails: true} }

func (v evaluation) fact(e ast.Expr) fact {
	switch e.Kind() {
	case ast.LiteralKind:
		return literal(e)
	case ast.IdentKind:
		return v.variable(e.AsIdent())
	case ast.ComprehensionKind:
		return v.quantified(e.AsComprehension())
	case ast.SelectKind:
		return v.selected(e.AsSelect())
	case ast.CallKind:
		return v.call(e.AsCall())
	case ast.ListKind:
		if len(e.AsList().Elements()) == 0 {
			return fact{kind: sized, schema: &structural.Schema{}}
		}
	}
	return anything()
}

func literal(e ast.Expr) fact {
	switch value := e.AsLiteral().(type) {
	case types.Bool:
		if value {
			return conditionOf(mayHold)
		}
		return conditionOf(mayNotHold)
	case types.Int:
		return number(float64(value), float64(value))
	case types.Uint:
		return number(float64(value), float64(value))
	case types.Double:
		return number(float64(value), float64(value))
	case types.String:
		n := float64(utf8.RuneCountInString(string(value)))
		return fact{kind: text, low: n, high: n, texts: []string{string(value)}}
	}
	return anything()
}

// maxExact is the bound from which float64 no longer represents every integer.
const maxExact = 1 << 53

// number returns the fact of a number within bounds. Bounds that float64 cannot represent
// exactly are dropped.
func number(low, high float64) fact {
	if !(low > -maxExact) {
		low = math.Inf(-1)
	}
	if !(high < maxExact) {
		high = math.Inf(1)
	}
	if low > high || low >= maxExact || high <= -maxExact {
		return anything()
	}
	return fact{kind: numeric, low: low, high: high}
}

// valueOf returns what is known about a value of a schema.
func (v evaluation) valueOf(s *structural.Schema) fact {
	if s == nil || s.Nullable || s.XIntOrString || s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.ValueValidation != nil && s.Format != "" && s.Type == "string" {
		return fact{}
	}
	numbers, lengths, items, properties := contradictions.Ranges(s)
	out := fact{schema: s}
	var r contradictions.Range
	switch {
	case s.Type == "boolean":
		return fact{kind: condition, outcomes: mayHold | mayNotHold}
	case s.Type == "integer" || s.Type == "number":
		out.kind = numeric
		r = numbers
		if !v.bounded {
			r = contradictions.Range{Low: math.Inf(-1), High: math.Inf(1)}
		} else if low, high, ok := enumRange(s); ok {
			r.Low = math.Max(r.Low, low)
			r.High = math.Min(r.High, high)
		}
		return number(r.Low, r.High)
	case s.Type == "string":
		out.kind = text
		r = lengths
		if v.bounded {
			out.texts = enumTexts(s)
		}
	case s.Type == "array":
		out.kind = sized
		r = items
	case s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		out.kind = sized
		r = properties
	case s.Type == "object":
		out.kind = object
		return out
	default:
		return fact{}
	}
	out.low = r.Low
	out.high = r.High
	if !v.bounded {
		out.low = 0
		out.high = math.Inf(1)
	}
	if out.low > out.high || out.low >= maxExact {
		return fact{}
	}
	return out
}

// enumTexts returns the values of an enum of strings, or nil if there is none.
func enumTexts(s *structural.Schema) []string {
	if s.ValueValidation == nil {
		return nil
	}
	var out []string
	for _, value := range s.Enum {
		var text *string
		if json.Unmarshal(value.Raw, &text) != nil || text == nil {
			return nil
		}
		out = append(out, *text)
	}
	return out
}

// enumRange returns the range of an enum of numbers.
func enumRange(s *structural.Schema) (low, high float64, ok bool) {
	if s.ValueValidation == nil || len(s.Enum) == 0 {
		return 0, 0, false
	}
	low = math.Inf(1)
	high = math.Inf(-1)
	for _, value := range s.Enum {
		var f *float64
		if json.Unmarshal(value.Raw, &f) != nil || f == nil {
			return 0, 0, false
		}
		low = math.Min(low, *f)
		high = math.Max(high, *f)
	}
	return low, high, true
}

// selected returns the fact of a selected field, or of the test for its presence.
func (v evaluation) selected(e ast.SelectExpr) fact {
	operand := v.fact(e.Operand())
	var child *structural.Schema
	required := false
	if operand.kind == object {
		for _, p := range operand.schema.Properties {
			if name, ok := celtext.Name(p.Name); ok && name == e.FieldName() {
				child = p.Schema
				required = operand.schema.Requires(p.Name)
			}
		}
	}
	given := slices.Contains(v.present, pathOf(e))
	switch {
	case e.IsTestOnly() && child != nil && (given || required && v.bounded):
		return conditionOf(mayHold, operand)
	case e.IsTestOnly() && child == nil && v.lacksOthers(operand):
		return conditionOf(mayNotHold, operand)
	case operand.kind == none && !e.IsTestOnly():
		return operand
	case e.IsTestOnly():
		return conditionOf(mayHold|mayNotHold, operand)
	case child == nil:
		return anything()
	}
	out := v.valueOf(child)
	if operand.fails || !required && !given {
		out = out.failing()
	}
	return out
}

// failing returns the fact of a value whose evaluation may also fail.
func (f fact) failing() fact {
	f.fails = true
	if f.kind == condition {
		f.outcomes |= mayFail
	}
	return f
}

func (v evaluation) call(e ast.CallExpr) fact {
	switch name, args := e.FunctionName(), e.Args(); {
	case (name == operators.LogicalAnd || name == operators.LogicalOr) && len(args) == 2:
		decides := mayHold
		if name == operators.LogicalAnd {
			decides = mayNotHold
		}
		a := v.fact(args[0]).asCondition()
		if a&mayFail == 0 { // the second operand matters only if the first one does not decide
			v = v.given(args[0], decides.negated())
		}
		return fact{kind: condition, outcomes: combine(a, v.fact(args[1]).asCondition(), decides)}
	case name == operators.Conditional && len(args) == 3:
		return choice(v.fact(args[0]).asCondition(), v.given(args[0], mayHold).fact(args[1]), v.given(args[0], mayNotHold).fact(args[2]))
	}
	args := make([]fact, 0, 3)
	if e.IsMemberFunction() {
		args = append(args, v.fact(e.Target()))
	}
	for _, arg := range e.Args() {
		args = append(args, v.fact(arg))
	}
	switch name := e.FunctionName(); {
	case name == operators.LogicalNot && len(args) == 1:
		return fact{kind: condition, outcomes: args[0].asCondition().negated()}
	case name == operators.OptSelect && len(args) == 2:
		return v.optional(args[0], args[1])
	case e.IsMemberFunction() && args[0].kind == none:
		return ofNone(name, args)
	case name == "optional.none":
		return fact{kind: none}
	case name == "size" && len(args) == 1:
		return sizeOf(args[0])
	case name == operators.In && len(args) == 2 && e.Args()[1].Kind() == ast.ListKind:
		return v.in(args[0], e.Args()[1].AsList())
	case name == operators.In && len(args) == 2 && args[1].kind == sized && args[1].schema.Items != nil:
		return conditionOf(mayNotHold|equal(args[0], v.valueOf(args[1].schema.Items)).outcomes, args[1])
	case name == operators.Negate && args[0].kind == numeric:
		out := number(-args[0].high, -args[0].low)
		out.fails = args[0].fails
		return out
	case v.reflexive && isReflexive(name) && sameText(e.Args()[0], e.Args()[1]):
		return conditionOf(mayHold, fact{kind: none, fails: args[0].fails})
	case len(args) == 2:
		return operation(name, args[0], args[1])
	}
	return anything()
}

func (o outcomes) negated() outcomes {
	out := o & mayFail
	if o&mayHold != 0 {
		out |= mayNotHold
	}
	if o&mayNotHold != 0 {
		out |= mayHold
	}
	return out
}

// choice returns the fact of a conditional.
func choice(o outcomes, yes, no fact) fact {
	var out fact
	switch o & (mayHold | mayNotHold) {
	case mayHold:
		out = yes
	case mayNotHold:
		out = no
	default:
		if yes.kind != condition || no.kind != condition {
			return anything()
		}
		out = fact{kind: condition, outcomes: yes.outcomes | no.outcomes}
	}
	if o&mayFail != 0 {
		out = out.failing()
	}
	return out
}

func sizeOf(f fact) fact {
	if f.kind != text && f.kind != sized {
		return fact{kind: numeric, low: 0, high: math.Inf(1), fails: true}
	}
	low := f.low
	high := f.high
	if f.texts != nil {
		low = math.Inf(1)
		high = math.Inf(-1)
		for _, t := range f.texts {
			n := float64(utf8.RuneCountInString(t))
			low = math.Min(low, n)
			high = math.Max(high, n)
		}
	}
	out := number(low, high)
	out.fails = out.fails || f.fails
	return out
}

// in returns whether a value is an element of a list literal.
func (v evaluation) in(value fact, list ast.ListExpr) fact {
	out := conditionOf(mayNotHold, value)
	for _, element := range list.Elements() {
		o := equal(value, v.fact(element))
		if o.outcomes&mayFail != 0 {
			return conditionOf(mayHold | mayNotHold | mayFail)
		}
		out.outcomes = combine(out.outcomes, o.outcomes, mayHold)
	}
	return out
}

// operation returns the fact of a binary operator.
func operation(name string, a, b fact) fact {
	numbers := a.kind == numeric && b.kind == numeric
	arithmetic := func(low, high float64) fact {
		out := number(low, high)
		out.fails = out.fails || a.fails || b.fails || math.IsInf(out.low, 0) || math.IsInf(out.high, 0)
		return out
	}
	switch name {
	case operators.Equals:
		return equal(a, b)
	case operators.NotEquals:
		return fact{kind: condition, outcomes: equal(a, b).outcomes.negated()}
	case operators.Less:
		if numbers {
			return less(a, b)
		}
	case operators.LessEquals:
		if numbers {
			return lessOrEqual(a, b)
		}
	case operators.Greater:
		if numbers {
			return less(b, a)
		}
	case operators.GreaterEquals:
		if numbers {
			return lessOrEqual(b, a)
		}
	case operators.Add:
		if numbers {
			return arithmetic(a.low+b.low, a.high+b.high)
		}
	case operators.Subtract:
		if numbers {
			return arithmetic(a.low-b.high, a.high-b.low)
		}
	}
	return anything()
}

// less returns whether a < b.
func less(a, b fact) fact {
	switch {
	case a.high < b.low:
		return conditionOf(mayHold, a, b)
	case a.low >= b.high:
		return conditionOf(mayNotHold, a, b)
	}
	return conditionOf(mayHold|mayNotHold, a, b)
}

// lessOrEqual returns whether a <= b.
func lessOrEqual(a, b fact) fact {
	switch {
	case a.high <= b.low:
		return conditionOf(mayHold, a, b)
	case a.low > b.high:
		return conditionOf(mayNotHold, a, b)
	}
	return conditionOf(mayHold|mayNotHold, a, b)
}

// equal returns whether two values are equal.
func equal(a, b fact) fact {
	o := mayHold | mayNotHold
	switch {
	case a.kind != b.kind:
	case a.kind == numeric || a.kind == text:
		if a.high < b.low || b.high < a.low {
			o = mayNotHold
		}
		if a.kind == numeric && a.low == a.high && b.low == b.high && a.low == b.low {
			o = mayHold
		}
		if a.kind == text && a.texts != nil && b.texts != nil {
			if !slices.ContainsFunc(a.texts, func(t string) bool { return slices.Contains(b.texts, t) }) {
				o = mayNotHold
			} else if len(a.texts) == 1 && len(b.texts) == 1 {
				o = mayHold
			}
		}
	}
	return conditionOf(o, a, b)
}
