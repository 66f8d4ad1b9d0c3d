package manifest

import (
	"strings"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/yamltext"
)

// blockParser parses the plain block style of YAML, in which nearly all CRDs are
// written: block mappings and sequences, simple keys, scalars of every style,
// comments, and empty flow collections. It gives up on everything else and on
// every error, which are left to go.yaml.in/yaml, so it need not be complete. But
// whatever it accepts it must read exactly as that library does, including
// positions; a fuzz test compares the two.
//
// Columns count the spaces of a line, so bytes. After each node, pos is at the next
// token and column is its column, or negative at the end.
type blockParser struct {
	*treeBuilder
	pos, end int
	column   int
}

// maxBlockDepth bounds the recursion; deeper documents are left to the library.
const maxBlockDepth = 500

// parseBlock parses one document, src[from:to], into b. It reports whether the
// document is in plain block style, and if not, roughly where it is not; b is then
// unusable.
func parseBlock(b *treeBuilder, start, end int) (ok bool, where int) {
	p := &blockParser{treeBuilder: b, pos: start, end: end}
	if !p.plainText() {
		return false, start
	}
	if p.next(); p.column == 0 && strings.HasPrefix(p.src[p.pos:p.end], "---") {
		if p.pos += 3; !p.endLine() {
			return false, p.pos
		}
		p.next()
	}
	if p.column < 0 || !p.mapping(p.column) || p.column >= 0 {
		return false, p.pos
	}
	return true, 0
}

// plainText reports whether the document consists of ordinary text only: line
// feeds, tabs, and characters that YAML allows, except for its unusual line breaks.
func (p *blockParser) plainText() bool {
	text := p.src[p.pos:p.end]
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t':
		case c < utf8.RuneSelf:
			return false
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if r < 0xa0 || r == utf8.RuneError && size == 1 || !isYAMLRune(r) || r == '\u2028' || r == '\u2029' ||
				r == '\ufeff' {
				return false
			}
			i += size - 1
		}
	}
	return true
}

// isYAMLRune reports whether YAML allows a character beyond ASCII.
func isYAMLRune(r rune) bool {
	return r == 0x85 || r >= 0xa0 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000
}

// next advances from the beginning of a line to the next token.
func (p *blockParser) next() {
	for p.pos < p.end {
		i := p.pos
		for i < p.end && p.src[i] == ' ' {
			i++
		}
		if i < p.end && p.src[i] == '#' {
			i = p.lineEnd(i)
		}
		if i < p.end && p.src[i] != '\n' {
			p.column = i - p.pos
			p.pos = i
			return
		}
		p.pos = i + 1
	}
	p.pos = p.end
	p.column = -1
}

// lineEnd returns the offset of the line feed at or after i, or the end.
func (p *blockParser) lineEnd(i int) int {
	if n := strings.IndexByte(p.src[i:p.end], '\n'); n >= 0 {
		return i + n
	}
	return p.end
}

// isBreak reports whether the line ends at i.
func (p *blockParser) isBreak(i int) bool { return i >= p.end || p.src[i] == '\n' }

// isBlank reports whether there is a space or the end of the line at i.
func (p *blockParser) isBlank(i int) bool { return p.isBreak(i) || p.src[i] == ' ' }

func (p *blockParser) skipSpaces() {
	for p.pos < p.end && p.src[p.pos] == ' ' {
		p.pos++
	}
}

// endLine skips spaces and a comment up to the beginning of the next line. It
// reports whether the line contains nothing else.
func (p *blockParser) endLine() bool {
	start := p.pos
	p.skipSpaces()
	if p.pos > start && p.pos < p.end && p.src[p.pos] == '#' {
		p.pos = p.lineEnd(p.pos)
	}
	if !p.isBreak(p.pos) {
		return false
	}
	p.pos = min(p.pos+1, p.end)
	return true
}

// isDash reports whether an entry of a sequence begins at pos.
func (p *blockParser) isDash() bool { return p.src[p.pos] == '-' && p.isBlank(p.pos+1) }

// node reads the node at pos, which is the first token of its line or follows a
// dash. Its parent is indented by indent.
func (p *blockParser) node(indent int) bool {
	if p.depth > maxBlockDepth || p.rejected != nil {
		return false
	}
	if p.isDash() {
		return p.sequence(p.column)
	}
	if _, _, colon := p.key(); colon >= 0 {
		return p.mapping(p.column)
	}
	return p.value(indent)
}

// mapping reads the block mapping whose keys begin in the given column.
func (p *blockParser) mapping(column int) bool {
	m := p.open(mappingNode, p.pos)
	for {
		start, end, colon := p.key()
		if colon < 0 {
			return false
		}
		if quote := p.src[p.pos]; quote == '"' || quote == '\'' {
			if !p.quoted() || p.pos != colon {
				return false
			}
		} else {
			if _, isString := yamltext.Plain(p.src[start:end]); !isString || p.src[start:end] == "<<" {
				return false
			}
			p.span(stringNode, start, start, end)
		}
		p.pos = colon + 1
		p.skipSpaces()
		if p.isBreak(p.pos) || p.src[p.pos] == '#' && p.src[p.pos-1] == ' ' {
			p.pos = p.lineEnd(p.pos)
			p.endLine()
			p.next()
			switch {
			case p.column > column:
				if !p.node(column) {
					return false
				}
			case p.column == column && p.isDash():
				if !p.sequence(column) {
					return false
				}
			default:
				p.span(nullNode, colon+1, colon+1, colon+1)
			}
		} else if !p.value(column) {
			return false
		}
		if p.column > column || p.rejected != nil {
			return false
		}
		if p.column < column {
			p.close(m)
			return true
		}
	}
}

// sequence reads the block sequence whose dashes are in the given column. If the
// sequence is the value of a key, that may be the column of the key.
func (p *blockParser) sequence(column int) bool {
	s := p.open(sequenceNode, p.pos)
	for {
		dash := p.pos
		p.pos++
		p.skipSpaces()
		if p.isBreak(p.pos) || p.src[p.pos] == '#' {
			p.pos = p.lineEnd(p.pos)
			p.endLine()
			p.next()
			if p.column <= column {
				p.span(nullNode, dash+1, dash+1, dash+1)
			} else if !p.node(column) {
				return false
			}
		} else {
			p.column = column + p.pos - dash
			if !p.node(column) {
				return false
			}
		}
		if p.column > column || p.rejected != nil {
			return false
		}
		if p.column < column || !p.isDash() {
			p.close(s)
			return true
		}
	}
}

// key finds the simple key at pos: its text including quotes, and its colon. The
// colon is negative if there is no key or this parser does not support it.
func (p *blockParser) key() (start, end, colon int) {
	start = p.pos
	end = start
	if quote := p.src[start]; quote == '"' || quote == '\'' {
		for end++; !p.isBreak(end) && p.src[end] != quote; end++ {
			if p.src[end] == '\\' {
				return 0, 0, -1
			}
		}
		if p.isBreak(end) {
			return 0, 0, -1
		}
		end++
	} else {
		if !p.isPlainStart(start) {
			return 0, 0, -1
		}
		for !p.isBreak(end) && (p.src[end] != ':' || !p.isBlank(end+1)) {
			if p.src[end] == '\t' || p.src[end] == '#' && p.src[end-1] == ' ' {
				return 0, 0, -1
			}
			end++
		}
		if end > start && p.src[end-1] == ' ' {
			return 0, 0, -1
		}
	}
	// A simple key has at most 1,024 characters.
	if p.isBreak(end) || p.src[end] != ':' || !p.isBlank(end+1) || end-start > 1000 {
		return 0, 0, -1
	}
	return start, end, end
}

// isPlainStart reports whether an unquoted scalar can begin at i.
func (p *blockParser) isPlainStart(i int) bool {
	switch p.src[i] {
	case '-', '?', ':':
		return !p.isBlank(i+1) && p.src[i+1] != '\t'
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '\t', ' ', '\n':
		return false
	}
	return true
}

// value reads the scalar or empty collection at pos, up to the next token. Its
// parent is indented by indent.
func (p *blockParser) value(indent int) bool {
	offset := p.pos
	switch p.src[offset] {
	case '|', '>':
		return p.blockScalar(indent)
	case '"', '\'':
		if !p.quoted() || !p.endLine() {
			return false
		}
	case '[', '{':
		kind := sequenceNode
		end := byte(']')
		if p.src[offset] == '{' {
			kind = mappingNode
			end = '}'
		}
		if offset+1 >= p.end || p.src[offset+1] != end {
			return false
		}
		p.close(p.open(kind, offset))
		p.pos += 2
		if !p.endLine() {
			return false
		}
	default:
		if !p.isPlainStart(offset) || !p.plain(indent) {
			return false
		}
	}
	p.next()
	return true
}

// plainLine returns the end of the words of an unquoted scalar that begin at i,
// and reports whether a comment follows.
func (p *blockParser) plainLine(i int) (end int, comment, ok bool) {
	end = i
	for ; !p.isBreak(i); i++ {
		switch p.src[i] {
		case ' ':
			continue
		case '#':
			if i > end {
				return end, true, true
			}
		case ':':
			if p.isBlank(i + 1) {
				p.pos = i
				return 0, false, false
			}
		case '\t':
			return 0, false, false
		}
		end = i + 1
	}
	return end, false, true
}

// plain reads an unquoted scalar, including continuation lines, which are indented
// by more than indent. It ends at the beginning of a line.
func (p *blockParser) plain(indent int) bool {
	offset := p.pos
	end, comment, ok := p.plainLine(offset)
	if !ok {
		return false
	}
	first := len(p.auxText)
	folded := false
	for !comment {
		p.pos = min(p.lineEnd(end)+1, p.end)
		i := p.pos
		breaks := 0
		for ; i < p.end; i++ {
			start := i
			for i < p.end && p.src[i] == ' ' {
				i++
			}
			if p.isBreak(i) {
				breaks++
				continue
			}
			if i-start <= indent {
				i = p.end
			}
			break
		}
		if i >= p.end || p.src[i] == '#' {
			break
		}
		if !folded {
			p.auxText = append(p.auxText, p.src[offset:end]...)
			folded = true
		}
		p.auxText = appendFold(p.auxText, breaks)
		end, comment, ok = p.plainLine(i)
		if !ok {
			return false
		}
		p.auxText = append(p.auxText, p.src[i:end]...)
	}
	if comment {
		p.pos = min(p.lineEnd(end)+1, p.end)
	}
	if !folded {
		return p.plainScalar(offset, p.src[offset:end], true)
	}
	text := string(p.auxText[first:])
	p.auxText = p.auxText[:first]
	return p.plainScalar(offset, text, false)
}

// appendFold appends the meaning of a line break, with the empty lines after it, in
// a folded scalar.
func appendFold(text []byte, emptyLines int) []byte {
	if emptyLines == 0 {
		return append(text, ' ')
	}
	for range emptyLines {
		text = append(text, '\n')
	}
	return text
}
