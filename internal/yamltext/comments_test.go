package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
)

// content returns what is in the documents of a text apart from comments. ok is false if the text
// is not valid.
func content(text string) (out string, ok bool) {
	var b bytes.Buffer
	var write func(n *yamlv3.Node)
	write = func(n *yamlv3.Node) {
		fmt.Fprintf(&b, "(%d %s %q %q", n.Kind, n.Tag, n.Anchor, n.Value)
		for _, c := range n.Content {
			write(c)
		}
		b.WriteString(")")
	}
	decoder := yamlv3.NewDecoder(strings.NewReader(text))
	for {
		var n yamlv3.Node
		err := decoder.Decode(&n)
		if errors.Is(err, io.EOF) {
			return b.String(), true
		}
		if err != nil {
			return "", false
		}
		write(&n)
	}
}

// yamlWriter writes random YAML in which every line has a # or more, in comments and elsewhere.
type yamlWriter struct {
	*rand.Rand
	strings.Builder
}

func (w *yamlWriter) oneOf(texts ...string) string { return texts[w.IntN(len(texts))] }

// word returns text that may be in a plain scalar.
func (w *yamlWriter) word() string {
	return w.oneOf("a", "a#q", "a 'b", `a "b`, "a|b", "x>y", "é", "a:b", "-a", "?a", "a - b", "a  b", "a\tb", "a'#q")
}

// remark returns a comment, or nothing.
func (w *yamlWriter) remark() string {
	return w.oneOf("", "", "", " #q", " # q 'a", ` #q "a`, "\t#q", " #q: |", "  # schemagen:ignore SG601 q")
}

// inString returns text that may be in quotes or in a block scalar.
func (w *yamlWriter) inString() string {
	return w.oneOf("#q", "a #q", "#q: |", "- #q", "a", "[ #q", "{ #q", "key: #q", "# schemagen:ignore-file SG601 q")
}

func (w *yamlWriter) lines(indent string) {
	for range w.IntN(3) {
		w.WriteString(w.oneOf("\n", indent+"#q\n", "#q\n", indent+"  # q 'a\n"))
	}
}

// node writes a value that begins on the current line, in a parent at an indentation.
func (w *yamlWriter) node(indent string, depth int) {
	inner := indent + w.oneOf(" ", "  ", "    ")
	switch w.IntN(10) {
	case 0:
		w.WriteString(" " + w.word() + w.remark() + "\n")
	case 1: // a plain scalar of several lines
		w.WriteString(" " + w.word() + "\n")
		for range w.IntN(3) {
			w.WriteString(w.oneOf("", "\n") + inner + w.oneOf(w.word(), w.word(), `"a`, `'a`, `"a #q`, "'a #q", "|", "> #q", "[a", "- b") + "\n")
		}
	case 2:
		w.WriteString(` "` + w.oneOf(w.inString(), `\" #q`, `\\`, w.inString()+"\n"+inner+w.inString(), w.inString()+"\\\n"+inner+"#q", "'#q") + `"` + w.remark() + "\n")
	case 3:
		w.WriteString(" '" + w.oneOf(w.inString(), "'' #q", `\`, w.inString()+"\n"+inner+w.inString(), `" #q`) + "'" + w.remark() + "\n")
	case 4, 5:
		explicit := ""
		if w.IntN(4) == 0 {
			explicit = fmt.Sprint(len(inner) - len(indent))
		}
		if w.IntN(6) == 0 {
			w.WriteString("\n" + inner)
		} else {
			w.WriteString(" " + w.oneOf("", "", "&x ", "!!str "))
		}
		w.WriteString(w.oneOf("|", ">") + explicit + w.oneOf("", "-", "+") + w.remark() + "\n")
		for range w.IntN(4) {
			w.WriteString(w.oneOf("\n", inner+w.inString()+"\n", inner+"  "+w.inString()+"\n"))
		}
	case 6:
		w.WriteString(" ")
		w.flow(inner, 2)
		w.WriteString(w.remark() + "\n")
	case 7:
		w.WriteString(w.remark() + "\n")
	default:
		if depth == 0 {
			w.WriteString(" a\n")
			return
		}
		w.WriteString(w.remark() + "\n")
		w.collection(inner, depth-1)
	}
}

// flow writes a value in brackets, braces or quotes.
func (w *yamlWriter) flow(indent string, depth int) {
	space := func() string { return w.oneOf("", " ", " #q\n"+indent, "\n"+indent) }
	switch n := w.IntN(5); {
	case n == 0:
		w.WriteString(`"` + w.inString() + `"`)
	case n == 1 || depth == 0:
		w.WriteString(w.oneOf("a", "a#q", "a b", "'#q'"))
	case n < 4:
		w.WriteString("[")
		for range w.IntN(3) {
			w.WriteString(space())
			w.flow(indent, depth-1)
			w.WriteString(space() + ",")
		}
		w.WriteString(space() + "]")
	default:
		w.WriteString("{")
		for i := range w.IntN(3) {
			fmt.Fprintf(w, "%s%s:%s", space(), w.oneOf(fmt.Sprintf(`"k%d"`, i), fmt.Sprintf("k%d", i), fmt.Sprintf("k%d#q", i)), w.oneOf(" ", " #q\n"+indent))
			w.flow(indent, depth-1)
			w.WriteString(",")
		}
		w.WriteString(space() + "}")
	}
}

// collection writes a list or an object.
func (w *yamlWriter) collection(indent string, depth int) {
	isList := w.IntN(3) == 0
	for i := range 1 + w.IntN(3) {
		w.lines(indent)
		w.WriteString(indent)
		switch {
		case isList && w.IntN(3) == 0:
			w.WriteString("- k: ")
			w.node(indent+"  ", depth)
		case isList:
			w.WriteString("-")
			w.node(indent, depth)
		default:
			w.WriteString(w.oneOf(fmt.Sprintf("k%d", i), fmt.Sprintf(`"k%d #q"`, i), fmt.Sprintf("'k%d #q'", i), fmt.Sprintf("k%d#q", i)) + ":")
			w.node(indent, depth)
		}
	}
}

// TestComments compares comments in random YAML with the library: a change in a comment changes
// nothing, and any other change does.
func TestComments(t *testing.T) {
	comments, others, invalid := 0, 0, 0
	for seed := range uint64(1500) {
		w := &yamlWriter{Rand: rand.New(rand.NewPCG(seed, 34))}
		for i := range 1 + w.IntN(2) {
			if i > 0 || w.IntN(4) == 0 {
				w.WriteString(w.oneOf("", "...\n") + "---" + w.remark() + "\n")
			}
			w.collection("", 3)
		}
		text := w.String()
		if w.IntN(5) == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		want, ok := content(text)
		if !ok {
			invalid++
			continue
		}
		found := Comments(text)
		for i := range text {
			if text[i] != 'q' || text[i-1] != '#' && text[i-1] != ' ' {
				continue
			}
			at := strings.LastIndexByte(text[:i], '#')
			got, ok := content(text[:i] + "z" + text[i+1:])
			isComment := ok && got == want
			if isComment {
				comments++
			} else {
				others++
			}
			line := 1 + strings.LastIndexByte(text[:i], '\n')
			inComment := slices.ContainsFunc(found, func(offset int) bool { return offset >= line && offset <= at })
			if inComment != isComment {
				t.Fatalf("seed %d, offset %d: got comment %t, want %t\n%s«%s", seed, i, inComment, isComment, text[:i], text[i:])
			}
		}
	}
	t.Logf("%d comments, %d other texts with #, %d invalid", comments, others, invalid)
	if comments < 5000 || others < 3000 || invalid > 500 {
		t.Errorf("only %d comments and %d other texts; %d invalid", comments, others, invalid)
	}
}

func FuzzComments(f *testing.F) {
	f.Add("a: |\n #b\n")
	f.Fuzz(func(t *testing.T, text string) {
		last := -1
		for _, at := range Comments(text) {
			if at <= last || text[at] != '#' {
				t.Fatalf("%q: a comment at %d after %d", text, at, last)
			}
			last = at
		}
	})
}
