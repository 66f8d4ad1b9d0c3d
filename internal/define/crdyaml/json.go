package crdyaml

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/schemagen/schemagen/structural"
)

// jsonToken is a value in a JSON text, or the key of an object member. Tokens are in the
// order of the text: an array is followed by its elements, an object by its members, each a
// key followed by its value.
type jsonToken struct {
	// kind is the first byte of the token; it is '0' for all numbers.
	kind byte
	// escaped reports whether a string contains escape sequences.
	escaped bool
	// start and end are the byte offsets in the text, without the quotes of a string.
	start, end int
	// next is the index of the token after the value and everything inside it.
	next int
}

// jsonEntry is one member of an object.
type jsonEntry struct {
	key string
	// value is the index of the value's token.
	value int
}

// jsonScanner splits a JSON text into tokens.
type jsonScanner struct {
	text   string
	pos    int
	tokens []jsonToken
}

// maxJSONDepth is the maximum nesting depth that encoding/json accepts.
const maxJSONDepth = 10000

// scanJSON appends the tokens of text to tokens. ok is false if text is not exactly one
// valid JSON value.
func scanJSON(tokens []jsonToken, text string) (_ []jsonToken, ok bool) {
	s := jsonScanner{text: text, tokens: tokens}
	s.space()
	ok = s.value(0)
	s.space()
	return s.tokens, ok && s.pos == len(text)
}

func (s *jsonScanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// peek skips white space and returns the next byte, or 0 at the end.
func (s *jsonScanner) peek() byte {
	s.space()
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

func (s *jsonScanner) value(depth int) bool {
	if depth > maxJSONDepth {
		return false
	}
	switch c := s.peek(); c {
	case '{':
		return s.container(depth, '}')
	case '[':
		return s.container(depth, ']')
	case '"':
		return s.str()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

func (s *jsonScanner) add(kind byte, start, end int) {
	s.tokens = append(s.tokens, jsonToken{kind: kind, start: start, end: end, next: len(s.tokens) + 1})
}

func (s *jsonScanner) container(depth int, closing byte) bool {
	this := len(s.tokens)
	s.add(s.text[s.pos], s.pos, s.pos+1)
	s.pos++
	if s.peek() == closing {
		s.pos++
		return true
	}
	for {
		if closing == '}' {
			if s.peek() != '"' || !s.str() || s.peek() != ':' {
				return false
			}
			s.pos++
		}
		if !s.value(depth + 1) {
			return false
		}
		switch s.peek() {
		case ',':
			s.pos++
		case closing:
			s.pos++
			s.tokens[this].next = len(s.tokens)
			return true
		default:
			return false
		}
	}
}

func (s *jsonScanner) word(word string) bool {
	if !strings.HasPrefix(s.text[s.pos:], word) {
		return false
	}
	s.add(word[0], s.pos, s.pos+len(word))
	s.pos += len(word)
	return true
}

func (s *jsonScanner) number() bool {
	start := s.pos
	rest := strings.TrimPrefix(s.text[start:], "-")
	digits := rest
	rest = trimDigits(rest)
	if len(rest) == len(digits) || digits[0] == '0' && len(digits)-len(rest) > 1 {
		return false
	}
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = trimDigits(fraction)
		if len(rest) == len(fraction) {
			return false
		}
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		exponent := rest[1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		rest = trimDigits(exponent)
		if len(rest) == len(exponent) {
			return false
		}
	}
	s.pos = len(s.text) - len(rest)
	s.add('0', start, s.pos)
	return true
}

func (s *jsonScanner) str() bool {
	s.pos++
	start, escaped := s.pos, false
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.add('"', start, s.pos)
			s.tokens[len(s.tokens)-1].escaped = escaped
			s.pos++
			return true
		case c == '\\':
			escaped = true
			n := escapeLength(s.text[s.pos:])
			if n == 0 {
				return false
			}
			s.pos += n
		case c < ' ':
			return false
		default:
			s.pos++
		}
	}
	return false
}

// escapeLength returns the length of the escape sequence at the start of s, or 0 if it is
// invalid.
func escapeLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, s[1]) >= 0 {
			return 2
		}
		return 0
	}
	if len(s) < 6 {
		return 0
	}
	for i := 2; i < 6; i++ {
		c := s[i] | 0x20
		if !isDigit(s[i]) && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return 6
}

// optionalJSON writes a key and its value unless value is nil. key has no trailing space.
func (w *yamlWriter) optionalJSON(indent int, key string, value *structural.JSON) {
	if value != nil {
		w.key(indent, key)
		w.json(indent, len(key), value.Raw)
	}
}

// json writes the value raw after a key or, if width is 1, after a dash. The key or dash
// starts at column indent and is width bytes long.
func (w *yamlWriter) json(indent, width int, raw []byte) {
	if isSimpleString(raw) {
		w.b = append(w.b, ' ')
		// This conversion need not allocate, unlike the one below.
		w.scalar(string(raw[1:len(raw)-1]), indent+width+1, indent+2)
		return
	}
	text := string(raw)
	if text == "" {
		text = "null"
	}
	tokens, ok := scanJSON(w.tokens[:0], text)
	w.tokens = tokens
	if !ok {
		if w.err == nil {
			w.err = fmt.Errorf("invalid JSON value %.100q", text)
		}
		return
	}
	w.jsonValue(text, 0, indent, indent+width, width == 1)
}

// isSimpleString reports whether raw is a single JSON string without escape sequences. Most
// defaults and enum values are.
func isSimpleString(raw []byte) bool {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return false
	}
	for _, c := range raw[1 : len(raw)-1] {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// jsonValue writes the value of a token, starting at column col, after a key or a dash at
// column indent.
func (w *yamlWriter) jsonValue(text string, token, indent, col int, dash bool) {
	if w.exotic {
		return
	}
	t := w.tokens[token]
	nested := t.next > token+1
	switch {
	case nested && dash:
		w.b = append(w.b, ' ')
		w.dashed = true
	case nested:
		w.b = append(w.b, '\n')
	default:
		w.b = append(w.b, ' ')
	}
	switch {
	case nested && t.kind == '{':
		w.jsonObject(text, token, indent+2)
	case nested && dash:
		w.jsonArray(text, token, indent+2)
	case nested:
		w.jsonArray(text, token, indent)
	case t.kind == '{':
		w.b = append(w.b, "{}\n"...)
	case t.kind == '[':
		w.b = append(w.b, "[]\n"...)
	case t.kind == '"':
		w.scalar(jsonString(text, t), col+1, indent+2)
	case t.kind == '0':
		w.b = appendNumber(w.b, text[t.start:t.end])
		w.b = append(w.b, '\n')
	default:
		w.b = append(w.b, text[t.start:t.end]...)
		w.b = append(w.b, '\n')
	}
}

func (w *yamlWriter) jsonArray(text string, token, indent int) {
	for i := token + 1; i < w.tokens[token].next; i = w.tokens[i].next {
		w.key(indent, "-")
		w.jsonValue(text, i, indent, indent+1, true)
	}
}

func (w *yamlWriter) jsonObject(text string, token, indent int) {
	// Nested objects share the slice: each uses the part that starts at its first entry.
	first := len(w.entries)
	for i := token + 1; i < w.tokens[token].next; i = w.tokens[i+1].next {
		w.entries = append(w.entries, jsonEntry{key: jsonString(text, w.tokens[i]), value: i + 1})
	}
	w.entries = w.entries[:first+len(sortEntries(w.entries[first:]))]
	last := len(w.entries)
	for i := first; i < last; i++ {
		e := w.entries[i]
		col := w.anyKey(indent, e.key)
		w.b = append(w.b, ':')
		w.jsonValue(text, e.value, indent, col+1, false)
	}
	w.entries = w.entries[:first]
}

// sortEntries sorts entries in natural order. If several entries have the same key, it
// keeps the last one.
func sortEntries(entries []jsonEntry) []jsonEntry {
	byBytes := func(a, b jsonEntry) int { return strings.Compare(a.key, b.key) }
	slices.SortStableFunc(entries, byBytes)
	kept := entries[:0]
	for i, e := range entries {
		if i+1 == len(entries) || entries[i+1].key != e.key {
			kept = append(kept, e)
		}
	}
	slices.SortStableFunc(kept, func(a, b jsonEntry) int { return naturalCompare(a.key, b.key) })
	return kept
}

// jsonString returns the value of a string token.
func jsonString(text string, t jsonToken) string {
	s := text[t.start:t.end]
	if !t.escaped {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		i++
		switch s[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := codeUnit(s[i-1:])
			i += 4
			if utf16.IsSurrogate(r) {
				// An unpaired surrogate is not a character.
				r = utf16.DecodeRune(r, codeUnit(s[i+1:]))
				if r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// codeUnit returns the value of the escape sequence \uXXXX at the start of s, or -1 if
// there is none.
func codeUnit(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
