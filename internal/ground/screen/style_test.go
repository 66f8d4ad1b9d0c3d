package screen

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestStyles writes text with styles in parts of every size, among text that imitates them.
func TestStyles(t *testing.T) {
	for size := range 40 {
		var out bytes.Buffer
		terminal := NewTerminal(&out)
		terminal.EnableStyles()
		paint := PaintOf(terminal)
		text := paint.Text(Alert, "error") + ": \x1b[31mred\x1b[m \x1babc[1m" + paint.Text(Dim, "::x") + "\n" + paint.Text(Red, "::error::x")
		for rest := text; rest != ""; {
			n := min(size+1, len(rest))
			if _, err := terminal.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		const want = "\x1b[1;31merror\x1b[m: \\x1b[31mred\\x1b[m \\x1babc[1m\x1b[2m::x\x1b[m\n\x1b[31m:\\x3aerror::x\x1b[m"
		if out.String() != want {
			t.Errorf("in parts of %d bytes: got %q, want %q", size+1, &out, want)
		}
	}
}

// TestNoStyles wants text unchanged where there are no styles.
func TestNoStyles(t *testing.T) {
	for _, paint := range []Paint{{}, PaintOf(&bytes.Buffer{}), PaintOf(NewTerminal(&bytes.Buffer{}))} {
		if got := paint.Text(Red, "x"); got != "x" || paint.Colored() {
			t.Errorf("got %q, colored %v", got, paint.Colored())
		}
	}
	terminal := NewTerminal(&bytes.Buffer{})
	terminal.EnableStyles()
	if got := PaintOf(terminal).Text(Plain, "x") + PaintOf(terminal).Text(Red, ""); got != "x" {
		t.Errorf("got %q", got)
	}
}

// TestStylesOfOthers wants a terminal to escape the styles of another one, which text from
// outside cannot know either.
func TestStylesOfOthers(t *testing.T) {
	var out bytes.Buffer
	ours, other := NewTerminal(&out), NewTerminal(&out)
	ours.EnableStyles()
	other.EnableStyles()
	if _, err := ours.Write([]byte(PaintOf(other).Text(Red, "x"))); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^\\x1b\w+\[31mx\\x1b\w+\[m$`).MatchString(out.String()) || strings.Contains(out.String(), "\x1b") {
		t.Errorf("got %q", &out)
	}
}
