package explain

import "testing"

// TestProseMarkdown checks that paragraphs, lists and code of a description survive, and nothing else.
func TestProseMarkdown(t *testing.T) {
	for _, test := range []struct{ description, want string }{
		{"one\ntwo", "one two"},
		{"one\n\ntwo", "one\n\n  two"},
		{"Modes:\n - Slow: careful\n - Fast: *bold* and `code`\n\nEnd.", "Modes:\n\n  + Slow: careful\n  + Fast: \\*bold\\* and `code`\n\n  End."},
		{"- a\n  - b\n- c", "\n\n  + a\n\n    + b\n  + c"},
		{"3. a\n4. b", "\n\n  3. a\n  4. b"},
		{"See [docs](https://x.io/a) or https://y.io.", "See docs (https://x.io/a) or https://y.io."},
		{"Run:\n\n    a: |\n      b```c\n", "Run:\n\n  ````\n  a: |\n    b```c\n  ````"},
		{"> quoted <b>", "\n\n  quoted &lt;b&gt;"},
		{`\# no heading`, `\# no heading`},
		{`1\. no list`, `1\. no list`},
		{"", ""},
	} {
		if got := proseMarkdown("  ", test.description); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.description, got, test.want)
		}
	}
}
