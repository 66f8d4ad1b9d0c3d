package markers

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// parseSketch returns the parser for markers in the syntax of the structural-schema
// proposal. They are equivalent to a schema in JSON:
//
//	+kubebuilder:pattern=abc, +kubebuilder:pattern:"abc"
//	+kubebuilder:anyOf=minimum=42,maximum=50;minimum=52      a semicolon begins a branch
//	+kubebuilder:anyOf:pattern="a",pattern="b"               so does a repeated keyword
//	+kubebuilder:properties=apiVersion:pattern=v1
//	+kubebuilder:additionalProperties:minimum=42
//
// read parses the value of the keyword.
func parseSketch(read func(*sketchScanner) (any, error)) parseFunc {
	return func(text, name string) (any, int, error) {
		s := &sketchScanner{text: text, offset: 1 + len(name)}
		if s.next() != ':' && s.next() != '=' {
			return nil, s.offset, fmt.Errorf("needs a value: +%s=…", name)
		}
		s.offset++
		value, err := read(s)
		if err == nil && s.next() != 0 {
			err = fmt.Errorf("expected the end of the marker, got %q", s.text[s.offset:])
		}
		if err != nil {
			return nil, s.offset, err
		}
		data, err := plainjson.Marshal(map[string]any{strings.TrimPrefix(name, "kubebuilder:"): value})
		return Fragment{Keyword: "schema", Text: string(data)}, s.offset, err
	}
}

func sketchValue(s *sketchScanner) (any, error) { return s.value() }

func sketchBranch(s *sketchScanner) (any, error) { return s.branch() }

func sketchBranches(s *sketchScanner) (any, error) { return s.branches() }

// sketchProperty reads the name of a property and its schema.
func sketchProperty(s *sketchScanner) (any, error) {
	name := s.word(":=")
	if name == "" || s.next() != ':' {
		return nil, fmt.Errorf("expected the name of a property and a colon")
	}
	s.offset++
	schema, err := s.branch()
	return map[string]any{name: schema}, err
}

type sketchScanner struct {
	text   string
	offset int
}

// next returns the next byte, or 0 at the end.
func (s *sketchScanner) next() byte {
	if s.offset < len(s.text) {
		return s.text[s.offset]
	}
	return 0
}

// word returns the text up to one of the stops.
func (s *sketchScanner) word(stops string) string {
	rest := s.text[s.offset:]
	if i := strings.IndexAny(rest, stops); i >= 0 {
		rest = rest[:i]
	}
	s.offset += len(rest)
	return strings.TrimSpace(rest)
}

// value reads a quoted string, a number, or a bare word.
func (s *sketchScanner) value() (any, error) {
	if c := s.next(); c == '"' || c == '`' {
		quoted, err := strconv.QuotedPrefix(s.text[s.offset:])
		if err != nil {
			return nil, s.badString()
		}
		s.offset += len(quoted)
		return strconv.Unquote(quoted)
	}
	word := s.word(",;")
	if word == "" {
		return nil, fmt.Errorf("expected a value")
	}
	if number := json.Number(word); json.Valid([]byte(word)) && strings.Trim(word, "-0123456789.eE+") == "" {
		return number, nil
	}
	return word, nil
}

// badString returns the error for a string that Go does not accept, and moves to its cause: an
// escape that Go does not have, or else the beginning of the string.
func (s *sketchScanner) badString() error {
	for i := s.offset + 1; i < len(s.text) && s.text[i] != '"'; i++ {
		if s.text[i] != '\\' {
			continue
		}
		if _, _, _, err := strconv.UnquoteChar(s.text[i:], '"'); err != nil && i+1 < len(s.text) && strings.Contains(s.text[i+2:], `"`) {
			s.offset = i
			return fmt.Errorf("\\%c is not an escape: in double quotes, a backslash is written twice", s.text[i+1])
		}
		i++
	}
	return fmt.Errorf("unclosed string")
}

// pair reads keyword=value.
func (s *sketchScanner) pair() (keyword string, value any, err error) {
	keyword = s.word("=,;")
	if keyword == "" || s.next() != '=' {
		return "", nil, fmt.Errorf("expected keyword=value")
	}
	s.offset++
	value, err = s.value()
	return keyword, value, err
}

// branch reads the keywords of one schema.
func (s *sketchScanner) branch() (map[string]any, error) {
	all, err := s.branches()
	if err == nil && len(all) > 1 {
		err = fmt.Errorf("duplicate keyword")
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func (s *sketchScanner) branches() ([]map[string]any, error) {
	out := []map[string]any{{}}
	for {
		keyword, value, err := s.pair()
		if err != nil {
			return nil, err
		}
		last := out[len(out)-1]
		if _, duplicate := last[keyword]; duplicate {
			last = map[string]any{}
			out = append(out, last)
		}
		last[keyword] = value
		switch s.next() {
		case ',':
		case ';':
			out = append(out, map[string]any{})
		default:
			return out, nil
		}
		s.offset++
	}
}
