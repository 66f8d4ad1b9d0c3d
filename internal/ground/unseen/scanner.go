package unseen

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// scanner reads the tokens of a Go file as far as necessary to find functions.
type scanner struct {
	src   []byte
	found []Span
	// comments are those since the last function, preceded by the last one inside it.
	comments []Span
	// marked is the end of the last comment that may be a marker. directive is set if there
	// is a line directive, which affects the positions of everything after it.
	marked    int
	directive bool
	// stops are the places, see below, in which a byte is more than ordinary text.
	stops [256]place
}

// place is a set of places in a file.
type place byte

const (
	fileLevel place = 1 << iota
	braces          // inside of braces; other brackets do not matter there
	brackets        // inside of other brackets
)

func newScanner(src []byte) *scanner {
	s := &scanner{src: src}
	for _, c := range []byte("\"'`/") {
		s.stops[c] = fileLevel | braces | brackets
	}
	s.stops['\n'] = fileLevel
	s.stops['{'] = braces | brackets
	s.stops['}'] = braces | brackets
	for _, c := range []byte("([])") {
		s.stops[c] = brackets
	}
	return s
}

// next returns the offset of the next byte that is more than ordinary text in a place.
func (s *scanner) next(offset int, state place) int {
	for offset < len(s.src) && s.stops[s.src[offset]]&state == 0 {
		offset++
	}
	return offset
}

// file finds the functions of the file. The keyword func, a name, and a parenthesis follow each
// other only in the declaration of a function, so brackets at file level do not matter.
func (s *scanner) file() {
	for offset := 0; ; {
		offset = s.next(offset, fileLevel)
		if offset == len(s.src) {
			break
		}
		if s.src[offset] != '\n' {
			offset = s.text(offset)
			continue
		}
		offset++
		if !bytes.HasPrefix(s.src[offset:], []byte("func ")) {
			continue
		}
		start, alone := s.start(offset)
		known := len(s.comments)
		end, name, ok := s.function(offset)
		if !ok {
			s.comments = s.comments[:known]
			offset += len("func ")
			continue
		}
		if alone && s.marked <= start && !isRead(name) && s.endsAlone(end) {
			s.found = append(s.found, Span{start, end})
		}
		s.comments = append(s.comments[:0], s.comments[max(0, len(s.comments)-1):]...)
		offset = end
	}
}

// isRead reports whether generators look for functions or methods with the name.
func isRead(name []byte) bool {
	for _, prefix := range [...]string{"Marshal", "Unmarshal", "DeepCopy", "Convert"} {
		if bytes.HasPrefix(name, []byte(prefix)) {
			return true
		}
	}
	return slices.Contains([]string{"IsZero", "Hub", "GetObjectKind"}, string(name))
}

// start returns the beginning of the function at an offset: where its doc comment begins, if it has
// one. alone is false if there are other comments between it and the code before it, or on the last
// line of that code.
func (s *scanner) start(offset int) (start int, alone bool) {
	start = offset
	n := len(s.comments)
	for ; n > 0; n-- {
		between := s.src[s.comments[n-1].End:start]
		if len(bytes.TrimRight(between, whiteSpace)) > 0 {
			break
		}
		if bytes.Count(between, []byte("\n")) > 1 {
			return start, false // an empty line separates it from the function
		}
		start = s.comments[n-1].Start
	}
	head := bytes.TrimRight(s.src[:start], whiteSpace)
	if len(head) == 0 || !bytes.Contains(s.src[len(head):start], []byte("\n")) {
		return start, false
	}
	lastLine := bytes.LastIndexByte(head, '\n') + 1
	return start, n == 0 || s.comments[n-1].End <= lastLine
}

// endsAlone reports whether the function that ends at an offset has no comment on its last line,
// and is followed by an empty line, by another function, or by the end of the file.
func (s *scanner) endsAlone(end int) bool {
	lastLine := bytes.LastIndexByte(s.src[:end], '\n') + 1
	if n := len(s.comments); n > 0 && s.comments[n-1].End > lastLine {
		return false
	}
	tail := s.src[end:]
	next := bytes.TrimLeft(tail, whiteSpace)
	lines := bytes.Count(tail[:len(tail)-len(next)], []byte("\n"))
	return len(next) == 0 || lines > 1 || lines == 1 && bytes.HasPrefix(next, []byte("func "))
}

// function returns the end and the name of the function at an offset. ok is false if it is not a
// declaration, or if it has no body.
func (s *scanner) function(offset int) (end int, name []byte, ok bool) {
	offset = s.blanks(offset + len("func"))
	if offset < len(s.src) && s.src[offset] == '(' {
		offset = s.blanks(s.group(offset)) // the receiver
	}
	name = s.identifier(offset)
	offset = s.blanks(offset + len(name))
	if offset < len(s.src) && s.src[offset] == '[' {
		offset = s.blanks(s.group(offset)) // the type parameters
	}
	if len(name) == 0 || offset >= len(s.src) || s.src[offset] != '(' {
		return 0, nil, false
	}
	end = s.body(s.group(offset))
	return end, name, end > 0
}

// body returns the end of the function whose results, and then body, begin at an offset, or 0 if
// it has no body. Braces of a type follow the words struct and interface.
func (s *scanner) body(offset int) int {
	var word []byte
	for offset < len(s.src) {
		switch c := s.src[offset]; {
		case c == '\n':
			return 0
		case c == '{':
			isType := string(word) == "struct" || string(word) == "interface"
			offset = s.group(offset)
			if !isType {
				return offset
			}
		case c == '(' || c == '[':
			offset = s.group(offset)
		case c == ' ' || c == '\t':
			offset++
			continue // it does not separate a word from its brace
		case c == '/':
			offset = s.text(offset)
			continue
		default:
			word = s.identifier(offset)
			if len(word) > 0 {
				offset += len(word)
				continue
			}
			offset++
		}
		word = nil
	}
	return 0
}

// group returns the offset after the brackets that open at an offset. If they are not closed, it
// is the end of the file.
func (s *scanner) group(offset int) int {
	state := brackets
	if s.src[offset] == '{' {
		state = braces
	}
	for depth := 0; ; {
		offset = s.next(offset, state)
		if offset == len(s.src) {
			return offset
		}
		switch s.src[offset] {
		case '(', '[', '{':
			depth++
			offset++
		case ')', ']', '}':
			depth--
			offset++
		default:
			offset = s.text(offset)
		}
		if depth == 0 {
			return offset
		}
	}
}

// text returns the offset after the literal or comment at an offset, or the next one if there is
// only a slash.
func (s *scanner) text(offset int) int {
	rest := s.src[offset:]
	switch c := rest[0]; {
	case c == '"' || c == '\'':
		return offset + quoted(rest)
	case c == '`':
		return offset + through(rest, 1, "`")
	case bytes.HasPrefix(rest, []byte("//")):
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		return s.comment(offset, offset+end)
	case bytes.HasPrefix(rest, []byte("/*")):
		return s.comment(offset, offset+through(rest, 2, "*/"))
	}
	return offset + 1
}

// quoted returns the length of a string or rune, which ends on its line.
func quoted(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case text[0]:
			return i + 1
		case '\n':
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

// through returns the length of the text up to and including the first end after an offset.
func through(text []byte, offset int, end string) int {
	i := bytes.Index(text[offset:], []byte(end))
	if i < 0 {
		return len(text)
	}
	return offset + i + len(end)
}

// comment notes a comment and returns its end.
func (s *scanner) comment(start, end int) int {
	text := s.src[start:end]
	s.comments = append(s.comments, Span{start, end})
	if bytes.HasPrefix(text[2:], []byte("line ")) {
		s.directive = true
	}
	if mayBeMarker(text) {
		s.marked = end
	}
	return end
}

// mayBeMarker reports whether a comment may be a marker, or one with a mistake.
func mayBeMarker(comment []byte) bool {
	if bytes.IndexByte(comment, '+') >= 0 {
		return true
	}
	if bytes.IndexByte(comment, ':') < 0 {
		return false
	}
	for _, prefix := range [...]string{"kubebuilder:", "k8s:", "schemagen:"} {
		if bytes.Contains(comment, []byte(prefix)) {
			return true
		}
	}
	return false
}

func (s *scanner) blanks(offset int) int {
	for offset < len(s.src) && (s.src[offset] == ' ' || s.src[offset] == '\t') {
		offset++
	}
	return offset
}

// identifier returns the identifier or keyword at an offset, or nothing.
func (s *scanner) identifier(offset int) []byte {
	end := offset
	for end < len(s.src) {
		r, size := utf8.DecodeRune(s.src[end:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		end += size
	}
	return s.src[offset:end]
}
