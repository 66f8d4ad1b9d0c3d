package typegen

import "testing"

// TestPlainText checks that schemas in markers have no escapes for HTML, and that a text which looks like
// one stays.
func TestPlainText(t *testing.T) {
	for value, want := range map[string]string{
		"<&>":     `{"example":"<&>"}`,
		`\u003c`:  `{"example":"\\u003c"}`,
		`\\u0026`: `{"example":"\\\\u0026"}`,
		"`":       `{"example":"\u0060"}`,
	} {
		if got := fragment(map[string]any{"example": value}); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
}
