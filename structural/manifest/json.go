package manifest

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// jsonSpace are the characters between JSON tokens.
const jsonSpace = " \t\r\n"

// jsonReader parses JSON text that is known to be valid.
type jsonReader struct {
	*treeBuilder
	pos int
}

// parseJSON parses the JSON value that begins at data[from], which is not a space,
// into b, and returns the offset after it. data is the file, like b.src.
func parseJSON(b *treeBuilder, data []byte, start, last int) (end int) {
	end = jsonValueEnd(data, start, last)
	if err := json.Unmarshal(data[start:end], &ignoredJSON{}); err != nil {
		offset := end
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			offset = start + max(0, int(syntax.Offset)-1)
		}
		b.reject(offset, Malformed, "json: "+err.Error())
		return last
	}
	b.verbatim = true
	r := &jsonReader{treeBuilder: b, pos: start}
	r.value()
	return end
}

// ignoredJSON accepts and discards any JSON value.
type ignoredJSON struct{}

func (*ignoredJSON) UnmarshalJSON([]byte) error { return nil }

// jsonValueEnd returns the end of an object or array by matching its brackets.
func jsonValueEnd(data []byte, start, end int) int {
	depth := 0
	for i := start; i < end; i++ {
		switch data[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		case '"':
			for i++; i < end && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		}
	}
	return end
}

// value reads the value at pos.
func (r *jsonReader) value() {
	if r.rejected != nil {
		return
	}
	switch offset := r.pos; r.src[offset] {
	case '{':
		r.collection(mappingNode, '}')
	case '[':
		r.collection(sequenceNode, ']')
	case '"':
		r.string()
	case 'n':
		r.literal(nullNode)
	case 't', 'f':
		r.literal(boolNode)
	default:
		r.literal(numberNode)
	}
}

func (r *jsonReader) collection(kind nodeKind, end byte) {
	n := r.open(kind, r.pos)
	r.pos++
	for r.rejected == nil {
		r.skip(jsonSpace + ",")
		if r.src[r.pos] == end {
			r.pos++
			r.nodes[n].to = int32(r.pos)
			break
		}
		if kind == mappingNode {
			r.string()
			r.skip(jsonSpace + ":")
		}
		r.value()
	}
	r.close(n)
}

func (r *jsonReader) skip(characters string) {
	for strings.IndexByte(characters, r.src[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *jsonReader) literal(kind nodeKind) {
	offset := r.pos
	for r.pos < len(r.src) && strings.IndexByte(jsonSpace+",]}", r.src[r.pos]) < 0 {
		r.pos++
	}
	r.span(kind, offset, offset, r.pos)
}

func (r *jsonReader) string() {
	offset := r.pos
	plain := true
	for r.pos++; r.src[r.pos] != '"'; r.pos++ {
		if r.src[r.pos] == '\\' {
			plain = false
			r.pos++
		}
	}
	r.pos++
	if plain && utf8.ValidString(r.src[offset:r.pos]) {
		r.span(stringNode, offset, offset+1, r.pos-1)
		return
	}
	var text string
	if err := json.Unmarshal([]byte(r.src[offset:r.pos]), &text); err != nil {
		r.reject(offset, Malformed, err.Error())
	}
	r.scalar(stringNode, offset, text)
}
