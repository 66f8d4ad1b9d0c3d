package convertprove

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Values with which conversions of scalars go wrong: zero, negative and fractional values, values
// that another unit truncates, and values too large for other types.

func integers() []int64 {
	return []int64{0, 1, 2, 3, 60, 90, 1500, -1, 1 << 33, math.MinInt32, math.MaxInt32}
}

func fractions() []float64 { return []float64{0, 1, 0.5, 2, -1, -0.5, 1e9} }

func durations() []string {
	return []string{"1h", "90s", "1.5s", "0s", "-5s", "-1.5s", "1ns", "100000h"}
}

func quantities() []string {
	return []string{"0", "1", "-1", "500m", "-500m", "1Gi", "1.5", "1e3", "100000Ei"}
}

// portions are percentages, and the name of a port.
func portions() []string { return []string{"0%", "25%", "-10%", "150%", "http"} }

func texts() []string { return []string{"", "a", "b", "c", "10", "-5", "0.5", "true"} }

// scalar returns another value.
func (e editor) scalar(value any, schema *structural.Schema) any {
	validation := schema.ValueValidation
	if validation == nil {
		validation = &structural.ValueValidation{}
	}
	if len(validation.Enum) > 0 {
		if decoded, ok := decode(validation.Enum[e.IntN(len(validation.Enum))].Raw); ok {
			return decoded
		}
	}
	if schema.XIntOrString {
		if e.IntN(2) == 0 {
			value = int64(0)
		} else {
			value = "1"
		}
	}
	switch value := value.(type) {
	case bool:
		return !value
	case int64, float64:
		if schema.Type == "number" {
			return e.number(validation)
		}
		return e.integer(validation)
	case string:
		return e.text(value, schema, validation)
	}
	return unions.Sample(schema, true)
}

// integer returns an integer, often one at a bound or next to it.
func (e editor) integer(validation *structural.ValueValidation) int64 {
	out := pick(e, integers())
	low := int64(math.MinInt64)
	high := int64(math.MaxInt64)
	if validation.Format == "int32" {
		low = math.MinInt32
		high = math.MaxInt32
	}
	if validation.Minimum != nil {
		low = max(low, bound(math.Ceil(*validation.Minimum)))
		if validation.ExclusiveMinimum && float64(low) == *validation.Minimum {
			low++
		}
	}
	if validation.Maximum != nil {
		high = min(high, bound(math.Floor(*validation.Maximum)))
		if validation.ExclusiveMaximum && float64(high) == *validation.Maximum {
			high--
		}
	}
	if low > math.MinInt64 && (out < low || e.IntN(6) == 0) {
		out = low + int64(e.IntN(2))
	}
	if high < math.MaxInt64 && (out > high || e.IntN(6) == 0) {
		out = high - int64(e.IntN(2))
	}
	if validation.MultipleOf != nil && *validation.MultipleOf >= 1 {
		out -= out % int64(*validation.MultipleOf)
	}
	return out
}

// bound returns the integer next to a bound of a schema.
func bound(x float64) int64 {
	switch {
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return int64(x)
}

// number returns a number, often one at a bound.
func (e editor) number(v *structural.ValueValidation) any {
	out := pick(e, fractions())
	if v.Minimum != nil && (out < *v.Minimum || e.IntN(6) == 0) {
		out = *v.Minimum
	}
	if v.Maximum != nil && (out > *v.Maximum || e.IntN(6) == 0) {
		out = *v.Maximum
	}
	if out == math.Trunc(out) {
		return int64(out) // as it is decoded
	}
	return out
}

// text returns a text that a pattern or a format allows, if it knows one.
func (e editor) text(value string, s *structural.Schema, v *structural.ValueValidation) string {
	candidates := texts()
	switch {
	case s.XIntOrString && v.Pattern == "":
		candidates = portions()
	case v.Format == "duration":
		candidates = durations()
	case v.Pattern != "":
		candidates = slices.Concat(quantities(), portions(), durations(), texts())
	case v.Format != "":
		return e.letters(value)
	case e.IntN(2) == 0:
		candidates = durations() // of a type that the schema does not tell from others
	}
	if v.Pattern != "" {
		pattern, err := regexp.Compile(v.Pattern)
		if err != nil {
			return e.letters(value)
		}
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(text string) bool { return !pattern.MatchString(text) })
		if len(candidates) == 0 || !s.XIntOrString && e.IntN(2) == 0 {
			return e.letters(value)
		}
	}
	return pick(e, candidates)
}

// letters returns a text with other digits and letters, which are often free within what a
// pattern or a format allows.
func (e editor) letters(value string) string {
	text := []byte(value)
	for i := range text {
		switch location := text[i]; {
		case e.IntN(4) > 0:
		case location >= '1' && location <= '8':
			text[i] = '1' + byte(e.IntN(9))
		case location >= 'a' && location <= 'e':
			text[i] = 'a' + byte(e.IntN(6))
		}
	}
	return string(text)
}

func pick[T any](e editor, choices []T) T { return choices[e.IntN(len(choices))] }

// fitDurations replaces texts that are not durations, where the Go type is one.
func (v *version) fitDurations(object map[string]any) {
	for _, path := range v.durations {
		fitAt(object, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")[1:])
	}
}

// fitAt returns a value in which the texts at a path are durations.
func fitAt(value any, path []string) any {
	switch value := value.(type) {
	case string:
		if _, err := time.ParseDuration(value); err != nil && len(path) == 0 {
			return durations()[len(value)%3]
		}
	case map[string]any:
		for name, child := range value {
			if len(path) > 0 && (path[0] == "[]" || path[0] == name) {
				value[name] = fitAt(child, path[1:])
			}
		}
	case []any:
		for i := range value {
			if len(path) > 0 {
				value[i] = fitAt(value[i], path[1:])
			}
		}
	}
	return value
}
