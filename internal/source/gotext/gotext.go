// Package gotext lays out generated Go source as gofmt does, without parsing it. It knows
// lines, brackets, strings and comments; it does not know Go's grammar, so whoever writes the
// code puts blanks and line breaks where gofmt would.
//
//	Head      comments, the package clause and imports
//	Append    lines without indentation ─▶ lines as gofmt indents them
//	Function  a function, on one line if gofmt leaves it there
//	Pairs     keys and values of a literal, one pair a line, aligned
package gotext

import (
	"bytes"
	"fmt"
	"go/format"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Head returns the beginning of a file: comments, the package clause, and groups of imports, which
// it sorts. This short text is parsed, because the comments may be the user's.
func Head(comments, pkg string, groups ...[]string) ([]byte, error) {
	text := comments + "package " + pkg + "\n\n"
	if len(slices.Concat(groups...)) > 0 {
		text += "import ("
		for _, imports := range groups {
			text += "\n" + strings.Join(imports, "\n") + "\n"
		}
		text += ")\n"
	}
	data, err := format.Source([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	return append(data, '\n'), nil
}

// Append appends texts to dst, indented, with an empty line between each other. Lines may have any
// indentation; blanks at their ends are removed, several empty lines become one, and there is none
// at the beginning or the end of a text.
//
//   - A bracket indents the lines after it if it is the innermost one open at the end of a
//     line. In f(a, func() { that is the brace, and not the parenthesis.
//   - A line that begins with a closing bracket is indented like the line with the opening one.
//   - case and default are indented like their switch.
//   - Lines after one that ends with && or || are indented once more.
//
// Comments and strings have no brackets, and raw strings keep their lines.
func Append(dst []byte, texts ...string) []byte {
	size := 0
	for _, text := range texts {
		size += len(text) + len(text)/8
	}
	l := layout{dst: slices.Grow(dst, size)}
	for i, text := range texts {
		if i > 0 {
			l.dst = append(l.dst, '\n')
		}
		l.text(text)
	}
	return l.dst
}

// text appends a text.
func (l *layout) text(text string) {
	l.src = text
	l.at = 0
	l.open = l.open[:0]
	l.depth = 0
	l.continues = false
	for first := true; ; first = false {
		start := l.at
		for l.at < len(l.src) && isBlank(l.src[l.at]) {
			l.at++
		}
		if l.at == len(l.src) {
			return
		}
		if !first && strings.Contains(l.src[start:l.at], "\n") {
			l.dst = append(l.dst, '\n')
		}
		l.line()
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// layout is the state between two lines.
type layout struct {
	dst []byte
	src string
	at  int
	// open are the open brackets; an element is set if the bracket indents.
	open  []bool
	depth int // how many do
	// continues is set if the last line ended with && or ||.
	continues bool
}

// line appends a line that begins at an offset, with its end.
func (l *layout) line() {
	if c := l.src[l.at]; c == ')' || c == ']' || c == '}' {
		l.close()
		l.indent(0)
		l.dst = append(l.dst, c)
		l.at++
	} else if rest := l.src[l.at:]; strings.HasPrefix(rest, "case ") || strings.HasPrefix(rest, "default:") {
		l.indent(-1)
	} else if l.continues {
		l.indent(1)
	} else {
		l.indent(0)
	}
	end := l.scan()
	l.dst = append(bytes.TrimRight(append(l.dst, l.src[l.at:end]...), " \t\r"), '\n')
	l.continues = bytes.HasSuffix(l.dst, []byte("&&\n")) || bytes.HasSuffix(l.dst, []byte("||\n"))
	if n := len(l.open); n > 0 && !l.open[n-1] && !l.continues {
		l.open[n-1] = true
		l.depth++
	}
	l.at = min(end+1, len(l.src))
}

func (l *layout) indent(more int) {
	for range l.depth + more {
		l.dst = append(l.dst, '\t')
	}
}

func (l *layout) close() {
	if n := len(l.open); n > 0 {
		if l.open[n-1] {
			l.depth--
		}
		l.open = l.open[:n-1]
	}
}

// special are the bytes that scan looks at.
var special = [256]bool{'\n': true, '(': true, '[': true, '{': true, ')': true, ']': true, '}': true, '"': true, '\'': true, '`': true, '/': true}

// scan returns the end of the line, and notes the brackets on it.
func (l *layout) scan() int {
	for i := l.at; i < len(l.src); i++ {
		if !special[l.src[i]] {
			continue
		}
		switch c := l.src[i]; c {
		case '\n':
			return i
		case '(', '[', '{':
			l.open = append(l.open, false)
		case ')', ']', '}':
			l.close()
		case '"', '\'':
			for i++; i < len(l.src) && l.src[i] != c && l.src[i] != '\n'; i++ {
				if l.src[i] == '\\' {
					i++
				}
			}
		case '`':
			if n := strings.IndexByte(l.src[i+1:], '`'); n >= 0 {
				i += 1 + n
			}
		case '/':
			if strings.HasPrefix(l.src[i:], "//") {
				if n := strings.IndexByte(l.src[i:], '\n'); n >= 0 {
					return i + n
				}
				return len(l.src)
			}
		}
	}
	return len(l.src)
}

// Function returns a function with the given header, which has no brace, and body. It is on one
// line if gofmt leaves it there.
func Function(header, body string) string {
	longest := 100 // without braces
	if strings.HasPrefix(header, "func ") {
		longest-- // of a declaration, gofmt counts the blank before the brace
	}
	switch oneLine := len(header)+len(body) <= longest && !strings.Contains(header+body, "\n"); {
	case oneLine && body == "":
		return header + " {}"
	case oneLine:
		return header + " { " + body + " }"
	}
	return header + " {\n" + body + "\n}"
}

// Pair is a key and a value of a composite literal.
type Pair struct{ Key, Value string }

// Pairs returns the pairs, each with a comma and a line of its own. Values are aligned where gofmt
// does so: not those of several lines, and not after a long key if it is much longer or shorter
// than those it would be aligned with.
func Pairs(pairs []Pair) string {
	var out strings.Builder
	for len(pairs) > 0 {
		n := aligned(pairs)
		width := 0
		for _, p := range pairs[:n] {
			width = max(width, utf8.RuneCountInString(p.Key))
		}
		for _, p := range pairs[:n] {
			out.WriteString(p.Key + ":" + strings.Repeat(" ", 1+width-utf8.RuneCountInString(p.Key)) + p.Value + ",\n")
		}
		pairs = pairs[n:]
	}
	return out.String()
}

// aligned returns the number of pairs whose values are aligned with the first one: see exprList
// in go/printer.
func aligned(pairs []Pair) int {
	const small, most = 40, 2.5
	sum := 0.0 // of the logarithms of the lengths of keys
	for n, p := range pairs {
		length := float64(len(p.Key))
		if n > 0 {
			old := float64(len(pairs[n-1].Key))
			ratio := length / math.Exp(sum/float64(n))
			if strings.Contains(p.Value, "\n") || (old > small || length > small) && (most*ratio <= 1 || most <= ratio) {
				return n
			}
		} else if strings.Contains(p.Value, "\n") {
			return 1
		}
		sum += math.Log(length)
	}
	return len(pairs)
}
