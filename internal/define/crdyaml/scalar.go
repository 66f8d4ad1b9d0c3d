package crdyaml

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

const (
	// foldColumn is the last column after which lines are not folded.
	foldColumn = 80
	// maxSimpleKey is the maximum length of a simple key in bytes. Longer keys are written
	// after a question mark.
	maxSimpleKey  = 128
	byteOrderMark = '\uFEFF'
	// neverFold is a start column from which no text reaches foldColumn.
	neverFold = math.MinInt32
)

type scalarStyle uint8

const (
	plain scalarStyle = iota
	singleQuoted
	doubleQuoted
	literal
	// exotic marks texts that are left to the library: invalid UTF-8, characters that the
	// library rejects, and Unicode line breaks.
	exotic
)

// appendScalar appends s as a value that starts at column col, and ends the line.
// Continuation lines are indented by indent. If ok is false, s is exotic and the result
// must be discarded.
func appendScalar(b []byte, s string, col, indent int) (_ []byte, ok bool) {
	style, ascii := styleOf(s)
	switch style {
	case plain:
		b = appendFolded(b, s, style, ascii, col, indent)
	case singleQuoted:
		b = append(b, '\'')
		b = appendFolded(b, s, style, ascii, col+1, indent)
		b = append(b, '\'')
	case doubleQuoted:
		b = appendDoubleQuoted(b, s, col, indent)
	case literal:
		return appendLiteral(b, s, indent), true
	case exotic:
		return b, false
	}
	return append(b, '\n'), true
}

// appendKey appends s as a mapping key, without the colon. If ok is false, s is left to the
// library and the result must be discarded.
func appendKey(b []byte, s string) (_ []byte, ok bool) {
	if len(s) > maxSimpleKey || strings.IndexByte(s, '\r') >= 0 {
		return b, false
	}
	style, ascii := styleOf(s)
	switch style {
	case plain:
		return append(b, s...), true
	case singleQuoted:
		b = append(b, '\'')
		b = appendFolded(b, s, style, ascii, neverFold, 0)
		return append(b, '\''), true
	case doubleQuoted:
		if strings.IndexByte(s, '\n') < 0 {
			return appendDoubleQuoted(b, s, neverFold, 0), true
		}
	}
	return b, false
}

// styleOf returns the style of a text. ascii reports whether s consists of printable ASCII
// characters and newlines only.
func styleOf(s string) (style scalarStyle, ascii bool) {
	if isWord(s) {
		if isOtherType(s) {
			return doubleQuoted, true
		}
		return plain, true
	}
	if s == "" {
		return doubleQuoted, true
	}
	var lines, spaceAtEnd, special, indicator bool
	ascii = true
	for i := nextSpecial(s, 0); i < len(s); i = nextSpecial(s, i) {
		switch s[i] {
		case '\n':
			lines = true
			spaceAtEnd = spaceAtEnd || i > 0 && s[i-1] == ' '
			i++
		case ':':
			i++
			indicator = indicator || i == len(s) || s[i] == ' '
		case '#':
			indicator = indicator || i > 0 && s[i-1] == ' '
			i++
		default:
			ascii = false
			size := 0
			style, size = styleOfRune(s[i:])
			if style == exotic || i == 0 && strings.HasPrefix(s, string(byteOrderMark)) {
				return exotic, false
			}
			special = special || style == doubleQuoted
			i += size
		}
	}
	spaceAtEnd = spaceAtEnd || s[len(s)-1] == ' '
	switch {
	case special, lines && spaceAtEnd:
		return doubleQuoted, ascii
	case lines:
		return literal, ascii
	case isOtherType(s):
		return doubleQuoted, ascii
	case indicator, spaceAtEnd, startsWithIndicator(s):
		return singleQuoted, ascii
	}
	return plain, ascii
}

// isWord reports whether s is a word that is plain unless it is of another type. Most names
// and values are.
func isWord(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '_' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}

// nextSpecial returns the index, at or after i, of the first byte that is a colon, a number
// sign, or not a printable ASCII character; or len(s) if there is none. It checks eight
// bytes at a time, because all text of a document passes through it.
func nextSpecial(s string, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; i+8 <= len(s); i += 8 {
		t := s[i : i+8]
		x := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		// The high bit of each byte is set if the byte is above 0x7f, below 0x20, equal to
		// 0x7f, or one of the two characters. Carries may set further bits, but only above
		// a correct one.
		found := (x | (x - ' '*ones) | (x + ones) | ((x ^ ':'*ones) - ones) | ((x ^ '#'*ones) - ones)) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == ':' || c == '#' {
			return i
		}
	}
	return i
}

// styleOfRune reports whether the first character of s can be plain, requires double
// quotes, or makes the text exotic. The library decides by the first bytes of a character,
// and so considers no character above U+FFFF printable.
func styleOfRune(s string) (style scalarStyle, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1, r >= 0x7F && r < 0xA0,
		r == 0x2028, r == 0x2029, r == 0xFFFE, r == 0xFFFF:
		return exotic, size
	case r < ' ', r == byteOrderMark, r > 0xFFFF:
		return doubleQuoted, size
	}
	return plain, size
}

// startsWithIndicator reports whether a non-empty single-line text would, because of its
// start, be read as something other than one scalar.
func startsWithIndicator(s string) bool {
	switch s[0] {
	case ' ', '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '?':
		return len(s) == 1 || s[1] == ' '
	case '-':
		return len(s) == 1 || s[1] == ' ' || strings.HasPrefix(s, "---")
	case '.':
		return strings.HasPrefix(s, "...")
	}
	return false
}

// appendFolded appends the content of a plain or single-quoted scalar.
func appendFolded(b []byte, s string, style scalarStyle, ascii bool, col, indent int) []byte {
	if !ascii || style == singleQuoted && strings.IndexByte(s, '\'') >= 0 {
		return appendFoldedSlowly(b, s, style, col, indent)
	}
	i := max(foldColumn+1-col, 1)
	for i < len(s)-1 {
		n := strings.IndexByte(s[i:], ' ')
		if n < 0 {
			break
		}
		i += n
		if !isFold(s, i) {
			i++
			continue
		}
		b = append(b, s[:i]...)
		b = append(b, '\n')
		b = appendSpaces(b, indent)
		s = s[i+1:]
		i = max(foldColumn+1-indent, 1)
	}
	return append(b, s...)
}

// isFold reports whether a line may be broken at the space s[i]: at a single space that is
// neither first nor last.
func isFold(s string, i int) bool {
	return i > 0 && i < len(s)-1 && s[i-1] != ' ' && s[i+1] != ' '
}

// appendFoldedSlowly is appendFolded for texts with non-ASCII characters or single quotes:
// it counts columns in characters and doubles quotes.
func appendFoldedSlowly(b []byte, s string, style scalarStyle, col, indent int) []byte {
	for i := range len(s) {
		c := s[i]
		if c == ' ' && col > foldColumn && isFold(s, i) {
			b = append(b, '\n')
			b = appendSpaces(b, indent)
			col = indent
			continue
		}
		if c == '\'' && style == singleQuoted {
			b = append(b, c)
			col++
		}
		b = append(b, c)
		if utf8.RuneStart(c) {
			col++
		}
	}
	return b
}

// appendDoubleQuoted appends a double-quoted scalar. Unlike in the other styles, the first
// of several spaces may be a line break, too; the second one is then escaped.
func appendDoubleQuoted(b []byte, s string, col, indent int) []byte {
	b = append(b, '"')
	col++
	afterSpace := false
	for i, r := range s {
		if r == ' ' {
			if !afterSpace && col > foldColumn && i > 0 && i < len(s)-1 {
				b = append(b, '\n')
				b = appendSpaces(b, indent)
				col = indent
				if s[i+1] == ' ' {
					b = append(b, '\\')
					col++
				}
			} else {
				b = append(b, ' ')
				col++
			}
			afterSpace = true
			continue
		}
		afterSpace = false
		start := len(b)
		if r < ' ' || r == '"' || r == '\\' || r == byteOrderMark || r > 0xFFFF {
			b = appendEscape(b, r)
			col += len(b) - start
		} else {
			b = utf8.AppendRune(b, r)
			col++
		}
	}
	return append(b, '"')
}

// appendEscape appends the escape sequence of a character that is not exotic.
func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789ABCDEF"
	// The escape letters for U+0007 to U+000D.
	const letters = "abtnvfr"
	b = append(b, '\\')
	switch {
	case r == 0:
		return append(b, '0')
	case r >= 7 && int(r) < 7+len(letters):
		return append(b, letters[r-7])
	case r == 0x1B:
		return append(b, 'e')
	case r == '"' || r == '\\':
		return append(b, byte(r))
	}
	digits := 2
	switch {
	case r > 0xFFFF:
		b = append(b, 'U')
		digits = 8
	case r > 0xFF:
		b = append(b, 'u')
		digits = 4
	default:
		b = append(b, 'x')
	}
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, hex[r>>shift&0xF])
	}
	return b
}

// appendLiteral appends a literal block scalar, including the final line break.
func appendLiteral(b []byte, s string, indent int) []byte {
	b = append(b, '|')
	if s[0] == ' ' || s[0] == '\n' {
		// The indentation cannot be detected from the first line.
		b = append(b, '2')
	}
	body, ended := strings.CutSuffix(s, "\n")
	switch {
	case !ended:
		b = append(b, '-')
	case body == "" || body[len(body)-1] == '\n':
		b = append(b, '+')
	}
	b = append(b, '\n')
	for {
		n := strings.IndexByte(body, '\n')
		if n < 0 {
			break
		}
		if n > 0 {
			b = appendSpaces(b, indent)
		}
		b = append(b, body[:n+1]...)
		body = body[n+1:]
	}
	if body != "" {
		b = appendSpaces(b, indent)
		b = append(b, body...)
	}
	return append(b, '\n')
}

func appendSpaces(b []byte, n int) []byte {
	const spaces = "                                                                "
	for n > len(spaces) {
		b = append(b, spaces...)
		n -= len(spaces)
	}
	return append(b, spaces[:n]...)
}
