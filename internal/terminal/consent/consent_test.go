package consent

import (
	"strings"
	"testing"
)

// TestWithoutTerminal refuses without a question where nobody can answer, unless consent is given.
func TestWithoutTerminal(t *testing.T) {
	var out strings.Builder
	for _, c := range []Consent{{}, {In: strings.NewReader("y\n"), Out: &out}} {
		err := c.RequireCode([]string{"example.com/a", "example.com/b\x1b"})
		want := `this builds and runs the code of example.com/a and example.com/b\x1b: allow it with --yes`
		if err == nil || err.Error() != want || c.Given || out.Len() > 0 {
			t.Errorf("%v, asked %q", err, out.String())
		}
	}
	c := Consent{Given: true}
	if err := c.RequireCode(nil); err != nil {
		t.Error(err)
	}
}
