// Package markdown writes untrusted text into Markdown.
package markdown

import (
	"strings"
	"unicode"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// reference matches what GitHub turns into a mention of a person or a link to an issue, in a comment that
// has the text.
var reference = lazyregexp.New(`((?:^|\W)@)(\w)|(#|GH-)(\d)`)

// Text escapes a text for a line or a table cell: nothing in it is HTML, markup or a reference.
func Text(text string) string {
	var b strings.Builder
	text = screen.Line(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\*_`[]|~", r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return reference().ReplaceAllString(b.String(), "$1$3&#8203;$2$4") // a space without width
}

// Code returns a text as a code span on one line.
func Code(text string) string {
	text = screen.Line(text)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Anchor returns the link that GitHub gives to a heading.
func Anchor(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-', c == '_', unicode.IsLetter(c), unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
}
