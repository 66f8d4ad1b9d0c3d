package markers

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestRemoval removes the marker +x from comments, and checks that one comment remains.
func TestRemoval(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"first", "package p\n\ntype T struct {\n\t// +x\n\t// A is.\n\tA int\n}\n", "package p\n\ntype T struct {\n\t// A is.\n\tA int\n}\n"},
		{"middle", "package p\n\n// T is.\n//   +x=1\n// +y\ntype T int\n", "package p\n\n// T is.\n// +y\ntype T int\n"},
		{"last", "package p\n\n// T is.\n// +x \ntype T int\n", "package p\n\n// T is.\ntype T int\n"},
		{"only", "package p\n\n// +x\ntype T int\n", "package p\n\n\ntype T int\n"},
		{"several lines", "package p\n\n// +kubebuilder:x=`a\n// b`\n// +y\ntype T int\n", ""},
		{"prose", "package p\n\n// T is 1 +x.\ntype T int\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "p.go", test.src, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			at := fset.File(file.Pos())
			edit := Removal(file, at.Pos(strings.IndexByte(test.src, '+')))
			got := ""
			if edit != nil {
				got = test.src[:at.Offset(edit.Pos)] + edit.New + test.src[at.Offset(edit.End):]
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
