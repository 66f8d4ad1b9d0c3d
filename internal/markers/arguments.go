package markers

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode/utf8"
)

// At returns the marker comment that begins at a position of a file: a marker of its own, or
// the one after the equals sign of another marker. ok is false if there is none.
func At(file *ast.File, pos token.Pos) (found Comment, ok bool) {
	for _, group := range file.Comments {
		if pos < group.Pos() || pos > group.End() {
			continue
		}
		for _, c := range comments(group) {
			for offset := range len(c.Text) {
				if c.Text[offset] == '+' && c.PosAt(offset) == pos {
					return c.from(offset), true
				}
			}
		}
	}
	return Comment{}, false
}

// Argument returns the position of a named argument of the marker, such as rule in
// +kubebuilder:validation:XValidation:rule="…". ok is false if the marker does not have it.
func (c Comment) Argument(name string) (pos token.Pos, ok bool) {
	start, _, _, ok := c.argument(name)
	return c.PosAt(start), ok
}

// ArgumentPosAt returns the position of a character in the value of a named argument. Line and
// column count from 1, the column in characters.
func (c Comment) ArgumentPosAt(name string, line, column int) (pos token.Pos, ok bool) {
	_, start, end, ok := c.argument(name)
	if !ok {
		return 0, false
	}
	value := c.Text[start:end]
	quoted := value != "" && value[0] == '"'
	if value != "" && strings.IndexByte("\"`", value[0]) >= 0 && len(value) > 1 && value[len(value)-1] == value[0] {
		start++
		value = value[1 : len(value)-1]
	}
	atLine := 1
	atColumn := 1
	for value != "" {
		if atLine == line && atColumn == column {
			return c.PosAt(start), true
		}
		r, rest := decode(value, quoted)
		if rest == value {
			return 0, false
		}
		start += len(value) - len(rest)
		value = rest
		atColumn++
		if r == '\n' {
			atLine++
			atColumn = 1
		}
	}
	return c.PosAt(start), atLine == line && atColumn == column // after the last character
}

// decode returns the first character of a value and the remainder.
func decode(value string, quoted bool) (r rune, rest string) {
	if quoted {
		r, _, rest, err := strconv.UnquoteChar(value, '"')
		if err != nil {
			return 0, value
		}
		return r, rest
	}
	r, size := utf8.DecodeRuneInString(value)
	return r, value[size:]
}

// argument returns the offsets in the text of a named argument and of its value, quotes
// included.
func (c Comment) argument(name string) (start, value, end int, ok bool) {
	_, short, _ := splitName(c.Text)
	for offset := len(short) + 2; offset < len(c.Text); {
		equals := strings.IndexByte(c.Text[offset:], '=')
		if equals < 0 {
			return 0, 0, 0, false
		}
		value := offset + equals + 1
		end := valueEnd(c.Text, value)
		if strings.TrimSpace(c.Text[offset:offset+equals]) == name {
			return offset + equals - len(strings.TrimLeft(c.Text[offset:offset+equals], " ")), value, end, true
		}
		offset = end + 1
	}
	return 0, 0, 0, false
}

// valueEnd returns the end of the value that begins at an offset: the next comma outside
// quotes and braces, or the end of the text.
func valueEnd(text string, offset int) int {
	depth := 0
	var quote byte
	for i := offset; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '`') && (i == offset || strings.IndexByte("{;,: ", text[i-1]) >= 0):
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth <= 0:
			return i
		}
	}
	return len(text)
}
