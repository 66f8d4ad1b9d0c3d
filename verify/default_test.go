package verify

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestDefaultHints writes what a hint about a default of the wrong type proposes: the server must
// accept it.
func TestDefaultHints(t *testing.T) {
	proposed := 0
	for _, typ := range []string{"integer", "number", "boolean", "string"} {
		for _, text := range []string{
			`"+1"`, `"1"`, `"-1"`, `"007"`, `"-0"`, `"1e3"`, `".5"`, `"5."`, `"+1.50"`, `"1.50"`, `"0x10"`, `"1_000"`, `"NaN"`, `"Inf"`, `"+Inf"`, `"1e400"`,
			`"true"`, `"True"`, `"yes"`, `""`, `" 1"`, `"one"`, `1`, `1.5`, `true`, `null`, `[]`, `{}`,
		} {
			verified := func(value string) []string {
				found, _ := verifyText(t, manifestOf(fmt.Sprintf("{type: object, properties: {a: {type: %s, default: %s}}}", typ, value)))
				var hints []string
				for _, d := range found {
					if d.Code == rejectedByServer.Code {
						hints = append(hints, d.Hint)
					}
				}
				return hints
			}
			hints := verified(text)
			for _, hint := range hints {
				_, value, ok := strings.Cut(hint, ": write ")
				if !ok || strings.HasPrefix(value, "a") || strings.HasPrefix(value, "true or") {
					continue
				}
				value, _, _ = strings.Cut(strings.TrimSuffix(value, " without quotes"), ", ")
				proposed++
				if !json.Valid([]byte(value)) { // a marker would make a string of it
					t.Errorf("%s %s: %q", typ, text, hint)
				}
				if again := verified(value); len(again) > 0 {
					t.Errorf("%s %s: %q, but with %s: %q", typ, text, hint, value, again)
				}
				if strings.HasSuffix(hint, " without quotes") && `"`+value+`"` != text {
					t.Errorf("%s %s: %q", typ, text, hint)
				}
			}
		}
	}
	if proposed < 15 {
		t.Errorf("only %d hints propose a value", proposed)
	}
}
