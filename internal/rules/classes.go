package rules

import (
	"math"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// use is what rules read of a field besides its presence.
type use struct {
	schema *structural.Schema
	// isWhole is set if each value may have its own meaning.
	isWhole bool
	// texts, numbers and sizes are literals with which the value and its size are compared.
	texts          []string
	numbers, sizes []int64
	// peers are integers with which the value is compared, or the one of fallbacks that stands for it.
	peers     []*use
	fallbacks []int64
}

func (u *use) readsValue() bool {
	return u.isWhole || len(u.texts)+len(u.numbers)+len(u.sizes)+len(u.peers) > 0
}

// classes returns a value of each class: values with which the rules do the same. There are none if
// they are not known. What else restricts the values, such as a pattern, does not matter: a class that
// no object has makes a table stricter, not wrong.
func (u *use) classes() []any {
	s := u.schema
	if !u.readsValue() {
		return []any{unions.Sample(s, false)}
	}
	v := &structural.ValueValidation{}
	if s.ValueValidation != nil {
		v = s.ValueValidation
	}
	if v.Format != "" && (s.Type != "integer" || v.Format != "int32" && v.Format != "int64") {
		return nil // such as a date, which is not a string in rules
	}
	switch {
	case s.Type == "boolean":
		return u.accepted([]any{false, true})
	case len(enumOf(s)) > 0:
		return u.enumerated(enumOf(s))
	case u.isWhole:
		return nil
	case s.Type == "integer" && len(u.sizes) == 0:
		return u.integers()
	case s.Type == "string":
		return u.strings(v)
	case s.Type == "array":
		return u.sized(v.MinItems, v.MaxItems, func(n int64) any {
			return slices.Repeat([]any{unions.Sample(s.Items, false)}, int(n))
		})
	case s.Type == "object" && len(s.Properties) == 0 && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return u.sized(v.MinProperties, v.MaxProperties, func(n int64) any {
			out := map[string]any{}
			for i := range n {
				out[strings.Repeat("k", int(i)+1)] = unions.Sample(s.AdditionalProperties.Schema, false)
			}
			return out
		})
	}
	return nil
}

// enumOf returns the values of an enum, which may be in allOf.
func enumOf(s *structural.Schema) []structural.JSON {
	if s.ValueValidation == nil {
		return nil
	}
	for _, nested := range s.AllOf {
		if len(s.Enum) == 0 && len(nested.Enum) > 0 {
			return nested.Enum
		}
	}
	return s.Enum
}

// enumerated returns the values of an enum. One value stands for all that no literal names.
func (u *use) enumerated(enum []structural.JSON) []any {
	var out []any
	hasOther := false
	for _, allowed := range enum {
		var value any
		if utiljson.Unmarshal(allowed.Raw, &value) != nil || value == nil {
			return nil
		}
		text, _ := value.(string)
		number, _ := value.(int64)
		isNamed := u.isWhole || len(u.sizes)+len(u.peers) > 0 || slices.Contains(u.texts, text) || slices.Contains(u.numbers, number)
		if isNamed || !hasOther {
			out = append(out, value)
		}
		hasOther = hasOther || !isNamed
	}
	return u.accepted(out)
}

// accepted returns the values that the schema accepts.
func (u *use) accepted(values []any) []any {
	return slices.DeleteFunc(values, func(value any) bool {
		text, err := plainjson.Marshal(value)
		return err != nil || contradictions.Refusal(u.schema, structural.JSON{Raw: text}) != ""
	})
}

// integers returns the integers that are literals, and one of each gap between them. Integers that are
// compared with each other have the same literals, which include their bounds, and as many values of each
// gap as there are integers, so that each order of them occurs.
func (u *use) integers() []any {
	compared := []*use{u}
	var literals []int64
	for i := 0; i < len(compared); i++ {
		for _, peer := range compared[i].peers {
			if !slices.Contains(compared, peer) {
				compared = append(compared, peer)
			}
		}
		low, high := bounds(compared[i].schema)
		literals = append(literals, compared[i].numbers...)
		if len(compared) > 1 {
			literals = append(literals, compared[i].fallbacks...)
			isUnlimited := func(n int64) bool { return n == math.MinInt64 || n == math.MaxInt64 }
			literals = append(literals, slices.DeleteFunc([]int64{low, high}, isUnlimited)...)
		}
	}
	low, high := bounds(u.schema)
	var out []any
	for _, n := range representatives(literals, len(compared), low, high) {
		out = append(out, n)
	}
	return out
}

// bounds returns the least and the greatest integer of a schema.
func bounds(s *structural.Schema) (low, high int64) {
	low = math.MinInt64
	high = math.MaxInt64
	v := s.ValueValidation
	if v != nil && v.Minimum != nil {
		low = int64(math.Max(math.Ceil(*v.Minimum), -1<<53))
		if v.ExclusiveMinimum && float64(low) == *v.Minimum {
			low++
		}
	}
	if v != nil && v.Maximum != nil {
		high = int64(math.Min(math.Floor(*v.Maximum), 1<<53))
		if v.ExclusiveMaximum && float64(high) == *v.Maximum {
			high--
		}
	}
	return low, high
}

// representatives returns the literals between two bounds, and some numbers of each gap between literals, as
// near to zero as possible.
func representatives(literals []int64, some int, low, high int64) []int64 {
	sorted := slices.Compact(slices.Sorted(slices.Values(literals)))
	var out []int64
	between := func(from, to int64) {
		from = max(from, low)
		to = min(to, high)
		if from > to {
			return
		}
		first := min(max(0, from), to)
		for first > from && to-first < int64(some-1) {
			first--
		}
		for n := first; n-first < int64(some) && n <= to && n >= first; n++ {
			out = append(out, n)
		}
	}
	next := int64(math.MinInt64)
	for _, n := range sorted {
		if n > math.MinInt64 {
			between(next, n-1)
		}
		between(n, n)
		if n == math.MaxInt64 {
			return out
		}
		next = n + 1
	}
	between(next, math.MaxInt64)
	return out
}

// maxSize bounds the sizes of values in tables.
const maxSize = 64

// sized returns a value of each class of sizes.
func (u *use) sized(least, most *int64, value func(n int64) any) []any {
	low, high := int64(0), int64(math.MaxInt64)
	if least != nil {
		low = *least
	}
	if most != nil {
		high = *most
	}
	var out []any
	for _, n := range representatives(u.sizes, 1, low, high) {
		if n > maxSize {
			return nil
		}
		out = append(out, value(n))
	}
	return out
}

// strings returns the strings that are literals, and another one of each class of sizes.
func (u *use) strings(v *structural.ValueValidation) []any {
	var out []any
	for _, text := range slices.Compact(slices.Sorted(slices.Values(u.texts))) {
		out = append(out, text)
	}
	out = u.accepted(out)
	others := *u
	others.sizes = append(slices.Clone(u.sizes), 0) // there is no other string of size 0
	for _, value := range others.sized(v.MinLength, v.MaxLength, func(n int64) any { return u.unlike(int(n)) }) {
		if text, ok := value.(string); ok && !slices.Contains(u.texts, text) {
			out = append(out, text)
		}
	}
	return out
}

// unlike returns a string of a size that no literal is, if there is one.
func (u *use) unlike(size int) string {
	for letter := 'a'; letter <= 'z'; letter++ {
		if text := strings.Repeat(string(letter), size); size == 0 || !slices.Contains(u.texts, text) {
			return text
		}
	}
	return ""
}
