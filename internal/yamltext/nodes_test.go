package yamltext

import (
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
)

// TestUnknownKeys checks that a misspelled key has a fix if its source text is the key itself
// and the correct key is absent.
func TestUnknownKeys(t *testing.T) {
	for _, test := range []struct{ name, yaml, want string }{
		{"plain", "a: 1\nnmae: x\n", "a: 1\nname: x\n"},
		{"flow", "{a: 1, nmae: x}", "{a: 1, name: x}"},
		{"behind other characters", "{a: \"ä\", nmae: x}", "{a: \"ä\", name: x}"},
		{"quoted", "a: 1\n\"nmae\": x\n", ""},
		{"behind an anchor", "a: 1\n&k nmae: x\n", ""},
		{"beside the right one", "name: y\nnmae: x\n", ""},
		{"unlike any", "a: 1\nother: x\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewNodeReader("f.yaml", &diag.Kind{Code: "SG1"}, []byte(test.yaml))
			r.Fields(r.Document([]byte(test.yaml), "the file"), "the file", "a", "name")
			if len(r.Findings) != 1 {
				t.Fatalf("findings: %v", r.Findings)
			}
			got := ""
			if d := r.Findings[0]; len(d.Fixes) > 0 {
				e := d.Fixes[0].Edits[0]
				lines := strings.SplitAfter(test.yaml, "\n")
				line := lines[e.Pos.Line-1]
				lines[e.Pos.Line-1] = line[:e.Pos.Column-1] + e.New + line[e.End.Column-1:]
				got = strings.Join(lines, "")
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
