package main

import (
	"slices"
	"testing"
)

// TestOptions holds the cases in which the options of the generator make a
// difference.
func TestOptions(t *testing.T) {
	spec := func(plain string) string {
		return `{"spec":{"value":{"type":"C"},"unnamed":{"type":"C","inner":{"type":"C"}},"plain":` + plain + `}}`
	}
	for _, c := range []struct {
		options, old, new string
		changed           bool
		errs              []string
	}{
		{"default", `{"type":"A","a":{}}`, `{"type":"C","a":{},"b":{}}`, true, nil},
		{"carry-over-only", `{"type":"A","a":{}}`, `{"type":"C","a":{},"b":{}}`, true, []string{"Forbidden spec.plain.b: may only be specified when `type` is \"B\""}},
		{"carry-over-only", `{"type":"A","a":{}}`, `{"type":"C","b":{}}`, false, []string{"Forbidden spec.plain.b: may only be specified when `type` is \"B\""}},
		{"default", `{"type":"A","a":{},"b":{}}`, `{"type":"A","a":{},"b":{},"other":"x"}`, false, nil},
		{"no-ratcheting", `{"type":"A","a":{},"b":{}}`, `{"type":"A","a":{},"b":{},"other":"x"}`, false, []string{
			"Forbidden spec.plain.b: may only be specified when `type` is \"B\"",
			"Invalid value spec.plain.type: must be changed when a different union member is set"}},
	} {
		a, err := answerTo(c.options)([]byte("[" + spec(c.old) + "," + spec(c.new) + "]"))
		if err != nil {
			t.Fatal(err)
		}
		if a.Changed != c.changed || !slices.Equal(a.Errors, append([]string{}, c.errs...)) {
			t.Errorf("%s, %s → %s: changed %t, %q", c.options, c.old, c.new, a.Changed, a.Errors)
		}
	}
}
