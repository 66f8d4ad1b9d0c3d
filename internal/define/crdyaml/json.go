package crdyaml

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// jsonScanner splits valid JSON into tokens.
type jsonScanner struct {
	text   string
	pos    int
	tokens []jsonToken
}

// scanJSON appends the tokens of a JSON value to tokens. ok is false if it is not valid.
func scanJSON(tokens []jsonToken, text string) (_ []jsonToken, ok bool) {
	if !json.Valid([]byte(text)) {
		return tokens, false
	}
	s := jsonScanner{text: text, tokens: tokens}
	s.value()
	return s.tokens, true
}

// next skips white space and separators and returns the first byte of the next token.
func (s *jsonScanner) next() byte {
	for strings.IndexByte(" \t\r\n,:", s.text[s.pos]) >= 0 {
		s.pos++
	}
	return s.text[s.pos]
}

// value scans a value, or the key of an object member.
func (s *jsonScanner) value() {
	kind := s.next()
	this := len(s.tokens)
	t := jsonToken{kind: kind, start: s.pos}
	s.tokens = append(s.tokens, t) // before those inside it
	switch kind {
	case '{', '[':
		s.pos++
		for c := s.next(); c != '}' && c != ']'; c = s.next() {
			s.value()
		}
		s.pos++
		t.end = t.start + 1
	case '"':
		t.start++
		for s.pos++; s.text[s.pos] != '"'; s.pos++ {
			if s.text[s.pos] == '\\' {
				t.escaped = true
				s.pos++
			}
		}
		t.end = s.pos
		s.pos++
	default:
		for s.pos < len(s.text) && strings.IndexByte(" \t\r\n,]}", s.text[s.pos]) < 0 {
			s.pos++
		}
		t.end = s.pos
		if kind == '-' || isDigit(kind) {
			t.kind = '0'
		}
	}
	t.next = len(s.tokens)
	s.tokens[this] = t
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
	text := cmp.Or(string(raw), "null")
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
	if !t.escaped {
		return text[t.start:t.end]
	}
	var out string
	_ = json.Unmarshal([]byte(text[t.start-1:t.end+1]), &out) // the text is valid
	return out
}
