package screen

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// Line returns untrusted text for use within a line of output: control characters including
// newlines, characters that change the direction of text, and invalid UTF-8 are written as Go
// escapes.
func Line(text string) string { return escape(text, "") }

// Lines is like [Line] for text of several lines: newlines and tabs are kept.
func Lines(text string) string { return escape(text, "\n\t") }

// Indent returns the text with indent before every line that is not empty.
func Indent(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

func escape(text, keep string) string {
	if strings.IndexFunc(text, isHidden) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case isHidden(r) && !strings.ContainsRune(keep, r):
			b.WriteString(escapeRune(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func escapeRune(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if r < utf8.RuneSelf {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// isHidden reports whether a terminal or an editor interprets a character instead of showing
// it: C0 and C1 controls, line separators, direction marks.
func isHidden(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r < 0xa0, r == 0x61c, r == 0x200e, r == 0x200f, 0x2028 <= r && r <= 0x202e,
		0x2066 <= r && r <= 0x2069:
		return true
	}
	return false
}

// commandInLine matches workflow commands that are executed anywhere in a line, such as
// "##[error]".
var commandInLine = lazyregexp.New(`##([a-zA-Z]*\[)`)

// EscapeJSON returns JSON whose strings contain nothing that [Line] escapes, and no workflow
// command. Newlines between values are kept.
func EscapeJSON(data string) string {
	data = commandInLine().ReplaceAllString(data, `#\u0023$1`)
	if strings.IndexFunc(data, func(r rune) bool { return r >= 0x7f && isHidden(r) }) < 0 {
		return data
	}
	var b strings.Builder
	for _, r := range data {
		if r >= 0x7f && isHidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Terminal writes text to a terminal or the log of a workflow. It is the last safeguard, for
// text that was not passed through [Line]: it escapes what [Lines] escapes, and prevents
// lines from being interpreted as workflow commands such as "::error::" and "##[group]".
//
// It is safe for concurrent use.
type Terminal struct {
	w  io.Writer
	mu sync.Mutex
	// paint is what styles are written with; the zero value if there are none.
	paint Paint
	// held is the beginning of a character or of a style that is not yet complete.
	held []byte
	// colons is the number of colons at the start of the line, after spaces; negative after
	// any other character.
	colons int
	// hashes is 1 or 2 after one or two #, and stays 2 in the letters that follow.
	hashes int
}

// NewTerminal returns a Terminal that writes to w.
func NewTerminal(w io.Writer) *Terminal { return &Terminal{w: w} }

// EnableStyles lets text have styles. It is called before anything is written.
func (t *Terminal) EnableStyles() { t.paint = newPaint() }

// Documents returns the writer below a [Terminal], for output that programs read: YAML, JSON,
// Markdown, workflow annotations. Other writers are returned unchanged.
func Documents(w io.Writer) io.Writer {
	if t, ok := w.(*Terminal); ok {
		return t.w
	}
	return w
}

// Write implements [io.Writer].
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := p
	if len(t.held) > 0 {
		text = append(t.held, p...)
		t.held = nil
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if t.paint.Colored() && text[0] == '\x1b' {
			sequence, n := t.paint.cut(text)
			if n < 0 {
				t.held = append([]byte(nil), text...)
				break
			}
			if n > 0 { // it does not change what the line begins with
				out = append(out, sequence...)
				text = text[n:]
				continue
			}
		}
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 && !utf8.FullRune(text) {
			t.held = append([]byte(nil), text...)
			break
		}
		out = t.append(out, r, text[:size])
		text = text[size:]
	}
	if _, err := t.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// append appends a character, escaped if necessary.
func (t *Terminal) append(out []byte, r rune, raw []byte) []byte {
	colons := t.colons
	hashes := t.hashes
	switch {
	case r == '\n':
		t.colons = 0
		t.hashes = 0
		return append(out, '\n')
	case r == ' ' || r == '\t':
		t.colons = min(colons, 0)
		t.hashes = 0
		if colons > 0 {
			t.colons = -1
		}
		return append(out, byte(r))
	}
	t.colons = -1
	t.hashes = 0
	switch {
	case r == ':' && colons == 1, r == '[' && hashes == 2:
		return fmt.Appendf(out, `\x%02x`, r)
	case r == ':' && colons == 0:
		t.colons = 1
	case r == '#':
		t.hashes = min(hashes+1, 2)
	case hashes == 2 && ('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'):
		t.hashes = 2
	case isHidden(r) || r == utf8.RuneError && len(raw) == 1:
		return append(out, Line(string(raw))...)
	}
	return append(out, raw...)
}

// WriteJSON writes a value as a JSON document that is safe to show on a terminal.
func WriteJSON(w io.Writer, value any) error {
	text, err := plainjson.Indented(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(Documents(w), EscapeJSON(string(text)+"\n"))
	return err
}
