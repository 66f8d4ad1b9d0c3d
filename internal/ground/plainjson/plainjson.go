// Package plainjson encodes JSON for people and files, in which <, > and & are written as they are.
// Package encoding/json escapes them for HTML. TestPlainJSON of the root lists the functions that use
// encoding/json directly, each with the reason.
package plainjson

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Marshal is [json.Marshal] without escapes for HTML.
func Marshal(value any) ([]byte, error) { return Indented(value, "", "") }

// Indented is [json.MarshalIndent] without escapes for HTML.
func Indented(value any, prefix, indent string) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(prefix, indent)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Text returns a value that was decoded from JSON, or is of such types. There is no error for these.
func Text(value any) string {
	if text, ok := value.(string); ok {
		return string(AppendText(nil, text))
	}
	out, err := Marshal(value)
	if err != nil {
		return err.Error() // not reached for such values
	}
	return string(out)
}

// AppendText appends a string. Most need no escaping.
func AppendText(out []byte, text string) []byte {
	special := func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }
	if !strings.ContainsFunc(text, special) {
		return append(append(append(out, '"'), text...), '"')
	}
	quoted, _ := Marshal(text) // every string can be encoded
	return append(out, quoted...)
}

// Plain returns JSON without the escapes for HTML that another program may have written.
func Plain(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\u00`)) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		switch strings.ToLower(string(raw[i:min(i+6, len(raw))])) {
		case `\u003c`:
			out = append(out, '<')
			i += 5
		case `\u003e`:
			out = append(out, '>')
			i += 5
		case `\u0026`:
			out = append(out, '&')
			i += 5
		default:
			out = append(out, raw[i], raw[i+1])
			i++
		}
	}
	return out
}
