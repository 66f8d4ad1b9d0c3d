package structural

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPlain compares plain with an encoder that does not escape HTML, for random texts of the
// characters that matter, also where they are written as escapes already.
func TestPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 29))
	pieces := []string{"<", ">", "&", `\`, `\\`, "u003c", `\u003c`, `"`, "u", "é", "\u2028", " ", "\n", "x"}
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(7) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		value := map[string]any{text.String(): []any{text.String(), 1}}
		escaped, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			t.Fatal(err)
		}
		if got := string(plain(escaped)); got != strings.TrimSuffix(want.String(), "\n") {
			t.Errorf("%s: got %s, want %s", escaped, got, want.String())
		}
	}
	for _, broken := range []string{``, `\`, `\u`, `\u00`, `\u003`, `"\u00`} {
		if got := string(plain([]byte(broken))); got != broken {
			t.Errorf("%q: got %q", broken, got)
		}
	}
}
