package rows

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Answer is what generated functions say of a request.
type Answer struct {
	// Given is the new object before normalization, as a typed client sends it.
	Given any `json:"given,omitempty"`
	// Object is the new object after normalization, as the types encode it.
	Object any `json:"object,omitempty"`
	// Errors are those of validation.
	Errors []Error `json:"errors,omitempty"`
	// Untyped says why an object is none of the type: a server would refuse it
	// before it calls any function.
	Untyped string `json:"untyped,omitempty"`
	// Broken is a promise that a function does not keep.
	Broken string `json:"broken,omitempty"`
}

// Error is a [field.Error] without its value.
type Error struct {
	Type  field.ErrorType `json:"type"`
	Field string          `json:"field"`
}

// Shapes are functions that answer requests, by the names of the shapes in the
// tests of package unions. Both objects are JSON; old is empty on create.
func Shapes() map[string]func(old, new []byte) Answer {
	return map[string]func(old, new []byte) Answer{
		"flat ":                with(NormalizeRequiredUnions, ValidateRequiredUnions),
		"flat D optional":      with(NormalizeOptionalUnions, ValidateOptionalUnions),
		`flat D optional ""`:   with(NormalizeOptionalOrEmptyUnions, ValidateOptionalOrEmptyUnions),
		`flat ""`:              with(NormalizeRequiredOrEmptyUnions, ValidateRequiredOrEmptyUnions),
		"flat D defaulted":     with(NormalizeDefaultedUnions, ValidateDefaultedUnions),
		"flat a optional":      with(NormalizeOptionalMemberUnions, ValidateOptionalMemberUnions),
		"places":               with(NormalizePlacesUnions, ValidatePlacesUnions),
		"maps and lists":       with(NormalizeMapsAndListsUnions, ValidateMapsAndListsUnions),
		"nested":               with(NormalizeNestedUnions, ValidateNestedUnions),
		"in each other":        with(NormalizeInEachOtherUnions, ValidateInEachOtherUnions),
		"nullable":             with(NormalizeNullableUnions, ValidateNullableUnions),
		"odd names":            with(NormalizeOddNamesUnions, ValidateOddNamesUnions),
		"unreadable names":     with(NormalizeUnreadableNamesUnions, ValidateUnreadableNamesUnions),
		"two in one":           with(NormalizeTwoInOneUnions, ValidateTwoInOneUnions),
		"matrix required D":    with(NormalizeMatrixRequiredUnions, ValidateMatrixRequiredUnions),
		"matrix required D, n": with(NormalizeMatrixRequiredNUnions, ValidateMatrixRequiredNUnions),
		"matrix optional D":    with(NormalizeMatrixOptionalUnions, ValidateMatrixOptionalUnions),
		"matrix optional D, n": with(NormalizeMatrixOptionalNUnions, ValidateMatrixOptionalNUnions),
		"matrix exactly one":   with(NormalizeMatrixExactlyOneUnions, ValidateMatrixExactlyOneUnions),
		"matrix exactly one, n": with(NormalizeMatrixExactlyOneNUnions,
			ValidateMatrixExactlyOneNUnions),
		"matrix at most one":    with(NormalizeMatrixAtMostOneUnions, ValidateMatrixAtMostOneUnions),
		"matrix at most one, n": with(NormalizeMatrixAtMostOneNUnions, ValidateMatrixAtMostOneNUnions),
		// The first version does not have the member that is optional.
		"matrix n optional":    with(NormalizeMatrixRequiredUnions, ValidateMatrixRequiredUnions),
		"matrix n optional, n": with(NormalizeMatrixOptionalMemberNUnions, ValidateMatrixOptionalMemberNUnions),
	}
}

// with answers with the functions of a type.
func with[T any](normalize func(old, new *T) bool, validate func(old, new *T, path *field.Path) field.ErrorList) func(old, new []byte) Answer {
	return func(oldText, newText []byte) Answer {
		var old *T
		new := new(T)
		err := json.Unmarshal(newText, new)
		if len(oldText) > 0 && err == nil {
			err = json.Unmarshal(oldText, &old)
		}
		if err != nil {
			return Answer{Untyped: err.Error()}
		}
		before, given := encoded(old), encoded(new)
		changed := normalize(old, new)
		a := Answer{Given: json.RawMessage(given), Object: new}
		switch {
		case changed != (encoded(new) != given):
			a.Broken = fmt.Sprintf("changed %t: %s became %s", changed, given, encoded(new))
		case normalize(old, new):
			a.Broken = fmt.Sprintf("not idempotent: %s, %s", before, given)
		}
		for _, e := range validate(old, new, nil) {
			a.Errors = append(a.Errors, Error{e.Type, e.Field})
		}
		if encoded(old) != before {
			a.Broken = "old was written: " + before
		}
		return a
	}
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
