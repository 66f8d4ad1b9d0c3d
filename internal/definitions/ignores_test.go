package definitions

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadIgnores reads comments in YAML, JSON and Go. What looks like one in a string is text.
func TestReadIgnores(t *testing.T) {
	for _, test := range []struct{ name, file, text, want string }{
		{"a line", "a.yaml", "# schemagen:ignore SG601 why not\na: b\n", "1:1 SG601 why not"},
		{"after a value", "a.yaml", "a: b # schemagen:ignore SG601 r\n", "1:6 SG601 r"},
		{"in another comment", "a.yaml", "a: b # see # schemagen:ignore SG601 r\n", "1:12 SG601 r"},
		{"the whole file", "a.yaml", "a: b\n# schemagen:ignore-file SG601 r", "2:1 file SG601 r"},
		{"after a document", "a.yaml", "a: |\n  x\n---\n# schemagen:ignore SG601 r\nb: c\n", "4:1 SG601 r"},
		{"after a block scalar", "a.yaml", "a:\n  b: |\n    x\n  # schemagen:ignore SG601 r\n  c: d\n", "4:3 SG601 r"},
		{"in its header", "a.yaml", "a: | # schemagen:ignore SG601 r\n  x\n", "1:6 SG601 r"},
		{"between the lines of a list", "a.yaml", "a: [b, # schemagen:ignore SG601 r\n c]\n", "1:8 SG601 r"},
		{"CRLF", "a.yaml", "a: b # schemagen:ignore SG601 r\r\n", "1:6 SG601 r"},
		{"no newline at the end", "a.yml", "# schemagen:ignore SG601 r", "1:1 SG601 r"},
		{"standard input", "-", "# schemagen:ignore SG601 r\n", "1:1 SG601 r"},
		{"a literal", "a.yaml", "a: |\n  # schemagen:ignore-file SG601 r\n", ""},
		{"a folded scalar", "a.yaml", "a: >-\n  x\n  # schemagen:ignore-file SG601 r\nb: c\n", ""},
		{"a literal in a list", "a.yaml", "- |2\n    # schemagen:ignore-file SG601 r\n", ""},
		{"a literal of a document", "a.yaml", "--- |\n # schemagen:ignore-file SG601 r\n", ""},
		{"quoted", "a.yaml", "a: \"# schemagen:ignore-file SG601 r\"\n", ""},
		{"quoted over lines", "a.yaml", "a: \"x\n  # schemagen:ignore-file SG601 r\n  y\"\n", ""},
		{"single quotes over lines", "a.yaml", "a: 'it''s\n  # schemagen:ignore-file SG601 r'\n", ""},
		{"a key", "a.yaml", "\"# schemagen:ignore-file SG601 r\": a\n", ""},
		{"a plain scalar", "a.yaml", "a: b# schemagen:ignore-file SG601 r\n", ""},
		{"slashes", "a.yaml", "a: b // schemagen:ignore-file SG601 r\n", ""},
		{"JSON", "a.json", "{\"description\": \"# schemagen:ignore-file SG601 r\"}\n", ""},
		{"Go", "a.go", "package a\n\n// schemagen:ignore SG601 r\ntype A struct{}\n", "3:1 SG601 r"},
		{"Go, after a field", "a.go", "package a\n\ntype A struct {\n\tB string // schemagen:ignore SG601 r\n}\n", "4:11 SG601 r"},
		{"Go that does not parse", "a.go", "packag a {{\n// schemagen:ignore SG601 r\n", "2:1 SG601 r"},
		{"a Go string", "a.go", "package a\n\nconst A = \"// schemagen:ignore-file SG601 r\"\n", ""},
		{"a raw string", "a.go", "package a\n\nconst A = `\n// schemagen:ignore-file SG601 r\n`\n", ""},
		{"a raw string with #", "a.go", "package a\n\nconst A = `\n# schemagen:ignore-file SG601 r\n`\n", ""},
		{"a general comment", "a.go", "package a\n\n/*\n// schemagen:ignore-file SG601 r\n*/\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, c := range ReadIgnores(test.file, []byte(test.text)) {
				file := ""
				if c.wholeFile {
					file = "file "
				}
				got = append(got, fmt.Sprintf("%d:%d %s%s %s", c.Pos.Line, c.Pos.Column, file, c.Code, c.Reason))
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("got %q, want %q", text, test.want)
			}
		})
	}
}
