package gotext

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestAppend lays out what is not in the random code.
func TestAppend(t *testing.T) {
	for name, test := range map[string][2]string{
		"empty":            {"", ""},
		"only blanks":      {" \n\t\n", ""},
		"no last newline":  {"\n\nvar x = 1", "var x = 1\n"},
		"empty lines":      {"var x = 1\n\n \n\t\nvar y = 2\n\n\n", "var x = 1\n\nvar y = 2\n"},
		"wrong blanks":     {"func f() {  \n\t\t\tf()\t\n  }\r\n", "func f() {\n\tf()\n}\n"},
		"a raw string":     {"func f() {\nx(`{\n   (\n`)\ng()\n}\n", "func f() {\n\tx(`{\n   (\n`)\n\tg()\n}\n"},
		"an open string":   {"\"\\", "\"\\\n"},
		"an open rune":     {"x('\ny(\nz", "x('\ny(\n\tz\n"},
		"an open comment":  {"f() // (", "f() // (\n"},
		"closed too often": {"}\n)\nx", "}\n)\nx\n"},
		"appended":         {"x\n", "x\n"},
	} {
		if got := string(Append(nil, test[0])); got != test[1] {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
	if got := string(Append([]byte("before {\n"), "x {\n\n", "\ny", "z\n")); got != "before {\nx {\n\ny\n\nz\n" {
		t.Errorf("what is there is changed: %q", got)
	}
}

// TestRandom compares the layout of random code with gofmt's.
func TestRandom(t *testing.T) {
	for seed := range uint64(3000) {
		compare(t, seed)
	}
}

func FuzzAppend(f *testing.F) {
	f.Add(uint64(1), "func f() {\n\tg(`{`, func() int { return 1 }) // (\n}\n\n\nvar x = map[string]int{\n\t\"a\": 'b',\n}\n")
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		compare(t, seed)
		once := Append(nil, text)
		if formatted, err := format.Source([]byte("package p\n\n" + text)); err == nil && len(once) > 0 {
			again, err := format.Source(append([]byte("package p\n\n"), once...))
			if err != nil || string(again) != string(formatted) && !strings.Contains(text, "/*") {
				t.Errorf("the layout changes the code\n%s\nto\n%s\n%v", text, once, err)
			}
		}
	})
}

func compare(t *testing.T, seed uint64) {
	t.Helper()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	code := g.file()
	want, err := format.Source([]byte("package p\n\n" + code))
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, code)
	}
	if got := string(Append([]byte("package p\n\n"), code)); got != string(want) {
		t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
	}
}

// generator writes random code without indentation, as callers of the package do.
type generator struct{ *rand.Rand }

// some joins one to n texts.
func (g generator) some(n int, separator string, text func() string) string {
	var out []string
	for range 1 + g.IntN(n) {
		out = append(out, text())
	}
	return strings.Join(out, separator)
}

func (g generator) pick(texts ...func() string) string { return texts[g.IntN(len(texts))]() }

func (g generator) file() string {
	return g.some(4, "\n\n", func() string {
		return g.pick(
			func() string {
				return "// A comment { with ( brackets.\n" + Function(g.header("func f"+g.name()), g.block(3))
			},
			func() string {
				return "// A comment.\n//\n//\t.a → .b   equal  kept\n" + Function(g.header("func "+g.name()), g.expr(2))
			},
			func() string { return "// A variable.\nvar " + g.name() + " = " + g.literal(3) },
			func() string { return "func (*" + g.name() + ") Hub() {}\n" },
		)
	}) + strings.Repeat("\n", 1+g.IntN(3))
}

func (g generator) name() string {
	return string(rune('A'+g.IntN(26))) + strings.Repeat(string(rune('a'+g.IntN(26))), g.IntN(1+g.IntN(30)))
}

func (g generator) header(begin string) string {
	return begin + "(" + g.some(2, ", ", func() string { return g.name() + " *" + g.name() }) + ") " + g.name()
}

func (g generator) block(depth int) string {
	return g.some(4, "\n", func() string { return g.statement(depth) })
}

func (g generator) statement(depth int) string {
	if depth == 0 {
		return g.name() + " = " + g.expr(0)
	}
	return g.pick(
		func() string { return g.name() + " = " + g.expr(depth) },
		func() string { return g.name() + ", " + g.name() + " := " + g.call(depth) },
		func() string { return "return " + g.expr(depth) },
		func() string { return "return " + g.some(4, " &&\n", g.condition) },
		func() string { return "if " + g.condition() + " {\n" + g.block(depth-1) + "\n}" },
		func() string {
			return "if x := " + g.call(depth-1) + "; " + g.condition() + " {\n" + g.block(depth-1) + "\n} else if " + g.condition() + " {\n" + g.block(depth-1) + "\n} else {\n" + g.block(depth-1) + "\n}"
		},
		func() string {
			return "switch " + g.name() + " {\n" + g.some(3, "\n", func() string { return "case " + g.simple() + ":\n" + g.block(depth-1) }) + "\ndefault:\n" + g.block(depth-1) + "\n}"
		},
		func() string { return "switch {\ncase " + g.condition() + ":\n" + g.block(depth-1) + "\n}" },
		func() string { return "for " + g.name() + " := range " + g.name() + " {\n" + g.block(depth-1) + "\n}" },
		func() string {
			return "// A comment ( with { brackets.\n" + g.statement(depth-1) + "\n\n" + g.statement(depth-1)
		},
		func() string { return "var " + g.name() + " " + g.name() },
		func() string { return "const " + g.name() + " = " + g.simple() },
	)
}

func (g generator) condition() string {
	return g.pick(
		func() string { return g.name() + " == " + g.simple() },
		func() string { return "!" + g.name() + "(" + g.simple() + ", " + g.name() + ")" },
		func() string { return "!(" + g.name() + " && " + g.name() + ")" },
	)
}

func (g generator) simple() string {
	return g.pick(g.name, func() string { return strconv.Itoa(g.IntN(100)) }, func() string {
		return []string{`"{"`, `"a\"("`, "`}`", "'{'", `'\''`, "`a // b`", `"// ("`, "`\\`"}[g.IntN(8)]
	})
}

func (g generator) expr(depth int) string {
	if depth == 0 {
		return g.simple()
	}
	return g.pick(g.simple, func() string { return g.call(depth) }, func() string { return g.literal(depth) }, func() string { return g.function(depth) })
}

func (g generator) call(depth int) string {
	if depth == 0 {
		return g.name() + "()"
	}
	return g.name() + "(" + g.some(4, ", ", func() string { return g.expr(depth - 1) }) + ")"
}

func (g generator) function(depth int) string {
	return g.pick(
		func() string { return Function(g.header("func"), g.block(depth-1)) },
		func() string { return Function(g.header("func"), "return "+g.expr(depth-1)) },
		func() string { return Function(g.header("func"), "return "+g.expr(depth-1)) + "()" },
	)
}

func (g generator) literal(depth int) string {
	if depth == 0 {
		return "T{}"
	}
	value := func() string { return g.expr(depth - 1) }
	return g.pick(
		func() string { return "T{" + g.some(3, ", ", func() string { return g.name() + ": " + value() }) + "}" },
		func() string { return "[]T{" + g.some(3, ", ", value) + "}" },
		func() string {
			var pairs []Pair
			for range 1 + g.IntN(6) {
				key := strings.Repeat("k", 1+g.IntN(8)*g.IntN(12))
				if g.IntN(2) == 0 {
					key = strconv.Quote(key + "é")
				}
				pairs = append(pairs, Pair{key, value()})
			}
			return "map[string]*T{\n" + Pairs(pairs) + "}"
		},
	)
}

// TestFunction compares functions around the longest of one line with gofmt's.
func TestFunction(t *testing.T) {
	for n := range 120 {
		for _, text := range []string{
			Function("func "+strings.Repeat("f", n+1)+"()", ""),
			Function("func f("+strings.Repeat("a", n+1)+" int) string", "return x"),
			"var x = " + Function("func() "+strings.Repeat("é", n+1), "return "+Function("func()", "f()")),
		} {
			want, err := format.Source([]byte("package p\n\n" + text + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(Append([]byte("package p\n\n"), text)); got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	var code strings.Builder
	for seed := range uint64(300) {
		fmt.Fprintln(&code, generator{rand.New(rand.NewPCG(seed, 0))}.file())
	}
	b.SetBytes(int64(code.Len()))
	for b.Loop() {
		Append(nil, code.String())
	}
}
