package contradictions

import (
	"cmp"
	"fmt"
	"go/token"
	"math"
	"strconv"

	"github.com/schemagen/schemagen/structural"
)

// This file compares the bounds of numbers with each other and with their type.

// maxExact is the largest integer up to which a float64 holds every integer.
const maxExact = 1 << 53

// numbers reports the bounds and factors of a node that do not fit its type.
func (c *finder) numbers(s *structural.Schema, path *structural.Path) {
	for _, bound := range []struct {
		keyword string
		value   *float64
	}{{"minimum", s.Minimum}, {"maximum", s.Maximum}, {"multipleOf", s.MultipleOf}} {
		if bound.value == nil || bound.keyword == "multipleOf" && *bound.value <= 0 {
			continue
		}
		if want := misfit(s.Type, s.Format, *bound.value); want != "" {
			c.addKind(Misfit, path.Child(bound.keyword), s.Origin.Of(bound.keyword), misfitHint(s, bound.keyword, *bound.value),
				"%s %s is not %s: since Kubernetes 1.36 the API server rejects every value", bound.keyword, integral(*bound.value), want)
		}
	}
}

// integral formats a number, without an exponent if it is an integer.
func integral(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return number(f)
}

// misfit returns the kind of number that a bound of a type and format must be, or
// "" if it is one. It repeats the check of each bound that the server makes
// whenever it validates a value (kube-openapi's IsValueValidAgainstRange).
func misfit(typ, format string, bound float64) string {
	text := strconv.FormatFloat(bound, 'f', -1, 64)
	switch {
	case typ == "integer" && format == "int32":
		if _, err := strconv.ParseInt(text, 10, 32); err != nil {
			return "an int32"
		}
	case typ == "integer":
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			if bound == math.Trunc(bound) {
				return "an int64"
			}
			return "an integer"
		}
	case typ == "number" && format == "float":
		if _, err := strconv.ParseFloat(text, 32); err != nil {
			return "a 32-bit float"
		}
	}
	return ""
}

// misfitHint tells how to replace a bound that does not fit.
func misfitHint(s *structural.Schema, keyword string, bound float64) string {
	switch {
	case keyword == "multipleOf" || s.Type != "integer":
		return "write a value that fits"
	case bound != math.Trunc(bound) && keyword == "minimum":
		return "write " + integral(math.Ceil(bound))
	case bound != math.Trunc(bound):
		return "write " + integral(math.Floor(bound))
	case s.Format != "int32" && math.Abs(bound) == -math.MinInt64 && (bound < 0) == (keyword == "minimum"):
		return "remove it: no int64 exceeds it"
	case s.Format == "int32":
		return "write a bound within int32, or make the field an int64"
	}
	return "write a bound within int64"
}

// noNumber returns the clash of bounds that exclude each other although the lower
// one is below the upper one, because no multiple or no integer lies between them.
// It returns nil if that is uncertain.
func (l *limits) noNumber() *clash {
	if len(l.multiples) == 0 && l.typ != "integer" {
		return nil
	}
	for _, m := range l.multiples {
		if m.value <= 0 {
			return &clash{"multipleOf", fmt.Sprintf("multipleOf %s is not positive: no value is allowed", number(m.value)), m.pos, token.NoPos}
		}
	}
	low := l.number.low
	high := l.number.high
	if !low.set || !high.set {
		return nil
	}
	step, exact := l.step()
	if !exact || !none(low, high, step, 1e-9) {
		return nil
	}
	// The server truncates bounds and factors before it compares them with an integer.
	cut := limits{typ: "integer", number: span{low.cut(), high.cut()}}
	for _, m := range l.multiples {
		cut.multiples = append(cut.multiples, m.cut())
	}
	if step, exact := cut.step(); step > 0 && (!exact || !none(cut.number.low, cut.number.high, step, 0)) {
		return nil
	}
	what := "integer"
	keyword := "minimum"
	pos := low.pos
	if len(l.multiples) > 0 {
		what = "multiple of " + number(step)
		keyword = "multipleOf"
		pos = l.multiples[len(l.multiples)-1].pos
	}
	return &clash{keyword, fmt.Sprintf("no %s lies between %s and %s: no value is allowed", what, low.text("minimum"), high.text("maximum")), pos, cmp.Or(high.pos, low.pos)}
}

func (b bound) cut() bound { b.value = math.Trunc(b.value); return b }

func (b bound) text(keyword string) string {
	if b.exclusive {
		keyword = "exclusive " + keyword
	}
	return keyword + " " + number(b.value)
}

// step returns the number of which all allowed values are multiples. exact is
// false if it cannot be computed.
func (l *limits) step() (step float64, exact bool) {
	factors := make([]float64, 0, 1+len(l.multiples))
	if l.typ == "integer" {
		factors = append(factors, 1)
	}
	for _, m := range l.multiples {
		factors = append(factors, m.value)
	}
	// Scale decimal fractions to integers.
	scale := 1.0
	for _, f := range factors {
		for scale < 1e9 && math.Abs(f*scale-math.Round(f*scale)) > 1e-6 {
			scale *= 10
		}
	}
	if scale >= 1e9 {
		return factors[0], len(factors) == 1
	}
	step = 1
	for _, f := range factors {
		f = math.Round(f * scale)
		if f == 0 {
			return 0, false
		}
		step = step / gcd(step, f) * f
		if step > maxExact {
			return 0, false
		}
	}
	return step / scale, true
}

func gcd(a, b float64) float64 {
	for b != 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// none reports whether no multiple of step lies within the bounds, with a
// tolerance relative to step: the server compares quotients of floats.
func none(low, high bound, step, tolerance float64) bool {
	if math.Abs(low.value) > maxExact || math.Abs(high.value) > maxExact {
		return false
	}
	first := math.Ceil(low.value/step - tolerance)
	if low.exclusive && first*step <= low.value {
		first++
	}
	last := math.Floor(high.value/step + tolerance)
	if high.exclusive && last*step >= high.value {
		last--
	}
	return first > last
}

// Range is a closed interval. Its ends are infinite if there is no bound.
type Range struct{ Low, High float64 }

// Ranges returns the ranges that the bounds of a node, including those in allOf,
// allow for numbers, for the length of strings, and for the number of items and of
// properties. Exclusive bounds are treated as inclusive, and those of integers are
// rounded outwards, so that the ranges contain every value that the server accepts.
func Ranges(s *structural.Schema) (number, length, items, properties Range) {
	l := &limits{}
	if s.ValueValidation != nil {
		l = limitsOf(s)
	}
	var out [4]Range
	for i, span := range l.spans() {
		out[i] = Range{math.Inf(-1), math.Inf(1)}
		if i > 0 {
			out[i].Low = 0
		}
		if b := span.low; b.set {
			out[i].Low = math.Max(out[i].Low, math.Floor(b.value))
		}
		if b := span.high; b.set {
			out[i].High = math.Ceil(b.value)
		}
	}
	return out[0], out[1], out[2], out[3]
}
