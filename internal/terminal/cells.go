package terminal

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// tabWidth is the distance between tab stops.
const tabWidth = 4

// cell is what a screen shows for a grapheme of a line: for example a letter with its
// accents, or the escape of a control character.
type cell struct {
	// text has no character that a terminal interprets, and width columns.
	text  string
	width int
	// at is the offset of the grapheme in the line, in bytes.
	at int
}

// cellsOf returns the cells of a line.
func cellsOf(line string) []cell {
	out := make([]cell, 0, len(line))
	column := 0
	for g, offset := displaywidth.StringGraphemes(line), 0; g.Next(); offset += len(g.Value()) {
		c := cell{g.Value(), g.Width(), offset}
		switch {
		case c.text == "\t":
			c.width = tabWidth - column%tabWidth
			c.text = strings.Repeat(" ", c.width)
		case len(c.text) > 1 || c.text[0] < ' ' || c.text[0] >= 0x7f:
			if shown := visible(c.text); shown != c.text {
				c.text = shown
				c.width = widthOf(shown)
			}
		}
		out = append(out, c)
		column += c.width
	}
	return out
}

// visible escapes what a terminal would interpret or not show at all in a grapheme, such as
// a zero-width space.
func visible(grapheme string) string {
	const joiner, nonJoiner = '\u200d', '\u200c' // parts of emoji and of words
	var b strings.Builder
	for _, r := range screen.Line(grapheme) {
		if unicode.Is(unicode.Cf, r) && r != joiner && r != nonJoiner {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// widthOf returns the number of columns of text that has been escaped.
func widthOf(text string) int { return displaywidth.String(text) }

// wrap splits text into lines between words: the first one of at most first columns, the
// others of at most width. A longer word has a line of its own.
func wrap(text string, first, width int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	room := first
	for _, word := range strings.Fields(text) {
		n := widthOf(word)
		if used > 0 && used+1+n > room {
			lines = append(lines, line.String())
			line.Reset()
			used = 0
			room = width
		}
		if used > 0 {
			line.WriteByte(' ')
			used++
		}
		line.WriteString(word)
		used += n
	}
	return append(lines, line.String())
}
