package symbols

import (
	"fmt"
	"testing"
)

// TestJSONNames reads the JSON names of fields from their tags.
func TestJSONNames(t *testing.T) {
	for _, tt := range []struct{ field, want string }{
		{"Field string `json:\"field\"`", "field"},
		{"Field string `json:\"field,omitempty\"`", "field"},
		{"Field string `json:\",omitempty\"`", "Field"},
		{"Field string `json:\"-\"`", ""},
		{"Field string `json:\"-,\"`", "-"},
		{"Field string `json:\"-,omitempty\"`", "-"},
		{"Field string", ""},
		{"Field string `yaml:\"field\"`", ""},
		{"Embedded `json:\",inline\"`", ""},
		{"Embedded `json:\"embedded\"`", "embedded"},
		{"Embedded", ""},
	} {
		text := fmt.Sprintf("package v1\n\ntype Struct struct {\n\t%s\n}\n", tt.field)
		o := NewOutline([]byte(text))
		if got := o.Decls[1].JSON; got != tt.want {
			t.Errorf("%s: JSON name %q, want %q", tt.field, got, tt.want)
		}
	}
}
