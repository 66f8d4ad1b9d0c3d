package plainjson

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestPlain compares all functions with each other, for random texts of the characters that matter,
// also where they are written as escapes already.
func TestPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 29))
	pieces := []string{"<", ">", "&", `\`, `\\`, "u003c", `\u003c`, `"`, "u", "é", "\u2028", " ", "\n", "x"}
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(7) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		value := map[string]any{text.String(): []any{text.String(), 1.0}}
		escaped, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		want := Text(value)
		if got := string(Plain(escaped)); got != want {
			t.Errorf("%s: got %s, want %s", escaped, got, want)
		}
		if got := string(AppendText(nil, text.String())); !strings.HasPrefix(want, "{"+got+":[") {
			t.Errorf("%s: the string is %s", want, got)
		}
		for _, c := range "<>&" {
			if strings.Count(text.String(), string(c))*2 != strings.Count(want, string(c)) {
				t.Errorf("%q: got %s", text.String(), want)
			}
		}
		indented, err := Indented(value, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]any
		if err := json.Unmarshal(indented, &back); err != nil || !reflect.DeepEqual(back, value) {
			t.Errorf("%s: %v, %v", indented, back, err)
		}
	}
	for _, broken := range []string{``, `\`, `\u`, `\u00`, `\u003`, `"\u00`} {
		if got := string(Plain([]byte(broken))); got != broken {
			t.Errorf("%q: got %q", broken, got)
		}
	}
}

// TestYAML holds what TestPlainJSON of the root relies on: YAML that is converted from JSON has no
// escapes for HTML.
func TestYAML(t *testing.T) {
	text, err := yaml.Marshal(map[string]any{"<&>": json.RawMessage(`"\u003c&>"`)})
	if err != nil || string(text) != "<&>: <&>\n" {
		t.Errorf("got %q, %v", text, err)
	}
}
