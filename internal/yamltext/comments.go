package yamltext

import "strings"

// Comments returns the offsets at which the comments of a YAML or JSON text begin, in order. A #
// in a string is not a comment: in quotes, in a block scalar, or in a word. The text need not be
// valid. Where the YAML specification and the library differ, it follows the library.
func Comments(text string) []int {
	s := &commentScanner{text: text, entry: -1, plain: -1}
	for s.pos < len(text) {
		s.line()
	}
	return s.found
}

// commentScanner finds comments line by line.
type commentScanner struct {
	text string
	pos  int
	// start is the offset of the current line.
	start int
	// flow is the number of brackets and braces that are open.
	flow int
	// entry is the column of the innermost list element or key that has begun, -1 before any.
	entry int
	// multiline is set if the last line ended inside a plain scalar, which lines in columns after
	// plain continue.
	multiline bool
	plain     int
	found     []int
}

// peek returns the byte at an offset from the position, or a line break at the end.
func (s *commentScanner) peek(offset int) byte {
	if s.pos+offset >= len(s.text) {
		return '\n'
	}
	return s.text[s.pos+offset]
}

func isBlankByte(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isFlowIndicator(c byte) bool { return strings.IndexByte(",[]{}", c) >= 0 }

func (s *commentScanner) column() int { return s.pos - s.start }

// blanks skips blanks of the line.
func (s *commentScanner) blanks() {
	for s.pos < len(s.text) && (s.text[s.pos] == ' ' || s.text[s.pos] == '\t' || s.text[s.pos] == '\r') {
		s.pos++
	}
}

// endLine goes to the next line.
func (s *commentScanner) endLine() {
	end := strings.IndexByte(s.text[s.pos:], '\n')
	if end < 0 {
		s.pos = len(s.text)
		return
	}
	s.pos += end + 1
	s.start = s.pos
}

// comment notes the comment at the position.
func (s *commentScanner) comment() {
	s.found = append(s.found, s.pos)
	s.endLine()
}

// line scans from the start of a line, outside of quotes and block scalars, to the start of another
// one.
func (s *commentScanner) line() {
	s.start = s.pos
	if s.marker() {
		s.pos += len("---")
		s.flow = 0
		s.entry = -1
		s.multiline = false
	}
	continues := s.multiline
	s.blanks()
	switch c := s.peek(0); {
	case c == '\n':
		s.endLine()
		return
	case c == '%' && s.column() == 0 && !continues:
		s.directive()
		return
	}
	s.multiline = false
	if continues && s.peek(0) != '#' && (s.flow > 0 || s.column() > s.plain) {
		s.plainScalar()
	}
	line := s.start
	scalar := s.column() // of the scalar that may be a key
	for s.start == line && s.pos < len(s.text) {
		s.blanks()
		switch c := s.peek(0); {
		case c == '\n':
			s.endLine()
			return
		case c == '#':
			s.comment()
			return
		case (c == '-' || c == '?') && s.flow == 0 && isBlankByte(s.peek(1)):
			s.entry = s.column()
			s.pos++
		case c == ':' && (s.flow > 0 || isBlankByte(s.peek(1))):
			if s.flow == 0 {
				s.entry = scalar
			}
			s.pos++
		case c == '[' || c == '{':
			s.flow++
			s.pos++
		case c == ']' || c == '}':
			s.flow = max(0, s.flow-1)
			s.pos++
		case c == ',' && s.flow > 0:
			s.pos++
		case c == '&' || c == '*' || c == '!':
			for c := s.peek(0); !isBlankByte(c) && (s.flow == 0 || !isFlowIndicator(c)); c = s.peek(0) {
				s.pos++
			}
		case c == '"' || c == '\'':
			scalar = s.column()
			s.quoted(c)
			line = s.start // a scalar of several lines is not a key
		case (c == '|' || c == '>') && s.flow == 0:
			s.blockScalar()
			return
		default:
			scalar = s.column()
			s.plainScalar()
		}
	}
}

// marker reports whether the line begins or ends a document.
func (s *commentScanner) marker() bool {
	return (strings.HasPrefix(s.text[s.pos:], "---") || strings.HasPrefix(s.text[s.pos:], "...")) && isBlankByte(s.peek(3))
}

// directive scans a line such as %YAML 1.2.
func (s *commentScanner) directive() {
	for s.peek(0) != '\n' {
		if s.peek(0) == '#' && isBlankByte(s.text[s.pos-1]) {
			s.comment()
			return
		}
		s.pos++
	}
	s.endLine()
}

// quoted scans a scalar in quotes, which may have several lines.
func (s *commentScanner) quoted(quote byte) {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\n':
			s.start = s.pos + 1
		case c == '\\' && quote == '"':
			s.pos++
			if s.pos < len(s.text) && s.text[s.pos] == '\n' {
				s.start = s.pos + 1
			}
		case c == quote && quote == '\'' && s.peek(1) == quote:
			s.pos++
		case c == quote:
			s.pos++
			return
		}
	}
}

// plainScalar scans a scalar without quotes up to its end or that of the line.
func (s *commentScanner) plainScalar() {
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\n':
			s.multiline = true
			s.plain = s.entry
			return
		case c == ':' && (isBlankByte(s.peek(1)) || s.flow > 0 && isFlowIndicator(s.peek(1))):
			return
		case s.flow > 0 && isFlowIndicator(c):
			return
		case c == '#' && s.pos > s.start && isBlankByte(s.text[s.pos-1]):
			return
		}
	}
}

// blockScalar scans a literal or folded scalar.
func (s *commentScanner) blockScalar() {
	indent := 0
	for s.pos++; s.peek(0) != '\n' && !isBlankByte(s.peek(0)); s.pos++ {
		if c := s.peek(0); c >= '1' && c <= '9' {
			indent = max(0, s.entry) + int(c-'0')
		}
	}
	s.blanks()
	if s.peek(0) == '#' {
		s.comment()
	} else {
		s.endLine()
	}
	widest := 0
	for s.pos < len(s.text) {
		text := strings.TrimLeft(s.text[s.pos:], " ")
		column := len(s.text) - len(text) - s.pos
		isEmpty := text == "" || text[0] == '\n' || text[0] == '\r'
		if indent == 0 { // the first line with text determines it
			widest = max(widest, column)
			if !isEmpty {
				indent = max(widest, s.entry+1, 1)
			}
		}
		if !isEmpty && column < indent {
			return
		}
		s.endLine()
	}
}
