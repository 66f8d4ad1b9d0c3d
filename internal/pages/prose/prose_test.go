package prose

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// show writes a tree in a short form.
func show(blocks []Block) string {
	var b strings.Builder
	var spans func([]Span)
	spans = func(list []Span) {
		for _, s := range list {
			if s.Kind != "" {
				fmt.Fprintf(&b, "{%s:", s.Kind)
			}
			if s.URL != "" {
				b.WriteString(s.URL + " ")
			}
			b.WriteString(s.Text)
			spans(s.Spans)
			if s.Kind != "" {
				b.WriteString("}")
			}
		}
	}
	for _, block := range blocks {
		fmt.Fprintf(&b, "[%s ", block.Kind)
		if block.Start > 0 {
			fmt.Fprintf(&b, "%d ", block.Start)
		}
		b.WriteString(block.Code)
		spans(block.Spans)
		b.WriteString(show(block.Blocks) + "]")
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ description, want string }{
		{"", ""},
		{"One line.", "[p One line.]"},
		{"Two lines\nare one.\n\nA paragraph.", "[p Two lines are one.][p A paragraph.]"},
		{"One of:\n- a\n- `b`", "[p One of:][ul [li [p a]][li [p {code:b}]]]"},
		{"One of:\n\n  - a\n    b\n\n  - c", "[p One of:][ul [li [p a b]][li [p c]]]"},
		{"1. a\n2. b", "[ol 1 [li [p a]][li [p b]]]"},
		{"See:\n\n\ta: 1\n\tb: <x>\n\nEnd", "[p See:][code a: 1\nb: <x>][p End]"},
		{"```yaml\na: 1\n```", "[code a: 1]"},
		{"```\nno end", "[code no end]"},
		{"# Title\ntext", "[h Title][p text]"},
		{"Deprecated.\n---\nmore", "[p Deprecated.][hr ][p more]"},
		{"> quoted", "[quote [p quoted]]"},
		{"*a* **b** a_b_c __init", "[p {em:a} {strong:b} a_b_c __init]"},
		{"More info: https://example.com/a_b(c), or (http://x.io/d).", "[p More info: {a:https://example.com/a_b(c) https://example.com/a_b(c)}, or ({a:http://x.io/d http://x.io/d}).]"},
		{"[docs](https://example.com/x?a=1&amp;b=2)", "[p {a:https://example.com/x?a=1&b=2 docs}]"},
		{"[docs]\n\n[docs]: https://example.com", "[p {a:https://example.com docs}]"},
		{"[https://a.io](https://b.io)", "[p {a:https://b.io https://a.io}]"},
		{"<https://example.com> <me@example.com>", "[p {a:https://example.com https://example.com} {a:mailto:me@example.com me@example.com}]"},
		{"[x](javascript:alert(1)) [y](../z.md) [](data:text/html,x)", "[p x (javascript:alert(1)) y (../z.md)  (data:text/html,x)]"},
		{"<javascript:alert> <group:name> <name>", "[p <javascript:alert> <group:name> <name>]"},
		{"![logo](https://example.com/a.png) ![](x.png)", "[p {a:https://example.com/a.png logo}  (x.png)]"},
		{"<script>alert(1)</script> <b>x</b> <!-- y -->", "[p <script>alert(1)</script> <b>x</b> <!-- y -->]"},
		{"<div>\n*a*\n</div>", "[p <div> {em:a} </div>]"},
		{"&lt;b&gt; \\*a\\* &unknown; & a\\b", "[p <b> *a* &unknown; & a\\b]"},
		{"a `<b>\nc` d", "[p a {code:<b> c} d]"},
		{"broken *a `b [c](d **e", "[p broken *a `b [c](d **e]"},
		{"a  \nb", "[p a{br:}b]"},
		{"httpFoo xhttp://a.io http:// https://", "[p httpFoo xhttp://a.io http:// https://]"},
	} {
		if got := show(new(Parser).Parse(test.description)); got != test.want {
			t.Errorf("%q:\ngot  %s\nwant %s", test.description, got, test.want)
		}
	}
}

// texts returns all texts of a tree.
func texts(blocks []Block) string {
	data, _ := json.Marshal(blocks)
	var out strings.Builder
	for _, m := range regexp.MustCompile(`"(?:text|code|url)":("(?:[^"\\]|\\.)*")`).FindAllSubmatch(data, -1) {
		var s string
		_ = json.Unmarshal(m[1], &s)
		out.WriteString(s + " ")
	}
	return out.String()
}

// TestNothingIsLost parses the descriptions of Pods, in which all words must be kept, in
// their order, and in few of which something is markup that was not meant.
func TestNothingIsLost(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z0-9]+`)
	number := regexp.MustCompile(`(?m)^\s*\d+\.`) // of a list
	p := &Parser{}
	docs := 0
	for _, of := range []map[string]string{
		corev1.PodSpec{}.SwaggerDoc(), corev1.Container{}.SwaggerDoc(), corev1.Probe{}.SwaggerDoc(), corev1.ServiceSpec{}.SwaggerDoc(),
		corev1.NodeStatus{}.SwaggerDoc(), corev1.ResourceQuotaSpec{}.SwaggerDoc(), corev1.PodAffinityTerm{}.SwaggerDoc(), corev1.SecurityContext{}.SwaggerDoc(),
		corev1.PodSecurityContext{}.SwaggerDoc(), corev1.TopologySpreadConstraint{}.SwaggerDoc(), corev1.Volume{}.SwaggerDoc(), corev1.PersistentVolumeClaimSpec{}.SwaggerDoc(),
	} {
		for name, doc := range of {
			docs++
			got := strings.Join(word.FindAllString(texts(p.Parse(doc)), -1), " ")
			at := 0
			for _, w := range word.FindAllString(number.ReplaceAllString(doc, ""), -1) {
				i := strings.Index(got[at:], w)
				if i < 0 {
					t.Errorf("%s: %s is lost from\n%s\ngot %s", name, w, doc, show(p.Parse(doc)))
					break
				}
				at += i + len(w)
			}
		}
	}
	if docs < 100 {
		t.Errorf("only %d descriptions", docs)
	}
}

// TestOnlySafeLinks generates texts from pieces of Markdown and HTML, and checks the URLs
// of all links.
func TestOnlySafeLinks(t *testing.T) {
	pieces := []string{"[", "]", "(", ")", "<", ">", "javascript:alert(1)", "http://a.io", "https:", "data:text/html,x", "mailto:", "a@b.io", "!", "\\", "&#106;", "&colon;", "\n", "\t", " ", "`", "*", "[x]: ", "- ", "vbscript:x", "JaVaScRiPt:x", "\x00", "\x01"}
	random := rand.New(rand.NewPCG(1, 2))
	p := &Parser{}
	links := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		data, err := json.Marshal(p.Parse(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"url":"([^"]*)"`).FindAllStringSubmatch(string(data), -1) {
			links++
			if !regexp.MustCompile(`^(https?://[^/]|mailto:.)`).MatchString(m[1]) {
				t.Errorf("%q has a link to %s", b.String(), m[1])
			}
		}
	}
	if links < 1000 {
		t.Errorf("only %d links", links)
	}
}

// TestLongTexts parses texts of up to 100 kB that are slow to parse, or deeply nested.
func TestLongTexts(t *testing.T) {
	for _, piece := range []string{"a", "[", "]", "*", "**a", "_a_ ", "`", "> ", "- ", "[a](", "![", "<", "<a", "&", "\\", "http://", "1. ", "\t", "*a _b ", "[a]: b\n", "~~~\n", "# ", "((((http://a.io"} {
		for _, size := range []int{10_000, maxParsed, 100_000} {
			began := time.Now()
			blocks := new(Parser).Parse(strings.Repeat(piece, size/len(piece)))
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("%d bytes of %q take %s", size, piece, took)
			} else if took > 100*time.Millisecond {
				t.Logf("%d bytes of %q take %s", size, piece, took)
			}
			if _, err := json.Marshal(blocks); err != nil {
				t.Error(err)
			}
		}
	}
}
