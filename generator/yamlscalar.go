package generator

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// foldColumn is the last column after which text is not folded.
	foldColumn = 80
	// maxSimpleKey is the number of bytes up to which a key is written before
	// its colon, and not after a question mark.
	maxSimpleKey = 128
	// neverFold is a column from which no text reaches foldColumn.
	neverFold = math.MinInt32
)

type scalarStyle uint8

const (
	plain scalarStyle = iota
	singleQuoted
	doubleQuoted
	literal
	// exotic texts are left to the library: those that are not UTF-8 or that
	// it refuses, and those with line breaks of Unicode.
	exotic
)

// appendScalar appends s as a value that starts at column col, and ends the
// line. Its other lines are indented by indent. If ok is false, s is exotic,
// and the result is good for nothing.
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

// appendKey appends s as the key of a mapping, without the colon. If ok is
// false, s is left to the library, and the result is good for nothing.
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

// styleOf chooses the style of a text. ascii says whether it consists of
// printable ASCII characters and newlines only.
func styleOf(s string) (style scalarStyle, ascii bool) {
	if s == "" {
		return doubleQuoted, true
	}
	if strings.IndexByte(s, '\n') >= 0 {
		ascii = printableLines(s)
	} else {
		ascii = printable(s)
	}
	special := false
	if !ascii {
		var ok bool
		if special, ok = hasSpecial(s); !ok {
			return exotic, false
		}
	}
	switch {
	case strings.IndexByte(s, '\n') >= 0:
		if special || s[len(s)-1] == ' ' || strings.Contains(s, " \n") {
			return doubleQuoted, ascii
		}
		return literal, ascii
	case special || isOtherType(s):
		return doubleQuoted, ascii
	case hasIndicator(s):
		return singleQuoted, ascii
	}
	return plain, ascii
}

// printable says whether s has nothing but printable ASCII characters. It
// looks at eight of them at a time: most of the bytes of a CRD are here.
func printable(s string) bool {
	const ones = 0x0101010101010101
	for len(s) >= 8 {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// The high bits are set of what is above 0x7f, below 0x20, or 0x7f.
		// Carries only come from bytes that are caught themselves.
		if (x|(x-' '*ones)|(x+ones))&(0x80*ones) != 0 {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func printableLines(s string) bool {
	for {
		n := strings.IndexByte(s, '\n')
		if n < 0 {
			return printable(s)
		}
		if !printable(s[:n]) {
			return false
		}
		s = s[n+1:]
	}
}

// hasSpecial says whether s has characters that must be escaped. The library
// goes by the first bytes: to it, all above U+FFFF are among them. If ok is
// false, s is exotic.
func hasSpecial(s string) (special, ok bool) {
	for i, r := range s {
		switch {
		case r >= ' ' && r <= '~' || r == '\n':
		case r < ' ' || r > 0xFFFF:
			special = true
		case r < 0xA0, r == 0x2028, r == 0x2029, r == 0xFFFE, r == 0xFFFF:
			return false, false
		case r == 0xFEFF:
			if i == 0 {
				return false, false
			}
			special = true
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return false, false
			}
		}
	}
	return special, true
}

// hasIndicator says whether a text of one line that is not empty would be read
// as something else than one scalar if it were plain.
func hasIndicator(s string) bool {
	switch s[0] {
	case ' ', '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '?', '-':
		if len(s) == 1 || s[1] == ' ' {
			return true
		}
	}
	if s[len(s)-1] == ' ' || strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		return true
	}
	for i := 0; ; {
		n := strings.IndexByte(s[i:], ':')
		if n < 0 {
			break
		}
		if i += n + 1; i == len(s) || s[i] == ' ' {
			return true
		}
	}
	for i := 1; i < len(s); {
		n := strings.IndexByte(s[i:], '#')
		if n < 0 {
			break
		}
		if i += n + 1; s[i-2] == ' ' {
			return true
		}
	}
	return false
}

// isOtherType says whether a plain text would be a null, a boolean, a number
// or a date in YAML 1.1, as the library sees it.
func isOtherType(s string) bool {
	switch s[0] {
	case 'y', 'Y', 'n', 'N', 't', 'T', 'f', 'F', 'o', 'O', '~', '.':
		switch s {
		case "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO",
			"true", "True", "TRUE", "false", "False", "FALSE",
			"on", "On", "ON", "off", "Off", "OFF",
			"~", "null", "Null", "NULL",
			".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF":
			return true
		}
		if s[0] != '.' {
			return false
		}
		_, err := strconv.ParseFloat(s, 64)
		return err == nil
	case '+', '-':
		switch s[1:] {
		case ".inf", ".Inf", ".INF":
			return true
		}
		return isNumber(s) || isSexagesimal(s)
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return isNumber(s) || isSexagesimal(s) || isDate(s)
	}
	return false
}

func isNumber(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		case c == '+', c == '-', c == '.', c == '_', c == 'x', c == 'X', c == 'o', c == 'O':
		default:
			return false
		}
	}
	s = strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(s, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseUint(s, 0, 64); err == nil {
		return true
	}
	if isDecimal(s) {
		// What is out of range is a text.
		_, err := strconv.ParseFloat(s, 64)
		return err == nil
	}
	if digits, ok := strings.CutPrefix(s, "0b"); ok {
		// The library takes a sign here ("0b-1").
		_, err := strconv.ParseInt(digits, 2, 64)
		return err == nil
	}
	return false
}

// isDecimal says whether s is a decimal number, with a point or an exponent
// or not. Unlike strconv it takes neither names nor hexadecimal floats.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	rest := trimDigits(s)
	whole := len(rest) < len(s)
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = trimDigits(fraction)
		whole = whole || len(rest) < len(fraction)
	}
	if !whole || rest == "" {
		return whole
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && trimDigits(rest) == ""
}

func trimDigits(s string) string {
	for s != "" && isDigit(s[0]) {
		s = s[1:]
	}
	return s
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isSexagesimal says whether s is a number to base 60, like 1:20 or -190:20:30.15.
func isSexagesimal(s string) bool {
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	if s == "" || !isDigit(s[0]) {
		return false
	}
	s = strings.TrimLeft(s, "0123456789_")
	if s == "" || s[0] != ':' {
		return false
	}
	for s != "" && s[0] == ':' {
		s = s[1:]
		if len(s) >= 2 && s[0] <= '5' && isDigit(s[0]) && isDigit(s[1]) {
			s = s[1:]
		}
		if s == "" || !isDigit(s[0]) {
			return false
		}
		s = s[1:]
	}
	return s == "" || s[0] == '.' && strings.TrimLeft(s[1:], "0123456789_") == ""
}

func isDate(s string) bool {
	if len(s) < 6 || s[4] != '-' || !isDigit(s[1]) || !isDigit(s[2]) || !isDigit(s[3]) || !isDigit(s[5]) {
		return false
	}
	for _, layout := range [...]string{
		"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2",
	} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// appendFolded appends the inside of a plain or single quoted text.
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

// isFold says whether a line may be broken at the space s[i]: it is single,
// and neither first nor last.
func isFold(s string, i int) bool {
	return i > 0 && i < len(s)-1 && s[i-1] != ' ' && s[i+1] != ' '
}

// appendFoldedSlowly counts columns by the character. It doubles quotes.
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

// appendDoubleQuoted appends a double quoted text. Unlike in the other styles
// the first of several spaces is a break too; the second one is escaped then.
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
		if r < ' ' || r == '"' || r == '\\' || r == 0xFEFF || r > 0xFFFF {
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
	// The letters of the characters from U+0007 on.
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
		b, digits = append(b, 'U'), 8
	case r > 0xFF:
		b, digits = append(b, 'u'), 4
	default:
		b = append(b, 'x')
	}
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, hex[r>>shift&0xF])
	}
	return b
}

// appendLiteral appends a literal block with the end of its last line.
func appendLiteral(b []byte, s string, indent int) []byte {
	b = append(b, '|')
	if s[0] == ' ' || s[0] == '\n' {
		// The indentation cannot be seen from the first line.
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
		line, rest, more := strings.Cut(body, "\n")
		if line != "" {
			b = appendSpaces(b, indent)
			b = append(b, line...)
		}
		b = append(b, '\n')
		if !more {
			return b
		}
		body = rest
	}
}

func appendSpaces(b []byte, n int) []byte {
	const spaces = "                                                                "
	for n > len(spaces) {
		b = append(b, spaces...)
		n -= len(spaces)
	}
	return append(b, spaces[:n]...)
}

// naturalLess is the order of keys: characters are compared one by one, letters
// come after all others, and at the first difference runs of digits count by
// their value. It is not transitive ("12a" < "13" < "123" < "12a").
func naturalLess(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i < len(a) && a[i] >= utf8.RuneSelf || i < len(b) && b[i] >= utf8.RuneSelf ||
		i > 0 && a[i-1] >= utf8.RuneSelf {
		return naturalLessRunes([]rune(a), []rune(b))
	}
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	aLetter, bLetter := isLetter(a[i]), isLetter(b[i])
	if aLetter || bLetter {
		return bLetter && (!aLetter || a[i] < b[i])
	}
	if !isDigit(a[i]) && !isDigit(b[i]) {
		return a[i] < b[i]
	}
	return naturalLessRunes([]rune(a), []rune(b))
}

func isLetter(c byte) bool {
	c |= 0x20
	return c >= 'a' && c <= 'z'
}

func naturalLessRunes(a, b []rune) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	aLetter, bLetter := unicode.IsLetter(a[i]), unicode.IsLetter(b[i])
	if aLetter || bLetter {
		return bLetter && (!aLetter || a[i] < b[i])
	}
	// A zero is not a leading one if the digits before it are not all zeros.
	var before int64
	if a[i] == '0' || b[i] == '0' {
		for j := i - 1; j >= 0 && unicode.IsDigit(a[j]); j-- {
			if a[j] != '0' {
				before = 1
				break
			}
		}
	}
	aNumber, aDigits := leadingNumber(before, a[i:])
	bNumber, bDigits := leadingNumber(before, b[i:])
	switch {
	case aNumber != bNumber:
		return aNumber < bNumber
	case aDigits != bDigits:
		return aDigits < bDigits
	}
	return a[i] < b[i]
}

// leadingNumber appends the digits that s starts with to n, and returns how
// many they are. The value wraps around.
func leadingNumber(n int64, s []rune) (int64, int) {
	i := 0
	for i < len(s) && unicode.IsDigit(s[i]) {
		n = n*10 + int64(s[i]-'0')
		i++
	}
	return n, i
}

func naturalCompare(a, b string) int {
	switch {
	case naturalLess(a, b):
		return -1
	case naturalLess(b, a):
		return 1
	}
	return 0
}

// inNaturalOrder returns list if its names are in order, else a sorted copy.
func inNaturalOrder[T any](list []T, name func(*T) string) []T {
	for i := 1; i < len(list); i++ {
		if naturalLess(name(&list[i]), name(&list[i-1])) {
			list = slices.Clone(list)
			slices.SortStableFunc(list, func(a, b T) int { return naturalCompare(name(&a), name(&b)) })
			break
		}
	}
	return list
}
