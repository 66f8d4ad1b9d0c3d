package rules

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// reader finds the columns of a table: the fields that conditions read, and their uses. A rule is read
// exactly if each part of self occurs in it as
//
//   - has(self.a), or self.?a.hasValue();
//   - self.a or self.?a.orValue(literal), compared with a literal or, by in, with a list of them, or, if
//     it is an integer, with another field;
//   - the size of such a value, compared with an integer;
//   - self.a anywhere else, if a is a boolean or has an enum.
//
// All else in the rule is a function of these, whatever it is.
type reader struct {
	walk  *walk
	scope *scope
	self  *part
	uses  map[*part]*use
	// read is what the last condition reads.
	read reading
}

func newReader(s *structural.Schema) *reader {
	root := value{schema: s, path: "self", text: "self", steps: []string{"self"}}
	return &reader{walk: &walk{}, scope: (*scope)(nil).with("self", root), self: &part{step: "self", schema: s}, uses: map[*part]*use{}}
}

// readCondition adds the columns of a condition. It returns false if the condition cannot be read exactly.
func (r *reader) readCondition(c Condition) bool {
	r.read = reading{times: map[*part]int{}}
	if c.Junctor != nil {
		return r.validation(c.Junctor, nil)
	}
	parsed := parse(c.Rule.Rule)
	if parsed == nil || apiserver.UsesOldSelf(c.Rule.Rule) || !r.expression(parsed.Expr()) {
		return false
	}
	r.read.count(parsed, r.self.children)
	return true
}

// readConditions adds the columns of conditions, and returns what each of them reads. ok is false if one cannot be
// read exactly.
func (r *reader) readConditions(list []Condition) (out []reading, ok bool) {
	for _, c := range list {
		if !r.readCondition(c) {
			return nil, false
		}
		out = append(out, r.read)
	}
	return out, true
}

func (r *reader) expressions(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { return !r.expression(e) })
}

func (r *reader) expression(e ast.Expr) bool {
	if v := r.walk.resolve(e, r.scope); v.steps != nil {
		column := r.use(v)
		if column == nil {
			return false
		}
		column.isWhole = true
		return true
	}
	switch e.Kind() {
	case ast.IdentKind, ast.LiteralKind:
		return true
	case ast.ListKind:
		return r.expressions(e.AsList().Elements())
	case ast.MapKind:
		return !slices.ContainsFunc(e.AsMap().Entries(), func(entry ast.EntryExpr) bool {
			return !r.expression(entry.AsMapEntry().Key()) || !r.expression(entry.AsMapEntry().Value())
		})
	case ast.SelectKind:
		operand := e.AsSelect().Operand()
		if v := r.walk.resolve(operand, r.scope); v.steps != nil {
			field, _, _ := v.field(e.AsSelect().FieldName())
			return r.use(field) != nil
		}
		return r.expression(operand)
	case ast.CallKind:
		return r.call(e.AsCall())
	}
	return false
}

func (r *reader) call(call ast.CallExpr) bool {
	args := call.Args()
	if m, ok := macroOf(call); ok {
		return !slices.Contains(m.variables, "self") && r.expression(m.target) && r.expressions(m.bodies)
	}
	switch name := call.FunctionName(); name {
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
		operators.GreaterEquals:
		return r.comparison(name, args[0], args[1])
	case operators.In:
		if v, ok := r.valued(args[0]); ok && args[1].Kind() == ast.ListKind {
			column := r.use(v)
			isOther := func(e ast.Expr) bool { return !column.literal(e) }
			return column != nil && !slices.ContainsFunc(args[1].AsList().Elements(), isOther)
		}
	case "hasValue":
		if v := r.walk.resolve(call.Target(), r.scope); v.steps != nil {
			return r.use(v) != nil
		}
	}
	return (!call.IsMemberFunction() || r.expression(call.Target())) && r.expressions(args)
}

// comparison reads a comparison. One with a choice between two values is a choice between two comparisons.
func (r *reader) comparison(operator string, left, right ast.Expr) bool {
	if left.Kind() == ast.CallKind && left.AsCall().FunctionName() == operators.Conditional {
		args := left.AsCall().Args()
		return r.expression(args[0]) && r.comparison(operator, args[1], right) && r.comparison(operator, args[2], right)
	}
	if right.Kind() == ast.CallKind && right.AsCall().FunctionName() == operators.Conditional {
		return r.comparison(operator, right, left)
	}
	for _, sides := range [][]ast.Expr{{left, right}, {right, left}} {
		if exact, ok := r.compared(operator, sides[0], sides[1]); ok {
			return exact
		}
	}
	return r.expression(left) && r.expression(right)
}

// compared reads a comparison of a field, or of its size, with a literal, or of two integer fields. ok is
// false if it is another comparison.
func (r *reader) compared(operator string, side, other ast.Expr) (exact, ok bool) {
	v, ok := r.valued(side)
	if !ok {
		v, ok = r.sized(side)
		n, isInt := intLiteral(other)
		if !ok || !isInt {
			return false, false
		}
		column := r.use(v)
		if column != nil {
			column.sizes = append(column.sizes, n)
		}
		return column != nil, true
	}
	if peer, isField := r.valued(other); isField {
		column := r.use(v)
		another := r.use(peer)
		if column == nil || another == nil || column.schema.Type != "integer" || another.schema.Type != "integer" {
			return false, false
		}
		column.peers = append(column.peers, another)
		another.peers = append(another.peers, column)
		return true, true
	}
	isOrder := operator != operators.Equals && operator != operators.NotEquals
	_, isText := textLiteral(other)
	if other.Kind() != ast.LiteralKind && !isEmpty(other) || isText && isOrder {
		return false, false
	}
	if len(v.steps) == 1 && other.AsLiteral() == types.NullValue {
		return true, true
	}
	column := r.use(v)
	return column != nil && column.literal(other), true
}

// valued returns the field whose value an expression has where the field is present.
func (r *reader) valued(e ast.Expr) (v value, ok bool) {
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "orValue" && e.AsCall().IsMemberFunction() {
		fallback := e.AsCall().Args()[0]
		v = r.walk.resolve(e.AsCall().Target(), r.scope)
		if n, isInt := intLiteral(fallback); isInt && v.steps != nil {
			if column := r.use(v); column != nil {
				column.fallbacks = append(column.fallbacks, n)
			}
		}
		return v, v.steps != nil && v.optional && (fallback.Kind() == ast.LiteralKind || isEmpty(fallback))
	}
	v = r.walk.resolve(e, r.scope)
	return v, v.steps != nil && !v.optional
}

// sized returns the field whose size an expression is.
func (r *reader) sized(e ast.Expr) (v value, ok bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "size" {
		return v, false
	}
	if e.AsCall().IsMemberFunction() {
		return r.valued(e.AsCall().Target())
	}
	return r.valued(e.AsCall().Args()[0])
}

func isEmpty(e ast.Expr) bool {
	return e.Kind() == ast.ListKind && e.AsList().Size() == 0 || e.Kind() == ast.MapKind && e.AsMap().Size() == 0
}

// use returns the use of a field, with a column for it; nil if it cannot be a column.
func (r *reader) use(v value) *use {
	if len(v.steps) == 0 {
		return nil
	}
	return r.useOf(v.steps[1:])
}

// useOf is [reader.use] for the field to which steps lead from self.
func (r *reader) useOf(steps []string) *use {
	if len(steps) == 0 || slices.Contains(steps, element) {
		return nil
	}
	r.self.add(steps)
	way := r.self.find(steps)
	if way == nil || slices.ContainsFunc(way[:len(way)-1], func(p *part) bool { return p.schema.Nullable }) {
		return nil
	}
	for _, p := range way {
		r.read.times[p]++
		if !slices.Contains(r.read.columns, p) {
			r.read.columns = append(r.read.columns, p)
		}
	}
	column := way[len(way)-1]
	if r.uses[column] == nil {
		r.uses[column] = &use{schema: column.schema}
	}
	return r.uses[column]
}

// setChoices sets the classes of all columns. It returns false if those of one are not known.
func (r *reader) setChoices() bool {
	r.self.choices = []any{unions.Sample(r.self.schema, false)}
	for _, column := range r.self.below() {
		if r.uses[column] == nil {
			r.uses[column] = &use{schema: column.schema} // only what is below it is read
		}
		if len(column.children) > 0 && r.uses[column].readsValue() {
			return false
		}
		column.choices = r.uses[column].classes()
		if len(column.choices) == 0 {
			return false
		}
		if column.schema.Nullable {
			column.choices = append(column.choices, nil)
		}
	}
	return len(r.self.children) > 0
}

// literal adds a literal with which a value is compared. It returns false if it is not one of the
// value's type.
func (u *use) literal(e ast.Expr) bool {
	if isEmpty(e) {
		u.sizes = append(u.sizes, 0)
		return true
	}
	if e.Kind() != ast.LiteralKind {
		return false
	}
	if e.AsLiteral() == types.NullValue {
		return true // no value equals null
	}
	return u.value(e.AsLiteral().Value())
}

// value adds a value with which a value is compared. It returns false if it is not one of its type.
func (u *use) value(value any) bool {
	switch value := value.(type) {
	case bool:
		u.isWhole = true
		return u.schema.Type == "boolean"
	case string:
		u.texts = append(u.texts, value)
		return u.schema.Type == "string"
	case int64:
		u.numbers = append(u.numbers, value)
		return u.schema.Type == "integer"
	}
	return false
}
