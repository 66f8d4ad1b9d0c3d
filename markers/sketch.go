package markers

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// sketchKeywords are the names that the structural-schema proposal uses in its
// sketches of markers (section "Litmus Test Examples"), under kubebuilder:.
func sketchKeywords() []string {
	return []string{"additionalProperties", "allOf", "anyOf", "maximum", "minimum", "oneOf", "pattern", "properties", "type"}
}

// sketch reads a marker in the proposal's spelling and returns the same as a
// schema in JSON:
//
//	+kubebuilder:pattern=abc, +kubebuilder:pattern:"abc"
//	+kubebuilder:anyOf=minimum=42,maximum=50;minimum=52      a semicolon begins a branch
//	+kubebuilder:anyOf:pattern="a",pattern="b"               so does a keyword that the branch has
//	+kubebuilder:properties=apiVersion:pattern=v1
//	+kubebuilder:additionalProperties:minimum=42
//
// On failure the offset is that of the mistake in the marker.
func sketch(marker, keyword string) (text string, offset int, err error) {
	s := &sketchScanner{text: marker, offset: len("+kubebuilder:") + len(keyword)}
	if s.next() != ':' && s.next() != '=' {
		return "", s.offset, fmt.Errorf("needs a value: +kubebuilder:%s=…", keyword)
	}
	s.offset++
	var value any
	switch keyword {
	case "anyOf", "oneOf", "allOf":
		value, err = s.branches()
	case "additionalProperties":
		value, err = s.branch()
	case "properties":
		name := s.word(":=")
		if name == "" || s.next() != ':' {
			return "", s.offset, fmt.Errorf("expected the name of a property and a colon")
		}
		s.offset++
		var schema map[string]any
		schema, err = s.branch()
		value = map[string]any{name: schema}
	default:
		value, err = s.value()
	}
	if err == nil && s.next() != 0 {
		err = fmt.Errorf("expected the end of the marker, got %q", s.text[s.offset:])
	}
	if err != nil {
		return "", s.offset, err
	}
	data, err := json.Marshal(map[string]any{keyword: value})
	return string(data), s.offset, err
}

type sketchScanner struct {
	text   string
	offset int
}

// next returns the byte at the scanner, 0 at the end.
func (s *sketchScanner) next() byte {
	if s.offset < len(s.text) {
		return s.text[s.offset]
	}
	return 0
}

// word returns what stands up to one of the stops.
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
			return nil, fmt.Errorf("the string is not closed")
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
		err = fmt.Errorf("a keyword stands twice")
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
		if _, twice := last[keyword]; twice {
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
