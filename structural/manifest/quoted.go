package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted reads the quoted scalar at pos and stops after it.
func (p *blockParser) quoted() bool {
	offset := p.pos
	quote := p.src[p.pos]
	i := offset + 1
	// Most scalars need no replacement.
	for ; i < p.end && p.src[i] != quote && p.src[i] != '\n' && p.src[i] != '\t'; i++ {
		if quote == '"' && p.src[i] == '\\' {
			break
		}
	}
	if i < p.end && p.src[i] == quote && (quote == '"' || i+1 >= p.end || p.src[i+1] != '\'') {
		p.span(stringNode, offset, offset+1, i)
		p.pos = i + 1
		return true
	}
	start := len(p.auxText)
	p.auxText = append(p.auxText, p.src[offset+1:i]...)
	for i < p.end {
		switch c := p.src[i]; {
		case c == quote && quote == '\'' && i+1 < p.end && p.src[i+1] == '\'':
			p.auxText = append(p.auxText, '\'')
			i += 2
		case c == quote:
			p.auxScalar(stringNode, offset, start)
			p.pos = i + 1
			return true
		case c == '\t':
			return false
		case c == '\\' && quote == '"':
			size := p.escape(i)
			if size == 0 {
				return false
			}
			i += size
		case c == '\n':
			next, breaks, ok := p.continuation(i + 1)
			if !ok || p.src[i-1] == ' ' { // trailing spaces are left to the library
				return false
			}
			p.auxText = appendFold(p.auxText, breaks)
			i = next
		default:
			p.auxText = append(p.auxText, c)
			i++
		}
	}
	return false
}

// continuation skips from the beginning of a line inside a quoted scalar to the
// first character of its text, and counts the empty lines.
func (p *blockParser) continuation(i int) (next, emptyLines int, ok bool) {
	for ; i < p.end; i++ {
		switch p.src[i] {
		case ' ':
		case '\n':
			emptyLines++
		case '\t':
			return 0, 0, false
		default:
			return i, emptyLines, true
		}
	}
	return 0, 0, false
}

// escape appends the meaning of the escape sequence at i and returns its length in
// the source, or 0 if this parser does not support it.
func (p *blockParser) escape(i int) int {
	if i+1 >= p.end {
		return 0
	}
	digits := 0
	switch c := p.src[i+1]; c {
	case '"', '\'', '\\', ' ':
		p.auxText = append(p.auxText, c)
	case 'n':
		p.auxText = append(p.auxText, '\n')
	case 't':
		p.auxText = append(p.auxText, '\t')
	case 'r':
		p.auxText = append(p.auxText, '\r')
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '\n':
		next, breaks, ok := p.continuation(i + 2)
		if !ok {
			return 0
		}
		p.auxText = append(p.auxText, strings.Repeat("\n", breaks)...)
		return next - i
	default:
		return 0
	}
	if digits > 0 {
		if i+2+digits > p.end {
			return 0
		}
		r, err := strconv.ParseUint(p.src[i+2:i+2+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(r)) {
			return 0
		}
		p.auxText = utf8.AppendRune(p.auxText, rune(r))
	}
	return 2 + digits
}

// blockScalar reads the literal or folded scalar at pos, up to the next token. Its
// parent is indented by parent.
func (p *blockParser) blockScalar(parent int) bool {
	offset := p.pos
	folded := p.src[p.pos] == '>'
	header := p.src[offset+1 : p.lineEnd(offset)]
	indent := 0
	keep := false
	strip := false
	for _, c := range []byte(header) {
		switch {
		case c == '+' && !keep && !strip:
			keep = true
		case c == '-' && !keep && !strip:
			strip = true
		case c >= '1' && c <= '9' && indent == 0:
			indent = parent + int(c-'0')
		default:
			return false
		}
	}
	p.pos = min(p.lineEnd(offset)+1, p.end)
	if parent < 0 || indent == 0 && !p.detectIndent(parent, &indent) {
		return false
	}
	start := len(p.auxText)
	breaks := 0        // number of empty lines before this line
	ended := false     // the line before this one ended with a break
	blankLine := false // the line before this one began with a blank
	for p.pos < p.end {
		i := p.pos
		for i < p.end && i-p.pos < indent && p.src[i] == ' ' {
			i++
		}
		if i >= p.end {
			p.pos = p.end
			break
		}
		if p.src[i] == '\n' {
			breaks++
			p.pos = i + 1
			continue
		}
		if i-p.pos < indent {
			if p.src[i] == '\t' {
				return false
			}
			break
		}
		blank := p.src[i] == ' ' || p.src[i] == '\t'
		if folded && ended && !blankLine && !blank {
			if breaks == 0 {
				p.auxText = append(p.auxText, ' ')
			}
		} else if ended {
			p.auxText = append(p.auxText, '\n')
		}
		for ; breaks > 0; breaks-- {
			p.auxText = append(p.auxText, '\n')
		}
		end := p.lineEnd(i)
		p.auxText = append(p.auxText, p.src[i:end]...)
		ended = end < p.end
		blankLine = blank
		p.pos = min(end+1, p.end)
	}
	if ended && !strip {
		p.auxText = append(p.auxText, '\n')
	}
	if keep {
		for ; breaks > 0; breaks-- {
			p.auxText = append(p.auxText, '\n')
		}
	}
	p.auxScalar(stringNode, offset, start)
	p.next()
	return true
}

// detectIndent sets the indentation of a block scalar whose text begins at pos to the indentation
// of its first non-empty line.
func (p *blockParser) detectIndent(parent int, indent *int) bool {
	widest := 0
	for i := p.pos; i < p.end; i++ {
		start := i
		for i < p.end && p.src[i] == ' ' {
			i++
		}
		if i >= p.end {
			return false
		}
		if p.src[i] != '\n' {
			*indent = i - start
			return *indent > parent && widest <= *indent && p.src[i] != '\t'
		}
		widest = max(widest, i-start)
	}
	return false
}
