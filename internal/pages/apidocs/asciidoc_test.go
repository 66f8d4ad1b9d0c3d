package apidocs

import "testing"

// TestAsciiDocProse checks that paragraphs, lists and code of a description survive, and nothing else.
func TestAsciiDocProse(t *testing.T) {
	for _, test := range []struct{ description, want string }{
		{"one\ntwo", "one two\n"},
		{"one\n\ntwo", "one\n\ntwo\n"},
		{"Modes:\n - Slow and `x|y`\n - Fast\n\nEnd.", "Modes&#58;\n\n* Slow and ``x&#124;y``\n* Fast\n\nEnd.\n"},
		{"- a\n  - b\n- c", "* a\n\n** b\n* c\n"},
		{"- - a\n- b", "* {empty}\n** a\n* b\n"},
		{"+", "* {empty}\n"},
		{"3. a\n4. b", "[start=3]\n. a\n. b\n"},
		{"- a\n\n  b", "* a\n+\nb\n"},
		{"- a\n\n  - b\n\n  c", "* a\n\n** b\n\n+\nc\n"},
		{"*x* [l](https://x.io)", "&#42;x&#42; link:++https://x.io++[l]\n"},
		{"[l](<https://x.io/a[b]>)", "l &#40;https&#58;//x.io/a&#91;b&#93;&#41;\n"},
		{"Run:\n\n    a|\n      b", "Run&#58;\n\n``a&#124;`` +\n&#160;&#160;``b``\n"},
	} {
		if got := asciidocProse(test.description); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.description, got, test.want)
		}
	}
}
