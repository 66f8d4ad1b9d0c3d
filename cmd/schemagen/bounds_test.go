package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestBounds checks that a few lines that would expand to gigabytes are rejected with a
// position, and that realistic sizes are accepted.
func TestBounds(t *testing.T) {
	mod, sum := requirements(t)
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", string(regexp.MustCompile(`(?m)^module .*`).ReplaceAll(mod, []byte("module example.com/m"))))
	writeFile(t, "go.sum", string(sum))
	lines := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.NewReplacer("NEXT", fmt.Sprint(i+1), "THIS", fmt.Sprint(i)).Replace(line) + "\n")
		}
		return b.String()
	}
	expand := func(n int) string {
		return lines(n, "type TTHIS struct {\n\tA TNEXT `json:\"a\"`\n\tB TNEXT `json:\"b\"`\n}") + fmt.Sprintf("type T%d string\n", n)
	}
	embed := func(n int) string {
		return lines(n, "type TTHIS struct {\n\tTNEXT `json:\",inline\"`\n\tUNEXT `json:\",inline\"`\n}\ntype UNEXT struct {\n\tTNEXT `json:\",inline\"`\n}") + fmt.Sprintf("type T%d struct{}\n", n)
	}
	double := func(n int) string {
		return "type T0 struct {\n\tE E `json:\"e\"`\n}\n\n// +enum\ntype E string\n\nconst c0 = \"aaaaaaaaaaaaaaaa\"\n" + lines(n, "const cNEXT = cTHIS + cTHIS") + fmt.Sprintf("const A E = c%d\n", n)
	}
	array := func(n int) string {
		return "type T0 struct {\n\tE [len(c" + fmt.Sprint(n) + ")]int32 `json:\"e\"`\n}\n\nconst c0 = \"aaaaaaaaaaaaaaaa\"\n" + lines(n, "const cNEXT = cTHIS + cTHIS")
	}
	nested := func(n int, part string) string {
		return "type T0 struct {\n\tA " + strings.Repeat(part, n) + "string" + strings.Repeat(" `json:\"a\"`\n}", strings.Count(part, "{")*n) + " `json:\"a\"`\n}\n"
	}
	deep := func(n int) string {
		return lines(n, "type TTHIS struct {\n\tA TNEXT `json:\"a\"`\n}") + fmt.Sprintf("type T%d string\n", n)
	}
	const tooDeep = `^api/t.go:11:6: error\[SG230\]: the schema of Widget is nested more than 1000 levels deep`
	for _, test := range []struct{ name, source, want string }{
		{"expand 10", expand(10), ""},
		{"expand 20", expand(20), `^api/t.go:11:6: error\[SG230\]: the schema of Widget has more than 200000 nodes`},
		{"expand 60", expand(60), `^api/t.go:11:6: error\[SG230\]`},
		{"embed 8", embed(8), ""},
		{"embed 24", embed(24), `^api/t.go:\d+:\d+: error\[SG230\]: more than 50000 embedded structs`},
		{"embed 60", embed(60), `error\[SG230\]`},
		{"structs 450", nested(450, "struct {\n\tA "), ""},
		{"structs 550", nested(550, "struct {\n\tA "), tooDeep},
		{"named structs 5000", deep(5000), tooDeep},
		{"lists 900", nested(900, "[]"), ""},
		{"lists 1100", nested(1100, "[]"), tooDeep},
		{"maps 1100", nested(1100, "map[string]"), tooDeep},
		{"double 8", double(8), ""},
		{"double 40", double(40), `api/t.go:41:7: error\[SG211\]: a constant of enum E: c16 may have more than 1048576 bytes`},
		{"array 8", array(8), ""},
		{"array 40", array(40), ""}, // does not compile: its length is not known,
	} {
		writeFile(t, "api/t.go", `// +groupName=example.com
// +schemagen:enable=enum
// +schemagen:enable=array-length
package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true

// Widget is a widget.
type Widget struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitempty\"`"+`

	Spec T0 `+"`json:\"spec\"`"+`
}

`+test.source)
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"crd", "./...", "-o", "-", "--no-cache", "--skip-verify"}, &stdout, &stderr)
		if rejected := code != 0; rejected != (test.want != "") || !regexp.MustCompile(test.want).MatchString(stderr.String()) {
			t.Errorf("%s: exit code %d:\n%s", test.name, code, &stderr)
		}
	}
}
