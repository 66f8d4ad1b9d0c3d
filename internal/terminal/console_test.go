package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schemagen/schemagen/diag"
)

// newTestConsole returns a console on which a person reads both streams, which are joined.
func newTestConsole(t *testing.T, color string) (*Console, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	c := NewConsole(&out, &out, time.Unix(0, 0))
	if err := c.Configure(Options{Color: color, Env: func(string) string { return "" }, Dir: "/work"}); err != nil {
		t.Fatal(err)
	}
	if color == "always" {
		c.Out.IsTerminal, c.Err.IsTerminal = true, true
	}
	return c, &out
}

// TestProgress draws progress between other text.
func TestProgress(t *testing.T) {
	c, out := newTestConsole(t, "always")
	expect := func(want string) {
		t.Helper()
		if out.String() != want {
			t.Errorf("got %q, want %q", out, want)
		}
		out.Reset()
	}
	c.draw("")
	expect("")
	c.draw("checking definitions: 1 of 3")
	expect("\r\x1b[Kchecking definitions: 1 of 3")
	fmt.Fprintln(c.Out, "text")
	expect("\r\x1b[Ktext\n")
	c.draw("checking\x1b[31m " + strings.Repeat("x", 200))
	expect("\r\x1b[Kchecking\\x1b[31m " + strings.Repeat("x", 80) + "…")
	fmt.Fprint(c.Err, "Run it? [y/N] ")
	expect("\r\x1b[KRun it? [y/N] ")
	c.draw("not behind a question")
	expect("")
	fmt.Fprintln(c.Err)
	c.draw("again")
	c.Stop()
	expect("\n\r\x1b[Kagain")
	c.stop = func() {}
	c.Stop()
	expect("\r\x1b[K")
	c.Stop()
	expect("")
}

// TestTrack wants nothing to be tracked for what is no terminal.
func TestTrack(t *testing.T) {
	for _, color := range []string{"auto", "never"} {
		c, _ := newTestConsole(t, color)
		if ctx := c.Track(t.Context()); ctx != t.Context() {
			t.Errorf("color %s: progress is tracked", color)
		}
	}
	c, _ := newTestConsole(t, "always")
	c.quiet = true
	if ctx := c.Track(t.Context()); ctx != t.Context() {
		t.Error("progress is tracked for a quiet run")
	}
	c.quiet = false
	if ctx := c.Track(t.Context()); ctx == t.Context() {
		t.Error("no progress is tracked on a terminal")
	}
	c.Stop() // waits for what draws it
}

func TestSummary(t *testing.T) {
	fix := []diag.Fix{{Message: "x"}}
	mistakes := diag.List{{Severity: diag.Error}, {Severity: diag.Error, Fixes: fix}, {Severity: diag.Warning, Fixes: fix}, {Severity: diag.Note, Fixes: fix}, {Severity: diag.Error, Off: true}}
	for _, test := range []struct {
		list    diag.List
		outcome string
		fixes   bool
		want    string
	}{
		{mistakes, "nothing written", true, "2 errors, 1 warning (2 fixable with --fix); nothing written\n"},
		{mistakes, "nothing written", false, "2 errors, 1 warning; nothing written\n"},
		{mistakes[2:4], "wrote 1 of 2 files", false, "1 warning; wrote 1 of 2 files in 1.50s\n"},
		{nil, "wrote 1 of 2 files", true, "wrote 1 of 2 files in 1.50s\n"},
		{mistakes[:1], "", true, "1 error\n"},
		{nil, "", true, ""},
	} {
		for _, quiet := range []bool{false, true} {
			c, out := newTestConsole(t, "always")
			c.quiet = quiet
			c.Count(test.list)
			if test.outcome != "" {
				c.Conclude("%s", test.outcome)
			}
			c.Summarize(time.Unix(1, 500_000_000), test.fixes)
			want := test.want
			if quiet {
				want = ""
			}
			if got := withoutStyles(out.String()); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
	c, out := newTestConsole(t, "auto")
	c.Count(mistakes)
	if c.Summarize(time.Unix(1, 0), true); out.Len() > 0 {
		t.Errorf("got %q in a pipe", out)
	}
}

// TestDevice has streams that are no terminals.
func TestDevice(t *testing.T) {
	for color, want := range map[string]Device{
		"auto":   {Width: defaultWidth},
		"never":  {Width: defaultWidth},
		"always": {Width: defaultWidth, People: true, Styled: true},
	} {
		got, err := DeviceOf(&bytes.Buffer{}, color, func(string) string { return "" })
		if err != nil || got != want {
			t.Errorf("color %s: got %+v, %v, want %+v", color, got, err, want)
		}
	}
	if _, err := DeviceOf(nil, "red", nil); err == nil {
		t.Error("color red: no error")
	}
}
