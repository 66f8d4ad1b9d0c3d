package manifest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// yamlSeeds returns documents in plain block style and similar ones.
func yamlSeeds() []string {
	return []string{
		"a: 1\nb:\n  c: x\n  d: [1, {e: f}]\n",
		"a:\n- 1\n- b: 2\n  c:\n  - - x\n    - y\n  -\n- \"q\\u00e9\\n\"\n- 'it''s'\n",
		"a:\n  - x\n  - |\n    one\n      two\n\n    three\n  - >-\n    one\n    two\n\n\n    three\n     four\nb: |+\n  x\n\n\nc: end\n",
		"d: |-\n  text\n  \n   more\n# comment\ne: >\n  a\n   b\n\n  c\n",
		"plain: one\n  two\n\n  three # comment\nother: a#b\nurl: http://x:80/y\n",
		"quoted: \"one\n  two\n\n  three \\\n   four\"\nsingle: 'one\n\n two'\n",
		"yes: no\non: off\ny: n\n1: 0x1F\n010: 010\n1.5: 1e3\n~: null\n",
		"v:\n- 2001-12-14\n- 1_000\n- 0o17\n- 0b11\n- 0b-1\n- .5\n- 1.\n- +1\n- -.5e-7\n- 1e21\n- 123456789012345678901234567890\n- 18446744073709551615\n- 0.1\n- .\n- -\n- ''\n- \"\"\n- ~\n- Null\n- =\n- <<\n- 12:30:45\n- 0x\n- -0\n- -0.0\n",
		"a: 1__0\nb: 1_0.5\nc: 0x_\nd: +_1\ne: 1_\nf: -0b11\n", "a:\nb:\n  c:\n  - x:\n  -\nd: 1\n", "a: 1\na: 2\nb:\n  c: x\n  c: y\n", "a: {b: 1, b: 2}\na: 3\n", "a: [{b: {c: 1, c: 2}}]\nx: &x {d: 1, d: 2}\na: *x\n",
		"inf: .inf\n", "inf: 1\n.nan: 2\n", "k: [.nan]\n",
		"a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  b: 2\n  e: 3\n",
		"base: &b\n  x: 1\n  y: 2\nmore: &m {z: 3, x: 4}\nall:\n  x: 0\n  <<: [*b, *m]\n  y: 5\n",
		"a: 1\na: 2\nb:\n  c: 1\n  c: {d: 1}\n  c: 3\n",
		"1: a\n\"1\": b\n", "? a\n: b\n? [c]\n: d\n", "? a\n? b\n",
		"a: !!str 1\nb: !!binary aGVsbG8=\nc: !!int \"3\"\nd: !foo bar\n!!str 1: x\ne: !!float 1\n! f: ! 2\n",
		"a: !!binary \xff\n", "a: !!binary gIE=\n!!binary gIE=: 1\n",
		"--- # c\na: 1\n", "%YAML 1.1\n---\na: 1\n", "# only\n", "---\n", "", "\n\n", "null\n", "- a\n- b\n", "text\n", "--- |\n x\n",
		"{\"a\": [1, 2.0, true, null, \"\\u00e9\\/\"], \"b\": {}}\n", "{a: 1, b}\n", "[a, b: c]\n", "{a: {b: [}}\n",
		"a:\tb\n", "\ta: b\n", "a:\n\t- b\n", "a: \"x\ty\"\nb: |\n  x\ty\n", "a: |\n \tx\n", "a: 'x\t'\n", "a: x\ty\n", "a: x\t\n",
		"a: b: c\n", "a: b:\n", "a: 'b': c\n", "a:\n  b\n  c: d\n", "a: b\n  c: d\n", "foo\nbar: x\n", "a: 1\nfoo\nb: 2\n", "a: 1\n b: 2\n", "a:\n  b: 1\n c: 2\n", "- a\nb: c\n",
		"a: @x\n", "a: `x`\n", "a: %x\n", "%x: a\n", "a: ,\n", "a: ]\n", "a: - b\n", "a: -b\n", "a: ?b\n", "a: ? b\n", "a: :b\n", "a: : b\n", "?a: b\n", "-a: b\n", ":a: b\n", "a : b\n", "a b: c d\n", "a#b: c\n", "a #b: c\n",
		"a: #c\n  b: 1\n", "a: x#c\n", "a: x #c\n  y\n", "a: \"x\"#c\n", "a: \"x\" #c\n", "a: \"x\" y\n", "a: {} #c\n", "a: []x\n", "a: {}\nb: []\n- c\n", "a: [ ]\n",
		"a: |2\n   x\n  y\n", "a: |1-\n  x\n", "a: |+1\n  x\n", "a: |0\n x\n", "a: |- \n x\n", "a: | #c\n x\n", "a: |x\n x\n", "a: |", "a: |\n", "a: |\nb: c\n", "a: |\n   \n  x\n", "a: |\n  x\n c: d\n", "a: >\n\n\n  x\n  \n   y\n  z\n", "a: |\n  x", "a: |+\n  x", "a: >-\n  x\n\n", "- |\n x\n- y\n", "a:\n  |\n  x\n",
		"a: \"\\x41\\u00e9\\U0001F600\\e\\_\\N\\L\\P\\0\\a\\b\\f\\v\\/\"\n", "a: \"\\ud83d\\ude00\"\n", "a: \"\\q\"\n", "a: \"x\n---\n\"\n", "a: \"x \n  y\"\n", "a: \"x\\ \n  y\"\n", "a: 'x", "a: \"x", "'a\n  b': c\n", "\"a\\n\": c\n", "'a''b': c\n", "\"a\": b\n'c': d\n",
		"a: \u00e9\n\u00e9: b\n", "a: \u0085b\n", "a: x\u2028y\n", "a: \ufeffb\n", "\ufeffa: b\n", "a: \U0001F600\n", "a: \x80\n", "a: \xc3\n", "a: \x00\n", "a: \x07\n", "a: \x7f\n", "a: \ufffd\ufffe\n", "a\r\n: b\r\n", "a: b\r\nc:\r\n  - d\r\n  - |\r\n    x\r\n", "a: b\rc: d\r",
		"a: *b\n", "a: &a [*a]\n", "a: &a\n  b: *a\n", "&a a: b\n", "a: &x\nb: *x\n", "<<: {a: 1}\nb: 2\n", "<<: 1\n", "\"<<\": 1\n", "a:\n  <<: *b\n",
		"a: !!map {b: c}\n", "a: !!seq\n- b\n", "a: !!int x\n", "a: !!bool yes\n", "a: !!null ''\n", "a: !!timestamp 2001-01-01\n", "a: ! 1\n", "a: !<tag:yaml.org,2002:str> 1\n", "%TAG !e! tag:e,2000:\n---\na: !e!x y\n", "a: !e!x y\n",
		strings.Repeat("- ", 30) + "x\n", "a: " + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "\n", strings.Repeat("k", 1100) + ": 1\n", "a:\n" + strings.Repeat(" ", 1100) + "b: c\n",
		"a: x\n...\nb: y\n", "a: 1\n--- \nb: 2\n", "a:\n-\n-\nb:\n  -\n  - c\n", "a:\n- b\n- c: d\n  e:\n  - f\ng: h\n", "- - a\n  - b\n-\n  - c\n", "a:\n\n\n  b: c\n\n\n#x\n  # y\n  d: e\n",
		"a: x\n  - y\n", "a:\n  x\n  - y\n", "a: x\n  # c\n  y\n", "a: x\n# c\n  y: z\n", "a: one\n\n\n\n  two\n   three\nb: 1\n", "a: x   \n   \n  y   \nb: z\n",
	}
}

// readBoth reads a document with both readers. block is nil if the document is not in plain
// block style.
func readBoth(text string) (block, library *tree, rejected *rejection) {
	b := &treeBuilder{tree: tree{src: text}, left: maxNodes}
	ok, strayed := parseBlock(b, 0, len(text))
	if ok && b.rejected == nil {
		block = b.finish()
	}
	l := &treeBuilder{tree: tree{src: text}, left: maxNodes}
	parseLibrary(l, 0, len(text), strayed)
	if l.rejected != nil {
		return block, nil, l.rejected
	}
	return block, l.finish(), nil
}

// collides reports whether keys of different types have the same text: the API server uses
// any of them.
func collides(text string) bool {
	l := &treeBuilder{tree: tree{src: text}, left: maxNodes}
	parseLibrary(l, 0, len(text), 0)
	for _, n := range l.nodes {
		if n.kind == overriddenKey {
			return true
		}
	}
	return false
}

// checkYAML compares both readers with sigs.k8s.io/yaml and with each other.
func checkYAML(t *testing.T, text string) {
	t.Helper()
	for _, d := range splitDocuments(text, 0) {
		checkDocument(t, text[d.from:d.to])
	}
}

func checkDocument(t *testing.T, text string) {
	t.Helper()
	block, library, rejected := readBoth(text)
	if rejected != nil && rejected.kind == TooLarge {
		return
	}
	want, err := yaml.YAMLToJSON([]byte(text))
	if (err == nil) != (rejected == nil) {
		t.Fatalf("%q:\nwe say   %v\nsigs say %v", text, rejected, err)
	}
	if block != nil && err != nil {
		t.Fatalf("%q: read as plain blocks, but sigs say %v", text, err)
	}
	if err != nil {
		return
	}
	if bytes.Contains(want, []byte(`\ufffd`)) { // encoding/json escapes invalid bytes that it replaces
		want = bytes.ReplaceAll(want, []byte(`\ufffd`), []byte("\ufffd"))
	}
	if !collides(text) {
		if got := library.appendJSON(nil, 0, true); !bytes.Equal(got, want) {
			t.Fatalf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
	if block != nil {
		if got := block.appendJSON(nil, 0, true); !bytes.Equal(got, want) {
			t.Fatalf("%q: as plain blocks\ngot  %s\nwant %s", text, got, want)
		}
		if got, want := outline(block), outline(library); got != want {
			t.Fatalf("%q: as plain blocks\n%s\nwant\n%s", text, got, want)
		}
	}
}

// outline lists the nodes of a tree with their positions.
func outline(t *tree) string {
	var b strings.Builder
	var walk func(n int32, indent string)
	walk = func(n int32, indent string) {
		fmt.Fprintf(&b, "%s%d@%d %q\n", indent, t.nodes[n].kind, t.nodes[n].at, []byte(t.text(n)))
		t.eachElement(n, func(element int32) { walk(element, indent+"  ") })
		t.eachEntry(n, func(key int32) {
			walk(key, indent+"  ")
			walk(key+1, indent+"    ")
		})
	}
	walk(0, "")
	return b.String()
}

func TestYAMLAgreesWithServer(t *testing.T) {
	plain := 0
	for _, text := range yamlSeeds() {
		checkYAML(t, text)
		if block, _, _ := readBoth(text); block != nil {
			plain++
		}
	}
	t.Logf("%d of %d documents are in plain block style", plain, len(yamlSeeds()))
	if plain < 40 {
		t.Errorf("only %d documents are read as plain blocks", plain)
	}
}

// TestNumberKeys checks keys that are numbers of every notation and magnitude:
// sigs.k8s.io/yaml formats them with 32 bits.
func TestNumberKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 1))
	digits := func(atMost int, of string) string {
		text := make([]byte, 1+random.IntN(atMost))
		for i := range text {
			text[i] = of[random.IntN(len(of))]
		}
		return string(text)
	}
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for range 20000 {
		number := pick("", "-", "+")
		switch random.IntN(5) {
		case 0:
			number += pick("0x", "0X", "0o", "0b", "0") + digits(24, "01234567")
		case 1:
			number += digits(30, "0123456789_")
		case 2:
			number += pick(".inf", ".Inf", ".nan", ".NaN", "1e38", "3.4028236e38", "1e-46", "18446744073709551616")
		default:
			number += digits(3, "0123456789") + pick("", ".") + digits(12, "0123456789") + pick("e", "E", "e+", "e-") + digits(3, "0123456789")
		}
		checkYAML(t, number+": 1\n")
		checkYAML(t, "a: "+number+"\n")
	}
}

// FuzzYAML compares the values and positions of both readers, and the values with
// sigs.k8s.io/yaml.
func FuzzYAML(f *testing.F) {
	for _, text := range yamlSeeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer watch(text).Stop()
		checkYAML(t, text)
	})
}

// watch ends the process if an input takes too long.
func watch(text string) *time.Timer {
	return time.AfterFunc(10*time.Second, func() { panic(fmt.Sprintf("still busy with %q", text)) })
}

// TestLibraryPlaces checks that keys from aliases, merges and tags have the positions at
// which they are written.
func TestLibraryPlaces(t *testing.T) {
	const text = `base: &b {x: 1, w: 2}
more: &m
  z: 3
  x: 4
all:
  x: 0
  <<: [*b, *m]
  !!str 5: é
  "6": [*b, {a: *m}]
  yes: &s [1]
  0x10: 1.50
`
	_, library, rejected := readBoth(text)
	if rejected != nil {
		t.Fatal(rejected)
	}
	var got []string
	var walk func(n int32, path string)
	walk = func(n int32, path string) {
		library.eachEntry(n, func(key int32) {
			at := int(library.nodes[key].at)
			line := strings.Count(text[:at], "\n") + 1
			path := path + "." + library.text(key)
			got = append(got, fmt.Sprintf("%s@%d:%d", path, line, at-strings.LastIndex(text[:at], "\n")))
			walk(key+1, path)
		})
		library.eachElement(n, func(element int32) { walk(element, path+"[]") })
	}
	walk(library.below(0, "all"), "")
	if want := []string{
		".z@3:3", ".x@1:11", ".w@1:17", ".5@8:3", ".6@9:3", ".6[].x@1:11", ".6[].w@1:17",
		".6[].a@9:14", ".6[].a.z@3:3", ".6[].a.x@4:3", ".true@10:3", ".16@11:3",
	}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
