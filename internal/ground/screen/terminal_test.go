package screen

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// hostile returns texts that must not reach a terminal or a log unescaped.
func hostile() []string {
	return []string{
		"\x1b[2J\x1b]0;title\x07", "a\u009b2Jb", "\x9b2J", "new\nFORGED: line", "new\r\nFORGED", "over\rwritten", "\u202eevil\u2066", "\u2028FORGED\u2029",
		"::error::FORGED", "\n::error::FORGED", "\n  ::stop-commands::x", "##[error]FORGED", "x ##vso[task.x]", "100%0A::error::FORGED", "\x00\x7f\x85", "a,b:c%", "\xff\xfe", "tab\tand\vand\f",
	}
}

// command matches a line that a workflow would execute.
var command = regexp.MustCompile(`^\s*::|##[a-zA-Z]*\[`)

// TestTerminal checks that the output does not depend on how a text is split into writes,
// that no command gets through, and that ordinary text is unchanged.
func TestTerminal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := append(hostile(), "::", ":", "#", "##", "[", " ", "\n", "vso", "→ é 日本", "x::y", "#[derive]", "a:b")
	for range 3000 {
		var text strings.Builder
		for range 1 + random.IntN(6) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		var full, parts bytes.Buffer
		if n, err := NewTerminal(&full).Write([]byte(text.String())); err != nil || n != text.Len() {
			t.Fatal(n, err)
		}
		terminal := NewTerminal(&parts)
		for rest := text.String(); rest != ""; {
			n := 1 + random.IntN(len(rest))
			if _, err := terminal.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if full.String() != parts.String() {
			t.Fatalf("%q: got %q, and %q in parts", &text, &full, &parts)
		}
		for line := range strings.SplitSeq(full.String(), "\n") {
			if command.MatchString(line) {
				t.Errorf("%q: got command %q", &text, line)
			}
			if strings.IndexFunc(strings.ReplaceAll(line, "\t", ""), isHidden) >= 0 {
				t.Errorf("%q: got %q", &text, line)
			}
		}
	}
	const plain = "a: b :: c\n\t: x # y ## Title\n    é → 日本 #[x] [::]\n"
	var shown bytes.Buffer
	if _, err := NewTerminal(&shown).Write([]byte(plain)); err != nil || shown.String() != plain {
		t.Errorf("%q: got %q, error %v", plain, &shown, err)
	}
}
