package terminal

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

func withoutStyles(text string) string {
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(text, "")
}

// TestExtent has the source that is underlined for a position, which is that of the mark.
func TestExtent(t *testing.T) {
	for _, test := range []struct{ file, line, want string }{
		{"a.go", "\t// ‸+kubebuilder:validation:Pattern=`a b`,x=\"c \\\" d\" text", "+kubebuilder:validation:Pattern=`a b`,x=\"c \\\" d\""},
		{"a.go", "\t// +kubebuilder:validation:MaxLength=‸three", "three"},
		{"a.go", "\t// +kubebuilder:rbac:groups=‸apps.example.com;batch,verbs=get", "apps.example.com"},
		{"a.go", "\tName ‸string `json:\"name\"`", "string"},
		{"a.go", "\tName ‸*[]map[string]v1.Kind `json:\"name\"`", "*[]map[string]v1.Kind"},
		{"a.go", "\tName ‸Set[string] `json:\"name\"`", "Set[string]"},
		{"a.go", "\tName map[int]‸metav1.Duration", "metav1.Duration"},
		{"a.go", "\tName string ‸`json:\"name, x\"`", "`json:\"name, x\"`"},
		{"a.go", "\t‸名前 string", "名前"},
		{"a.go", "\t// +x:rule=\"self ‸== 3\"", "=="},
		{"a.go", "\t// +x:rule=\"self ‸+ 3\"", "+"},
		{"a.go", "import ‸\"fmt\"", "\"fmt\""},
		{"a.go", "func f‸(", "("},
		{"a.go", "\t// ‸\"unfinished", "\""},
		{"a.yaml", "  ‸replicas: 3", "replicas"},
		{"a.yaml", "  ‸\"a b\": 3", "\"a b\""},
		{"a.yaml", "  replicas: ‸3 # three", "3"},
		{"a.yaml", "  - ‸some text, and more", "some text"},
		{"a.yaml", "  a: {b: ‸c d, e: f}", "c d"},
		{"a.yaml", "  ‸https://example.com: x", "https://example.com"},
		{"a.yaml", "  a: ‸'it''s' x", "'it''s'"},
		{"a.yaml", "  a: ‸[]", "["},
	} {
		start := strings.Index(test.line, "‸")
		line := strings.Replace(test.line, "‸", "", 1)
		if end := Extent(test.file, line, start); line[start:end] != test.want {
			t.Errorf("%s: got %q, want %q", test.line, line[start:end], test.want)
		}
	}
}

// TestExcerpts cuts random lines, and wants each excerpt to fit, and to have what is
// underlined above its underline.
func TestExcerpts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"a", "日", "e\u0301", "👩‍👩‍👧", "\t", "\x1b[31m", "\u202e", "\xff", " ", "\u200b", "\r", "xyz", "\u0301", "🇩🇪"}
	for range 5_000 {
		var b strings.Builder
		var starts []int
		for range random.IntN(60) {
			starts = append(starts, b.Len())
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		line := b.String()
		starts = append(starts, len(line))
		start, end := starts[random.IntN(len(starts))], starts[random.IntN(len(starts))]
		start, end = min(start, end), max(start, end)
		width := 20 + random.IntN(80)
		e := newExcerpt(line, start, end, width)
		blanks, carets := e.underline()
		if widthOf(e.text) > width || len(blanks)+len(carets) > width+1 || carets == "" || screen.Line(e.text) != e.text {
			t.Fatalf("%q from %d to %d: got %q with %d columns of %d, and %d+%d below", line, start, end, e.text, widthOf(e.text), width, len(blanks), len(carets))
		}
		if strings.Contains(e.text, cut) || start == end {
			continue
		}
		above, at := "", 0
		for _, c := range cellsOf(e.text) {
			if at >= e.from && at < e.to {
				above += c.text
			}
			at += c.width
		}
		want := ""
		for _, c := range cellsOf(line) {
			if c.at >= start && c.at < end {
				want += c.text
			}
		}
		// An accent without a letter joins what is before it.
		above, want = strings.ReplaceAll(above, "\u0301", ""), strings.ReplaceAll(want, "\u0301", "")
		if !strings.Contains(above, strings.TrimSpace(want)) {
			t.Fatalf("%q from %d to %d: %q is underlined in %q, want %q", line, start, end, above, e.text, want)
		}
	}
}

// TestLongLine wants the part around the underlined one, wherever that is.
func TestLongLine(t *testing.T) {
	line := strings.Repeat("日本x ", 20_000) + "HERE" + strings.Repeat(" y", 40_000)
	start := strings.Index(line, "HERE")
	e := newExcerpt(line, start, start+4, 60)
	blanks, carets := e.underline()
	if carets != "^^^^" || !strings.HasPrefix(e.text, cut) || !strings.HasSuffix(e.text, cut) || widthOf(e.text) > 60 {
		t.Errorf("got %q with %q", e.text, carets)
	}
	at := 0
	for _, c := range cellsOf(e.text) {
		if c.text == "H" && at != len(blanks) {
			t.Errorf("got %q\n    %q", e.text, blanks+carets)
		}
		at += c.width
	}
	e = newExcerpt(line, 0, len(line), 60)
	if _, carets := e.underline(); widthOf(e.text) > 60 || len(carets) < 50 || len(carets) > 60 {
		t.Errorf("got %q with %q", e.text, carets)
	}
}

func TestSources(t *testing.T) {
	s := &Sources{Dir: "/work"}
	check := func(name string, number int, want string, known bool) {
		t.Helper()
		if got, ok := s.line(name, number); got != want || ok != known {
			t.Errorf("%s:%d: got %q, %v, want %q, %v", name, number, got, ok, want, known)
		}
	}
	s.Keep("a", 0, []byte("1\n2\r\n3"))
	check("a", 3, "3", true)
	check("/work/a", 2, "2", true)
	check("a", 1, "1", true)
	check("a", 4, "", false)
	check("a", 0, "", false)
	s.Keep("/work/a", 0, []byte("new"))
	check("./a", 1, "new", true)
	s.Keep("-", 0, []byte("1\n2\n"))
	s.Keep("-", 2, []byte("3\n4\n"))
	check("-", 4, "4", true)
	check("-", 2, "2", true)
	check("-", 3, "3", true)
	s.Keep("large", 0, make([]byte, maxKept))
	check("large", 1, "", false)
	check("gone", 1, "", false)
	asked := 0
	s.Again = func(name string) ([]byte, bool) {
		asked++
		return []byte("again " + name), name == "/work/b"
	}
	for range 2 {
		check("b", 1, "again /work/b", true)
		check("c", 1, "", false)
	}
	check("a", 1, "new", true)
	if asked != 2 {
		t.Errorf("read %d times", asked)
	}
	(*Sources)(nil).Keep("a", 0, nil)
	if _, ok := (*Sources)(nil).line("a", 1); ok {
		t.Error("no sources have a line")
	}
}
