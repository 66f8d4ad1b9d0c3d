package typegen

import "testing"

// TestSignature reads digests of files: the comment above the package clause counts, not what
// looks like it in a string or behind the clause.
func TestSignature(t *testing.T) {
	generated := string(signed([]byte("package v1\n\ntype A struct{}\n")))
	for name, test := range map[string]struct {
		text      string
		isWritten bool
	}{
		"generated":         {generated, true},
		"with a licence":    {"// Copyright.\n\n" + generated, true},
		"a string":          {"package v1\n\nconst a = \"" + digestMark + "a\"\n", false},
		"a raw string":      {"package v1\n\nconst a = `\n" + digestMark + "a\n`\n", false},
		"another comment":   {"// See " + digestMark + "a\npackage v1\n", false},
		"a comment below":   {"package v1\n\n" + digestMark + "a\n", false},
		"a general comment": {"/*\n" + digestMark + "a\n*/\npackage v1\n", false},
		"not Go":            {"a", false},
	} {
		written, now := signature([]byte(test.text))
		if (written != "") != test.isWritten || name == "generated" && written != now {
			t.Errorf("%s: got %q, %q", name, written, now)
		}
	}
}
