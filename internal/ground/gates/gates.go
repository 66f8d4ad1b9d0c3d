package gates

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// MaxNames is the number of gates that a condition may have.
const MaxNames = 12

// Limits of a condition.
const (
	maxLength = 1 << 10 // bytes
	maxDepth  = 100     // of parentheses and negations
	maxTried  = 16      // names of joined conditions of which all sets are tried; others are off
)

// Never is the name that is off in every set. It is a name only for text that is in no channel.
const Never = "false"

// Base is the empty name, which OpenShift's markers use for what applies without their gates. It
// is on in every set that does not turn it off.
const Base = ""

// Set is a set of gates that are on: names, "*" for all, "!name" for all but one. Elements are
// applied from left to right. "!" turns off [Base].
type Set []string

// On reports whether a gate is on.
func (s Set) On(name string) bool {
	if name == Base {
		return !slices.Contains(s, "!"+Base)
	}
	for _, element := range slices.Backward(s) {
		switch element {
		case "!" + name, "!*":
			return false
		case name, "*":
			return true
		}
	}
	return false
}

// Within reports whether all gates of the set are on in another one.
func (s Set) Within(other Set) bool {
	for _, element := range append(slices.Concat(s, other), "*") { // "*" is a gate that no element names
		if name := strings.TrimPrefix(element, "!"); s.On(name) && !other.On(name) {
			return false
		}
	}
	return true
}

// Condition is a parsed condition. Its zero value always holds.
type Condition struct {
	op       operator
	name     string
	operands []Condition
}

type operator int

const (
	opAnd operator = iota
	opOr
	opNot
	opName
)

// Name returns the condition that a gate is on.
func Name(gate string) Condition { return Condition{op: opName, name: gate} }

// Or returns the condition that one of the conditions holds.
func Or(conditions ...Condition) Condition { return join(opOr, conditions) }

// And returns the condition that all of the conditions hold.
func And(conditions ...Condition) Condition { return join(opAnd, conditions) }

// Not returns the condition that another does not hold.
func Not(c Condition) Condition { return Condition{op: opNot, operands: []Condition{c}} }

// join combines conditions by && or ||, without nesting the same operator.
func join(op operator, conditions []Condition) Condition {
	c := Condition{op: op}
	for _, operand := range conditions {
		if operand.op == op {
			c.operands = append(c.operands, operand.operands...)
		} else {
			c.operands = append(c.operands, operand)
		}
	}
	if len(c.operands) == 1 {
		return c.operands[0]
	}
	return c
}

// Holds reports whether the condition holds if the gates of the set are on.
func (c Condition) Holds(set Set) bool { return c.holds(set.On) }

func (c Condition) holds(isOn func(string) bool) bool {
	holds := func(operand Condition) bool { return operand.holds(isOn) }
	switch c.op {
	case opName:
		return c.name != Never && isOn(c.name)
	case opNot:
		return !holds(c.operands[0])
	case opOr:
		return slices.ContainsFunc(c.operands, holds)
	}
	return !slices.ContainsFunc(c.operands, func(operand Condition) bool { return !holds(operand) })
}

// Names returns the sorted names of the gates in the condition.
func (c Condition) Names() []string {
	var names []string
	if c.op == opName {
		names = append(names, c.name)
	}
	for _, operand := range c.operands {
		names = append(names, operand.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Implies reports whether another condition holds whenever the condition does. It is not decided
// for conditions that have more names than one may have.
func (c Condition) Implies(other Condition) bool {
	both := And(c, Not(other))
	value := false
	constant := false
	if len(both.Names()) <= MaxNames {
		value, constant = both.Constant()
	}
	return constant && !value
}

// Smallest returns the names of the fewest gates that have to be on for the condition to hold,
// the first by name of equally small sets. ok is false if it never holds.
func (c Condition) Smallest() (enabled []string, ok bool) {
	names := c.Names()
	least := -1
	for set := range 1 << min(len(names), maxTried) {
		size := bits.OnesCount(uint(set))
		if least >= 0 && size >= bits.OnesCount(uint(least)) {
			continue
		}
		if c.holds(func(name string) bool {
			i, _ := slices.BinarySearch(names, name)
			return set>>i&1 == 1
		}) {
			least = set
		}
	}
	for i, name := range names {
		if least >= 0 && least>>i&1 == 1 {
			enabled = append(enabled, name)
		}
	}
	return enabled, least >= 0
}

// Constant reports whether the condition has the same value for every set of gates.
func (c Condition) Constant() (value, ok bool) {
	names := c.Names()
	value = c.holds(func(string) bool { return false })
	for set := range 1 << len(names) {
		isOn := func(name string) bool {
			i, _ := slices.BinarySearch(names, name)
			return set>>i&1 == 1
		}
		if c.holds(isOn) != value {
			return false, false
		}
	}
	return value, true
}

// With returns the condition if a gate is taken for on or off: without the gate, and without
// what no longer matters.
func (c Condition) With(gate string, enabled bool) Condition {
	never := Condition{op: opOr}
	switch c.op {
	case opName:
		if c.name != gate || gate == Never {
			return c
		}
		if enabled {
			return Condition{}
		}
		return never
	case opNot:
		operand := c.operands[0].With(gate, enabled)
		switch value, ok := operand.trivial(); {
		case !ok:
			return Condition{op: opNot, operands: []Condition{operand}}
		case value:
			return never
		}
		return Condition{}
	}
	var operands []Condition
	for _, operand := range c.operands {
		operand = operand.With(gate, enabled)
		value, ok := operand.trivial()
		switch {
		case !ok:
			operands = append(operands, operand)
		case value == (c.op == opOr):
			return operand // it decides
		}
	}
	return join(c.op, operands)
}

// trivial reports whether the condition consists of no gates, and its value then.
func (c Condition) trivial() (value, ok bool) {
	return c.op == opAnd, (c.op == opAnd || c.op == opOr) && len(c.operands) == 0
}

// String returns the canonical text of the condition, which parses to the same condition.
func (c Condition) String() string {
	switch c.op {
	case opName:
		if end := plainName(c.name); end == len(c.name) && end > 0 {
			return c.name
		}
		return `"` + c.name + `"`
	case opNot:
		return "!" + c.operands[0].operand(opNot)
	case opOr:
		return c.joined(" || ")
	}
	return c.joined(" && ")
}

func (c Condition) joined(separator string) string {
	texts := make([]string, len(c.operands))
	for i, operand := range c.operands {
		texts[i] = operand.operand(c.op)
	}
	return strings.Join(texts, separator)
}

// operand returns the text of the condition as an operand, in parentheses if it binds weaker.
func (c Condition) operand(op operator) string {
	if c.op == opOr && op != opOr || c.op == opAnd && op == opNot {
		return "(" + c.String() + ")"
	}
	return c.String()
}

// SyntaxError is the reason that a text is not a condition.
type SyntaxError struct {
	// Offset is where the error is, in bytes.
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string { return e.Msg }

// Parse returns the condition that a text consists of, or a *SyntaxError.
func Parse(text string) (Condition, error) {
	c, end, err := Scan(text)
	if err == nil && end < len(text) {
		return Condition{}, &SyntaxError{end, "a parenthesis that was not opened"}
	}
	return c, err
}

// Scan returns the condition at the beginning of a text, and where it ends: at the parenthesis
// that closes one around the condition, or at the end of the text.
func Scan(text string) (c Condition, end int, err error) {
	p := &parser{text: text}
	p.blanks()
	c = p.or()
	if p.err == nil && p.at < len(text) && text[p.at] != ')' {
		p.fail(p.at, "expected && or ||, found "+found(text[p.at:]))
	}
	if p.err == nil && p.at > maxLength {
		p.fail(maxLength, "a condition has at most "+strconv.Itoa(maxLength)+" bytes")
	}
	if p.err == nil && len(c.Names()) > MaxNames {
		p.fail(0, "a condition has at most "+strconv.Itoa(MaxNames)+" gates")
	}
	if p.err != nil {
		return Condition{}, 0, p.err
	}
	return c, p.at, nil
}

type parser struct {
	text  string
	at    int // no blank is at this offset
	depth int
	err   *SyntaxError // the first error
}

func (p *parser) fail(offset int, msg string) Condition {
	if p.err == nil {
		p.err = &SyntaxError{offset, msg}
	}
	return Condition{}
}

func (p *parser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// accept skips a token, and the blanks after it, if the text continues with it.
func (p *parser) accept(token string) bool {
	if p.err != nil || !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	p.blanks()
	return true
}

func (p *parser) or() Condition  { return p.list(opOr, "||", p.and) }
func (p *parser) and() Condition { return p.list(opAnd, "&&", p.not) }

func (p *parser) list(op operator, separator string, operand func() Condition) Condition {
	operands := []Condition{operand()}
	for p.accept(separator) {
		operands = append(operands, operand())
	}
	return join(op, operands)
}

func (p *parser) not() Condition {
	p.depth++
	defer func() { p.depth-- }()
	start := p.at
	switch {
	case p.err != nil:
		return Condition{}
	case p.depth > maxDepth:
		return p.fail(start, "the condition is nested too deeply")
	case p.accept("!"):
		return Not(p.not())
	case p.accept("("):
		c := p.or()
		if p.err == nil && !p.accept(")") {
			if p.at < len(p.text) {
				return p.fail(p.at, "expected &&, || or a closing parenthesis, found "+found(p.text[p.at:]))
			}
			return p.fail(start, "unclosed parenthesis")
		}
		return c
	}
	return p.name()
}

func (p *parser) name() Condition {
	rest := p.text[p.at:]
	if strings.HasPrefix(rest, `"`) {
		name, _, ok := strings.Cut(rest[1:], `"`)
		if !ok {
			return p.fail(p.at, "unclosed quote")
		}
		if name == "" || strings.ContainsAny(name, "\n\r") {
			return p.fail(p.at, "a gate needs a name")
		}
		p.at += len(name) + 2
		p.blanks()
		return Name(name)
	}
	end := plainName(rest)
	if end == 0 {
		switch {
		case strings.Trim(p.text, " \t\r\n") == "":
			return p.fail(p.at, "a gate is missing")
		case rest == "" || rest[0] == ')':
			return p.fail(p.at, "a gate is missing at the end")
		}
		return p.fail(p.at, "expected a gate, found "+found(rest))
	}
	p.at += end
	p.blanks()
	return Name(rest[:end])
}

// plainName returns the length of the name without quotes that a text begins with.
func plainName(text string) int {
	for i := range len(text) {
		c := text[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || strings.IndexByte("_.-", c) >= 0)) {
			return i
		}
	}
	return len(text)
}

// found returns the word or operator at the beginning of a text for messages.
func found(text string) string {
	if end := plainName(text); end > 0 {
		return strconv.Quote(text[:end])
	}
	for _, operator := range []string{"&&", "||"} {
		if strings.HasPrefix(text, operator) {
			return operator
		}
	}
	for _, r := range text {
		return strconv.Quote(string(r))
	}
	return "nothing"
}
