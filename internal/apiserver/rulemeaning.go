package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/structural"
)

// Alternatives are the conditions, sorted, of which at least one has to hold.
type Alternatives []string

// Conditions returns what a rule requires: it holds if and only if each of the alternatives does.
// They are in a normal form that does not depend on white space, comments, parentheses, names of
// variables, and the order of operands. It returns nil if the rule is not an expression.
func Conditions(rule string) []Alternatives {
	e := parseRule(rule)
	if e == nil {
		return nil
	}
	return normalForm{typed: hasStaticTypes(e)}.conditions(requirement{e, true})
}

// normalForm writes expressions as text. Equal text means equal results for all values, including
// the failure of an evaluation.
type normalForm struct {
	// variables are the names of the variables of enclosing macros.
	variables []string
	// typed is set if the compiler knows which values are lists.
	typed bool
	// withoutOld is set to write oldSelf as self.
	withoutOld bool
}

// requirement is an expression that has to hold, or not to hold.
type requirement struct {
	ast.Expr
	holds bool
}

// conditions returns what a requirement consists of.
func (n normalForm) conditions(r requirement) []Alternatives {
	if operand := negated(r.Expr); operand != nil {
		return n.conditions(requirement{operand, !r.holds})
	}
	if a, b, ok := r.operands(operators.LogicalAnd, operators.LogicalOr); ok {
		out := slices.Concat(n.conditions(a), n.conditions(b))
		slices.SortFunc(out, func(a, b Alternatives) int { return slices.Compare(a, b) })
		return slices.CompactFunc(out, func(a, b Alternatives) bool { return slices.Equal(a, b) })
	}
	out := n.alternatives(r)
	slices.Sort(out)
	return []Alternatives{slices.Compact(out)}
}

func (n normalForm) alternatives(r requirement) Alternatives {
	if operand := negated(r.Expr); operand != nil {
		return n.alternatives(requirement{operand, !r.holds})
	}
	if a, b, ok := r.operands(operators.LogicalOr, operators.LogicalAnd); ok {
		return slices.Concat(n.alternatives(a), n.alternatives(b))
	}
	if _, _, isLogical := r.operands(operators.LogicalAnd, operators.LogicalOr); isLogical {
		return Alternatives{joined(n.conditions(r))}
	}
	if r.holds {
		return Alternatives{n.text(r.Expr)}
	}
	inverse := n.inverse(r.Expr)
	if inverse == "" {
		return Alternatives{"!" + n.text(r.Expr)}
	}
	return Alternatives{n.operation(inverse, r.AsCall().Args())}
}

// inverse returns the operator of the negation of an equality, or "". If the server's code cannot
// compare the operands, such as sets of objects, only == fails, and != holds.
func (n normalForm) inverse(e ast.Expr) string {
	if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 || !n.isComparable(e.AsCall().Args()) {
		return ""
	}
	switch e.AsCall().FunctionName() {
	case operators.Equals:
		return operators.NotEquals
	case operators.NotEquals:
		return operators.Equals
	}
	return ""
}

// negated returns the operand of a negation, or nil.
func negated(e ast.Expr) ast.Expr {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.LogicalNot {
		return e.AsCall().Args()[0]
	}
	return nil
}

// operands returns the operands of a logical operator: one if the expression has to hold, the
// other one if it must not.
func (r requirement) operands(operator, dual string) (a, b requirement, ok bool) {
	if !r.holds {
		operator = dual
	}
	if r.Kind() != ast.CallKind || r.AsCall().FunctionName() != operator || len(r.AsCall().Args()) != 2 {
		return a, b, false
	}
	args := r.AsCall().Args()
	return requirement{args[0], r.holds}, requirement{args[1], r.holds}, true
}

func joined(conditions []Alternatives) string {
	texts := make([]string, 0, len(conditions))
	for _, c := range conditions {
		texts = append(texts, "("+strings.Join(c, " || ")+")")
	}
	return "(" + strings.Join(texts, " && ") + ")"
}

// text returns the normal form of an expression.
func (n normalForm) text(e ast.Expr) string {
	switch e.Kind() {
	case ast.LiteralKind:
		return literalText(e)
	case ast.IdentKind:
		return n.variable(e.AsIdent())
	case ast.SelectKind:
		text := n.text(e.AsSelect().Operand()) + "." + e.AsSelect().FieldName()
		if e.AsSelect().IsTestOnly() {
			text = "has(" + text + ")"
		}
		return text
	case ast.CallKind:
		return n.call(e)
	case ast.ListKind:
		return fmt.Sprintf("%v[%s]", e.AsList().OptionalIndices(), n.texts(e.AsList().Elements()))
	case ast.MapKind:
		var entries []string
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			entries = append(entries, fmt.Sprintf("%t %s: %s", m.IsOptional(), n.text(m.Key()), n.text(m.Value())))
		}
		return "{" + strings.Join(entries, ", ") + "}"
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		outer := n.text(c.IterRange()) + ", " + n.text(c.AccuInit())
		n.variables = append([]string{c.AccuVar(), c.IterVar2(), c.IterVar()}, n.variables...)
		inner := []ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()}
		return "fold(" + outer + ", " + n.texts(inner) + ")"
	}
	return fmt.Sprintf("#%d", e.ID()) // a message, which rules cannot have
}

// variable returns the normal form of a variable. The server takes any variable named oldSelf, also
// that of a macro, as a sign that the rule is about changes.
func (n normalForm) variable(name string) string {
	old := ""
	if name == "oldSelf" {
		old = name
	}
	i := slices.Index(n.variables, name)
	switch {
	case i >= 0:
		return "$" + strconv.Itoa(len(n.variables)-i) + old
	case n.withoutOld && old != "":
		return "self"
	}
	return name
}

func literalText(e ast.Expr) string {
	value := e.AsLiteral()
	if text, ok := value.(types.String); ok {
		return strconv.Quote(string(text))
	}
	return fmt.Sprintf("%s(%v)", value.Type().TypeName(), value.Value())
}

func (n normalForm) texts(list []ast.Expr) string {
	texts := make([]string, 0, len(list))
	for _, e := range list {
		texts = append(texts, n.text(e))
	}
	return strings.Join(texts, ", ")
}

func (n normalForm) call(e ast.Expr) string {
	call := e.AsCall()
	switch name := call.FunctionName(); {
	case name == operators.LogicalAnd, name == operators.LogicalOr, name == operators.LogicalNot:
		return joined(n.conditions(requirement{e, true}))
	case call.IsMemberFunction():
		return n.text(call.Target()) + "." + name + "(" + n.texts(call.Args()) + ")"
	default:
		return n.operation(name, call.Args())
	}
}

// operation returns the normal form of a function or an operator that is not a logical one.
func (n normalForm) operation(name string, args []ast.Expr) string {
	if len(args) == 2 {
		a := n.text(args[0])
		b := n.text(args[1])
		switch name {
		case operators.Equals, operators.NotEquals:
			if n.isSymmetric(args[0], args[1]) {
				a, b = min(a, b), max(a, b)
			}
		case operators.Greater:
			name, a, b = operators.Less, b, a
		case operators.GreaterEquals:
			name, a, b = operators.LessEquals, b, a
		}
		return name + "(" + a + ", " + b + ")"
	}
	return name + "(" + n.texts(args) + ")"
}

// isSymmetric reports whether an equality is known not to depend on the order of its operands. In
// the server's code, the first one decides how lists are compared: a list of type set is equal to
// any list with its items, another list only to one with the same order.
func (n normalForm) isSymmetric(a, b ast.Expr) bool {
	if n.isComparable([]ast.Expr{a, b}) {
		return true
	}
	n.withoutOld = true
	return n.text(a) == n.text(b)
}

// isComparable reports whether operands are known to be of a type, or to have a value, for which
// equality neither depends on their order nor fails.
func (n normalForm) isComparable(operands []ast.Expr) bool {
	return n.typed && slices.ContainsFunc(operands, isFlat)
}

// isFlat reports whether an expression is known to contain no list with several items, or with
// an item that is a list or an object.
func isFlat(e ast.Expr) bool {
	switch e.Kind() {
	case ast.ListKind:
		items := e.AsList().Elements()
		return len(items) == 0 || len(items) == 1 && isScalar(items[0])
	case ast.MapKind:
		return !slices.ContainsFunc(valuesOf(e.AsMap()), func(value ast.Expr) bool { return !isFlat(value) })
	}
	return isScalar(e)
}

// isScalar reports whether an expression is known to be neither a list nor an object.
func isScalar(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.SelectKind:
		return e.AsSelect().IsTestOnly()
	case ast.CallKind:
		return slices.Contains([]string{
			operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Equals, operators.NotEquals,
			operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.In,
			operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate,
			"size", "startsWith", "endsWith", "contains", "matches", "hasValue", "int", "uint", "double", "string", "bool",
		}, e.AsCall().FunctionName())
	}
	return false
}

// hasStaticTypes reports whether no part of an expression has a type that is only known when it is
// evaluated and may be a list: the result of dyn, and elements of literals, which may differ in
// their types.
func hasStaticTypes(e ast.Expr) bool {
	static := true
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.CallKind:
			static = static && e.AsCall().FunctionName() != "dyn"
		case ast.ListKind:
			static = static && haveOneType(e.AsList().Elements())
		case ast.MapKind:
			static = static && haveOneType(valuesOf(e.AsMap()))
		}
	}))
	return static
}

// haveOneType reports whether the values of a literal have one type, or all are scalars.
func haveOneType(values []ast.Expr) bool {
	return len(values) < 2 || !slices.ContainsFunc(values, func(value ast.Expr) bool { return !isScalar(value) })
}

func valuesOf(m ast.MapExpr) []ast.Expr {
	var out []ast.Expr
	for _, entry := range m.Entries() {
		out = append(out, entry.AsMapEntry().Value())
	}
	return out
}

// HoldsUnchanged reports whether a rule is known to be true for every value of a schema if it is
// updated without a change, as [Target.AlwaysHolds] evaluates it.
func (t *Target) HoldsUnchanged(rule structural.Rule, s *structural.Schema) bool {
	e := unchanged(rule)
	return e != nil && evaluation{schema: s, bounded: true, pruned: true, reflexive: true}.outcomes(e) == mayHold
}

// UsesOldSelf reports whether a rule reads oldSelf, or has a variable of that name that it reads:
// unless oldSelf is optional, the server then applies the rule to updates only.
func UsesOldSelf(rule string) bool {
	e := parseRule(rule)
	return e == nil || mentions(e, "oldSelf")
}

// ComparesOnly reports whether the result of a rule only depends on which parts of a value changed
// and which ones are present, so that it only refuses changes of the parts that it reads.
func ComparesOnly(rule structural.Rule) bool {
	e := parseRule(rule.Rule)
	return e != nil && comparesOnly(e)
}

func comparesOnly(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.SelectKind:
		return e.AsSelect().IsTestOnly()
	case ast.CallKind:
		call := e.AsCall()
		switch name := call.FunctionName(); name {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional:
			return !slices.ContainsFunc(call.Args(), func(arg ast.Expr) bool { return !comparesOnly(arg) })
		case "hasValue":
			return true
		case operators.Equals, operators.LessEquals, operators.GreaterEquals:
			a := call.Args()[0]
			b := call.Args()[1]
			oldA := mentions(a, "oldSelf")
			oldB := mentions(b, "oldSelf")
			factory := ast.NewExprFactory()
			return oldA != oldB && sameText(withoutOld(factory.CopyExpr(a)), withoutOld(factory.CopyExpr(b)))
		}
	}
	return false
}

// isReflexive reports whether an operator holds for equal operands.
func isReflexive(name string) bool {
	return name == operators.Equals || name == operators.LessEquals || name == operators.GreaterEquals
}

func sameText(a, b ast.Expr) bool { return normalForm{}.text(a) == normalForm{}.text(b) }

// unchanged returns a rule as it is if oldSelf is the same value as self, or nil if that is not
// known.
func unchanged(rule structural.Rule) ast.Expr {
	e := parseRule(rule.Rule)
	if e == nil || binds(e, "self") || binds(e, "oldSelf") {
		return nil
	}
	return withoutOld(e)
}

// binds reports whether a macro in an expression has a variable of that name.
func binds(e ast.Expr, name string) bool {
	found := false
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind {
			c := e.AsComprehension()
			found = found || c.IterVar() == name || c.IterVar2() == name || c.AccuVar() == name
		}
	}))
	return found
}

// withoutOld replaces oldSelf by self in an expression: as a value, or as an optional value.
func withoutOld(e ast.Expr) ast.Expr {
	replaceVariable(e, "oldSelf")
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		name, args := methodOf(e)
		switch {
		case name == "hasValue" && len(args) == 0 && isSelf(e.AsCall().Target()):
			e.SetKindCase(ast.NewExprFactory().NewLiteral(e.ID(), types.True))
		case (name == "value" && len(args) == 0 || name == "orValue" && len(args) == 1) && isSelf(e.AsCall().Target()):
			e.SetKindCase(ast.NewExprFactory().NewIdent(e.ID(), "self"))
		case name == "orValue" && len(args) == 1:
			if mapped := mappedSelf(e.AsCall().Target()); mapped != nil {
				e.SetKindCase(mapped)
			}
		}
	}))
	return e
}

// mappedSelf returns the value of self.optMap(x, value) with self for x, or nil if the expression
// is not of that form.
func mappedSelf(e ast.Expr) ast.Expr {
	name, args := methodOf(e)
	if name != "optMap" || len(args) != 2 || !isSelf(e.AsCall().Target()) || args[0].Kind() != ast.IdentKind {
		return nil
	}
	if binds(args[1], args[0].AsIdent()) {
		return nil
	}
	replaceVariable(args[1], args[0].AsIdent())
	return args[1]
}

// methodOf returns the name and the arguments of a call of a method, or "".
func methodOf(e ast.Expr) (name string, args []ast.Expr) {
	if e.Kind() != ast.CallKind || !e.AsCall().IsMemberFunction() {
		return "", nil
	}
	return e.AsCall().FunctionName(), e.AsCall().Args()
}

func isSelf(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "self" }

// replaceVariable replaces a variable by self.
func replaceVariable(e ast.Expr, name string) {
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.IdentKind && e.AsIdent() == name {
			e.SetKindCase(ast.NewExprFactory().NewIdent(e.ID(), "self"))
		}
	}))
}

// ReadsField reports whether a rule may read a field of that name, of any object.
func ReadsField(rule, name string) bool {
	e := parseRule(rule)
	escaped, ok := celtext.Name(name)
	if e == nil || !ok {
		return e == nil
	}
	found := false
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			found = found || e.AsSelect().FieldName() == escaped
		case ast.LiteralKind:
			found = found || e.AsLiteral() == types.String(escaped) || e.AsLiteral() == types.String(name)
		}
	}))
	return found
}

// ComparesValues reports whether a rule may compare values other than those of fields whose names
// are not among the given ones.
func ComparesValues(rule string, names []string) bool {
	e := parseRule(rule)
	if e == nil {
		return true
	}
	var escaped []string
	for _, name := range names {
		if text, ok := celtext.Name(name); ok {
			escaped = append(escaped, text)
		}
	}
	var mayBe func(operand ast.Expr) bool
	mayBe = func(operand ast.Expr) bool {
		switch operand.Kind() {
		case ast.SelectKind:
			return !operand.AsSelect().IsTestOnly() && slices.Contains(escaped, operand.AsSelect().FieldName())
		case ast.ListKind:
			return slices.ContainsFunc(operand.AsList().Elements(), mayBe)
		}
		return !isScalar(operand)
	}
	found := false
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		operands := e.AsCall().Args()
		if e.AsCall().IsMemberFunction() {
			operands = append([]ast.Expr{e.AsCall().Target()}, operands...)
		}
		switch e.AsCall().FunctionName() {
		case operators.Equals, operators.NotEquals, operators.In, "indexOf", "lastIndexOf", "distinct":
			found = found || slices.ContainsFunc(operands, mayBe) && !slices.ContainsFunc(operands, isScalar)
		}
	}))
	return found
}
