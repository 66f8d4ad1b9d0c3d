package screen

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Style is how text looks on a terminal: the parameters of the control sequence that selects
// it.
type Style string

// Styles are legible on light and dark backgrounds.
const (
	Plain   Style = ""
	Bold    Style = "1"
	Dim     Style = "2"
	Red     Style = "31"
	Green   Style = "32"
	Cyan    Style = "36"
	Alert   Style = "1;31" // errors
	Caution Style = "1;33" // warnings
	Advice  Style = "1;36" // notes
)

// Paint writes styles into text for a [Terminal], which replaces them by control sequences.
// Other text cannot contain them, because each Terminal chooses at random how they begin. The
// zero Paint leaves text unchanged.
type Paint struct{ start string }

// styleEnd is the last character of a style in text.
const styleEnd = "m"

func newPaint() Paint {
	return Paint{"\x1b" + strconv.FormatUint(rand.Uint64(), 36) + "["}
}

// PaintOf returns the paint for text that is written to w.
func PaintOf(w io.Writer) Paint {
	if t, ok := w.(*Terminal); ok {
		return t.paint
	}
	return Paint{}
}

// Text returns the text, which ends no line, in a style.
func (p Paint) Text(s Style, text string) string {
	if p.start == "" || text == "" || s == Plain {
		return text
	}
	return p.start + string(s) + styleEnd + text + p.start + styleEnd
}

// Colored reports whether the paint has an effect.
func (p Paint) Colored() bool { return p.start != "" }

// cut returns the control sequence for the style with which the text begins, and its size in
// the text; it is 0 if there is none, and negative if the text is only its beginning.
func (p Paint) cut(text []byte) (sequence string, size int) {
	if len(text) < len(p.start) && strings.HasPrefix(p.start, string(text)) {
		return "", -1
	}
	rest, ok := bytes.CutPrefix(text, []byte(p.start))
	if !ok {
		return "", 0
	}
	style, _, ok := bytes.Cut(rest, []byte(styleEnd))
	if !ok {
		return "", -1
	}
	return "\x1b[" + string(style) + "m", len(p.start) + len(style) + len(styleEnd)
}
