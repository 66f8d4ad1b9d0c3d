package rules

import (
	"slices"
	"strconv"
	"sync"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
)

// Read is a read that may fail.
type Read struct {
	// Reason is why it may fail.
	Reason Reason
	// Text is what is read, as the rule writes it, such as self.port.
	Text string
	// Steps lead from "self" or "oldSelf" to what is read: the JSON names of fields, and "[]" for
	// an element of a list or a map. They are nil if it is a part of neither.
	Steps []string
	// Schema is the schema of the value that is read.
	Schema *structural.Schema
	// Guards are the fields whose presence makes the read succeed, outermost first.
	Guards []string
	// Line and Column are the position in the rule, 1-based.
	Line, Column int

	// given are literals of [facts] that hold wherever the rule fails because of what has the same name.
	given []string
}

// Reason is why a read may fail.
type Reason int

// Reasons.
const (
	// Absent is a field or a key of a map that an object need not have.
	Absent Reason = iota
	// Unknown is a value about which the analysis knows nothing.
	Unknown
)

// Analysis is what a rule reads.
type Analysis struct {
	// Failing are the reads that are not known to succeed, in the order of the rule.
	Failing []Read
	// Known are all parts of self and oldSelf that the rule reads or tests, in the same order.
	Known []Read
	// Strings and Numbers are the literals of the rule.
	Strings []string
	Numbers []float64

	// usesOldSelf is set if oldSelf occurs in the rule.
	usesOldSelf bool
	// stored is the schema of oldSelf, or nil if it is that of self. If isUnchanged is set, self is oldSelf.
	stored      *structural.Schema
	isUnchanged bool
}

// maxSteps bounds the number of expressions that are visited for a rule. Operands of nested && and
// || are visited repeatedly.
const maxSteps = 20_000

// Place is where a schema is.
type Place int

// Places.
const (
	// Inside is a schema of a part of an object.
	Inside Place = iota
	// Root is the schema of whole objects, all of which have a kind and metadata with a name.
	Root
	// metadata is the field of whole objects.
	metadata
)

// Reads analyzes a rule of a schema. It returns nil if the rule is not an expression.
func Reads(rule structural.Rule, s *structural.Schema, place Place) *Analysis {
	return reads(parse(rule.Rule), rule, variable("self", s, place), variable("oldSelf", s, place))
}

// variable returns a variable of rules.
func variable(name string, s *structural.Schema, place Place) value {
	return value{schema: s, place: place, path: name, text: name, steps: []string{name}}
}

// reads is [Reads] of a parsed rule, with what is known of self and oldSelf.
func reads(parsed *ast.AST, rule structural.Rule, self, old value) *Analysis {
	if parsed == nil {
		return nil
	}
	old.optional = ptr.Deref(rule.OptionalOldSelf, false)
	root := (*scope)(nil).with("self", self).with("oldSelf", old)
	w := &walk{parsed: parsed}
	w.value(parsed.Expr(), root, facts{})
	if w.visited > maxSteps {
		w.failing = append(w.failing, Read{Reason: Unknown, Line: 1, Column: 1})
	}
	out := &Analysis{Known: w.known}
	for _, read := range w.failing {
		for _, other := range w.failing {
			if read.mayBe(other) {
				read.given = slices.DeleteFunc(slices.Clone(read.given), func(literal string) bool {
					return !slices.Contains(other.given, literal)
				})
			}
		}
		isKnown := func(r Read) bool { return r.Line == read.Line && r.Column == read.Column && r.Text == read.Text }
		if !slices.ContainsFunc(out.Failing, isKnown) {
			out.Failing = append(out.Failing, read)
		}
	}
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if text, ok := textLiteral(e); ok {
			out.Strings = append(out.Strings, text)
		} else if n, ok := intLiteral(e); ok {
			out.Numbers = append(out.Numbers, float64(n))
		} else if e.Kind() == ast.IdentKind && e.AsIdent() == "oldSelf" {
			out.usesOldSelf = true
		}
	}))
	return out
}

// Proved returns the number of rules in a schema, which may be nil, and how many of them are known
// to read nothing absent.
func Proved(s *structural.Schema, place Place) (total, proved int) {
	if s == nil {
		return 0, 0
	}
	for _, rule := range s.XValidations {
		total++
		if a := Reads(rule, s, place); a != nil && len(a.Failing) == 0 {
			proved++
		}
	}
	for _, child := range s.Children() {
		below, provedBelow := Proved(child, Inside)
		total += below
		proved += provedBelow
	}
	return total, proved
}

// Unproved finds the rules of schemas that are not proved. A node that several schemas share is
// analyzed once, and equal rules are parsed and tried once. Its zero value is ready for use, also concurrently.
type Unproved struct {
	parsed, nodes, trials sync.Map
	evaluators            apiserver.RuleEvaluators
}

// UnprovedNode has what is not proved of a node of a schema and of those below it.
type UnprovedNode struct {
	// Rules are the analyses of the node's own rules, by index; nil for those that are proved.
	Rules map[int]*Analysis
	// Below is set if a node below has such rules.
	Below bool
}

// Of returns what is not proved of a schema.
func (u *Unproved) Of(s *structural.Schema, place Place) *UnprovedNode {
	if known, ok := u.nodes.Load(s); ok {
		return known.(*UnprovedNode)
	}
	out := &UnprovedNode{Rules: map[int]*Analysis{}}
	for i, rule := range s.XValidations {
		a := reads(u.parse(rule.Rule), rule, variable("self", s, place), variable("oldSelf", s, place))
		if a != nil && len(a.Failing) > 0 {
			out.Rules[i] = a
		}
	}
	for _, child := range s.Children() {
		below := u.Of(child, Inside)
		out.Below = out.Below || below.Below || len(below.Rules) > 0
	}
	u.nodes.Store(s, out)
	return out
}

// parse is [parse], once for each text. Nothing changes an expression.
func (u *Unproved) parse(rule string) *ast.AST {
	if known, ok := u.parsed.Load(rule); ok {
		return known.(*ast.AST)
	}
	parsed := parse(rule)
	u.parsed.Store(rule, parsed)
	return parsed
}

// walk interprets a rule.
type walk struct {
	parsed    *ast.AST
	failing   []Read
	known     []Read
	visited   int
	variables int
}

// fail records a read that may fail.
func (w *walk) fail(e ast.Expr, reason Reason, v value, f facts) {
	r := Read{Reason: reason, Text: v.text, Steps: v.steps, Schema: v.schema, Guards: v.guards, given: f.literals}
	location := w.parsed.SourceInfo().GetStartLocation(e.ID())
	r.Line = location.Line()
	r.Column = location.Column() + 1
	if e.Kind() == ast.SelectKind {
		r.Column++ // after the dot
	}
	w.failing = append(w.failing, r)
}

// note records a part of self or oldSelf.
func (w *walk) note(v value) {
	if v.steps == nil || slices.ContainsFunc(w.known, func(r Read) bool { return slices.Equal(r.Steps, v.steps) }) {
		return
	}
	w.known = append(w.known, Read{Text: v.text, Steps: v.steps, Schema: v.schema, Guards: v.guards})
}

// try returns what is known of the value of an expression, and the reads that may fail, which are
// not recorded.
func (w *walk) try(e ast.Expr, s *scope, f facts) (value, []Read) {
	before := w.failing
	w.failing = nil
	v := w.value(e, s, f)
	found := w.failing
	w.failing = before
	return v, found
}

// resolve returns what is known of a part of a variable, without a check of what it reads.
func (w *walk) resolve(e ast.Expr, s *scope) value {
	switch e.Kind() {
	case ast.IdentKind:
		v, _ := s.find(e.AsIdent())
		return v
	case ast.SelectKind:
		if !isTest(e) {
			v, _, _ := w.resolve(e.AsSelect().Operand(), s).field(e.AsSelect().FieldName())
			return v
		}
	case ast.CallKind:
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.OptSelect:
			name, _ := textLiteral(args[1])
			v, _, _ := w.resolve(args[0], s).field(name)
			v.optional = true
			return v
		case operators.Index:
			operand := w.resolve(args[0], s)
			v := operand.element(w.elementPath(operand, args[1], s))
			v.optional = operand.optional
			return v
		case "value":
			v := w.resolve(e.AsCall().Target(), s)
			v.optional = false
			return v
		case "dyn":
			return w.resolve(args[0], s)
		}
	}
	return value{}
}

// value interprets an expression where the facts hold.
func (w *walk) value(e ast.Expr, s *scope, f facts) value {
	w.visited++
	if w.visited > maxSteps || f.contradictory() {
		return value{}
	}
	switch e.Kind() {
	case ast.IdentKind:
		v, _ := s.find(e.AsIdent())
		w.note(v)
		return v
	case ast.SelectKind:
		return w.selected(e, s, f)
	case ast.ListKind:
		elements := e.AsList().Elements()
		v := value{empty: len(elements) == 0}
		for i, item := range elements {
			known := w.value(item, s, f)
			if i == 0 {
				v.items = &known
			} else if v.items != nil && v.items.schema != known.schema {
				v.items = nil
			}
		}
		return v
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.value(entry.AsMapEntry().Key(), s, f)
			w.value(entry.AsMapEntry().Value(), s, f)
		}
		return value{empty: len(e.AsMap().Entries()) == 0}
	case ast.CallKind:
		return w.call(e, s, f)
	case ast.LiteralKind:
	default:
		w.fail(e, Unknown, value{}, f)
	}
	return value{}
}

// selected interprets the selection of a field, and the test for its presence.
func (w *walk) selected(e ast.Expr, s *scope, f facts) value {
	selection := e.AsSelect()
	operand := w.value(selection.Operand(), s, f)
	v, always, ok := operand.field(selection.FieldName())
	switch {
	case !ok && isTypeName(selection, s):
	case !ok:
		w.fail(e, Unknown, v, f)
	case selection.IsTestOnly():
		w.note(v)
		return value{}
	default:
		w.note(v)
		if !always && !v.optional && !f.has(v.path) {
			w.fail(e, Absent, v, f)
		}
	}
	return v
}

// isTypeName reports whether a selection is a part of a qualified name, such as optional.none.
func isTypeName(selection ast.SelectExpr, s *scope) bool {
	operand := selection.Operand()
	if operand.Kind() == ast.SelectKind {
		return isTypeName(operand.AsSelect(), s)
	}
	if operand.Kind() != ast.IdentKind {
		return false
	}
	_, isVariable := s.find(operand.AsIdent())
	return !isVariable
}

// call interprets a call.
func (w *walk) call(e ast.Expr, s *scope, f facts) value {
	call := e.AsCall()
	if m, ok := macroOf(call); ok {
		return w.macro(e, m, s, f)
	}
	args := call.Args()
	switch name := call.FunctionName(); name {
	case operators.LogicalAnd, operators.LogicalOr:
		w.logical(operands(e, name), name == operators.LogicalAnd, s, f)
		return value{}
	case operators.Conditional:
		w.value(args[0], s, f)
		yes := w.value(args[1], s, w.given(args[0], s, f, outcome{holds: true}))
		no := w.value(args[2], s, w.given(args[0], s, f, outcome{}))
		return merged(yes, no)
	case operators.Index, operators.OptIndex:
		return w.indexed(e, s, f)
	case operators.OptSelect:
		operand := w.value(args[0], s, f)
		field, _ := textLiteral(args[1])
		v, _, ok := operand.field(field)
		if !ok {
			w.fail(e, Unknown, v, f)
		}
		w.note(v)
		v.optional = true
		return v
	}
	return w.function(e, s, f)
}

// function interprets a call that evaluates all of its arguments.
func (w *walk) function(e ast.Expr, s *scope, f facts) value {
	call := e.AsCall()
	var target value
	if call.IsMemberFunction() {
		target = w.value(call.Target(), s, f)
	}
	args := make([]value, len(call.Args()))
	for i, arg := range call.Args() {
		if call.FunctionName() == "bind" && i > 0 {
			s = s.with(call.Args()[0].AsIdent(), args[1])
		}
		args[i] = w.value(arg, s, f)
	}
	switch name := call.FunctionName(); {
	case name == "bind" && len(args) == 3:
		return args[2]
	case name == "dyn" && len(args) == 1:
		return args[0]
	case name == "value" && len(args) == 0 && target.optional:
		if !f.has(target.path) {
			w.fail(e, Absent, target, f)
		}
		target.optional = false
		return target
	case name == "orValue" && len(args) == 1:
		target.optional = false
		return merged(target, args[0])
	case name == "or" && len(args) == 1:
		return merged(target, args[0])
	case (name == "of" || name == "ofNonZeroValue") && len(args) == 1:
		args[0].optional = true
		return args[0]
	case name == "split" || name == "findAll":
		return value{items: &value{}}
	case name == operators.Add && len(args) == 2:
		return merged(args[0], args[1])
	case name == "sort" || name == "distinct" || name == "reverse" || name == "slice":
		target.path = ""
		return target
	}
	return value{}
}

// indexed interprets an index of a list or a map.
func (w *walk) indexed(e ast.Expr, s *scope, f facts) value {
	args := e.AsCall().Args()
	operand := w.value(args[0], s, f)
	key := w.value(args[1], s, f)
	if args[0].Kind() == ast.MapKind && hasKeys(args[0].AsMap(), key.schema) {
		return value{}
	}
	if operand.schema == nil && operand.items == nil {
		w.fail(e, Unknown, operand, f)
		return value{}
	}
	v := operand.element(w.elementPath(operand, args[1], s))
	v.guards = operand.guards
	w.note(v)
	switch {
	case e.AsCall().FunctionName() == operators.OptIndex:
		v.optional = true
	case operand.optional || f.has(v.path) && v.path != "":
		v.optional = operand.optional
	case operand.isMap():
		w.fail(e, Absent, v, f)
	}
	return v
}

// hasKeys reports whether a map that a rule writes has an entry for each value of an enum.
func hasKeys(m ast.MapExpr, keys *structural.Schema) bool {
	if keys == nil || keys.ValueValidation == nil || len(keys.Enum) == 0 {
		return false
	}
	return !slices.ContainsFunc(keys.Enum, func(allowed structural.JSON) bool {
		return !slices.ContainsFunc(m.Entries(), func(entry ast.EntryExpr) bool {
			text, ok := textLiteral(entry.AsMapEntry().Key())
			return ok && plainjson.Text(text) == string(allowed.Raw)
		})
	})
}

// elementPath returns the path of an element, or "".
func (w *walk) elementPath(operand value, index ast.Expr, s *scope) string {
	if text, ok := textLiteral(index); ok {
		return operand.below("." + text)
	}
	if n, ok := intLiteral(index); ok {
		return operand.below("[" + strconv.FormatInt(n, 10) + "]")
	}
	key := w.resolve(index, s)
	if key.path == "" {
		return ""
	}
	return operand.below("[" + key.path + "]")
}

// variable returns a path for the variable of a macro.
func (w *walk) variable() string {
	w.variables++
	return "$" + strconv.Itoa(w.variables)
}

// macro interprets a call of a macro.
func (w *walk) macro(e ast.Expr, m macro, s *scope, f facts) value {
	target := w.value(m.target, s, f)
	inner, f := w.bind(m, target, s, f)
	bodies := make([]value, len(m.bodies))
	for i, body := range m.bodies {
		if i > 0 {
			f = w.given(m.bodies[0], inner, f, outcome{holds: true})
		}
		bodies[i] = w.value(body, inner, f)
	}
	last := bodies[len(bodies)-1]
	switch m.name {
	case "filter":
		target.path = ""
		target.filters = append(slices.Clip(target.filters), filter{m.variables[0], m.bodies[0], s})
		return target
	case "map", "transformList":
		last.path = ""
		return value{items: &last, steps: target.steps}
	case "optMap", "optFlatMap":
		last.optional = true
		return last
	case "sortBy":
		target.path = ""
		return target
	}
	return value{}
}

// bind declares the variables of a macro, and returns the facts that hold for them.
func (w *walk) bind(m macro, target value, s *scope, f facts) (*scope, facts) {
	path := w.variable()
	if m.name == "optMap" || m.name == "optFlatMap" {
		target.optional = false
		return s.with(m.variables[0], target), f.with("+" + target.path)
	}
	item := target.element(path)
	item.text = m.variables[len(m.variables)-1]
	key := value{path: path + "#", text: m.variables[0]}
	switch {
	case len(m.variables) == 2:
		s = s.with(m.variables[0], key).with(m.variables[1], item)
	case target.isMap():
		s = s.with(m.variables[0], key)
	default:
		s = s.with(m.variables[0], item)
	}
	if target.isMap() && target.path != "" {
		f = f.with("+" + target.path + "[" + key.path + "]")
	}
	filters := slices.Concat(target.filters, f.filters(target.path))
	for _, known := range filters {
		f = w.given(known.condition, known.scope.with(known.variable, item), f, outcome{holds: true})
	}
	return s, f
}

// operands returns the operands of a chain of one logical operator.
func operands(e ast.Expr, operator string) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operator {
		return []ast.Expr{e}
	}
	var out []ast.Expr
	for _, arg := range e.AsCall().Args() {
		out = append(out, operands(arg, operator)...)
	}
	return out
}

// logical interprets a chain of && or ||. The chain only fails if no operand decides it, so that
// every operand fails or has the outcome that does not decide. An operand that cannot fail then has
// that outcome, from which more follows.
func (w *walk) logical(chain []ast.Expr, conjunction bool, s *scope, f facts) {
	neutral := outcome{holds: conjunction}
	before := f
	for i, operand := range chain {
		if _, found := w.try(operand, s, before); len(found) > 0 {
			break
		}
		if i == len(chain)-1 {
			return
		}
		before = w.given(operand, s, before, neutral)
	}
	failing := make([][]Read, len(chain))
	unsafe := make([]bool, len(chain))
	for i := range unsafe {
		unsafe[i] = true
	}
	for changed := true; changed; {
		changed = false
		for i, operand := range chain {
			if !unsafe[i] {
				continue
			}
			known := f
			for j, other := range chain {
				if i == j {
					continue
				}
				o := neutral
				// Of two failures, that of the earlier operand is reported.
				o.mayFail = unsafe[j] || j > i && !isTotal(other)
				known = w.given(other, s, known, o)
			}
			_, failing[i] = w.try(operand, s, known)
			if len(failing[i]) == 0 {
				unsafe[i] = false
				changed = true
			}
		}
	}
	for i := range chain {
		w.failing = append(w.failing, failing[i]...)
	}
}

// isTotal reports whether an expression calls only functions that do not fail for any arguments
// of their types.
func isTotal(e ast.Expr) bool {
	total := true
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		switch e.AsCall().FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional,
			operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals,
			operators.Greater, operators.GreaterEquals, operators.In, operators.OptSelect,
			operators.OptIndex, "size", "startsWith", "endsWith", "contains", "hasValue", "orValue", "or", "value", "all", "exists",
			"filter", "map", "type", "matches", "trim", "lowerAscii", "upperAscii":
		default:
			total = false
		}
	}))
	return total
}
