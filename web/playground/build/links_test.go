package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/web/playground/sources"
)

// TestLink checks which examples get a link.
func TestLink(t *testing.T) {
	archive, err := sources.Archive()
	if err != nil {
		t.Fatal(err)
	}
	block := func(code string) string {
		return `<div class="highlight"><pre tabindex="0" class="chroma"><code class="language-go" data-lang="go"><span>` + code + `</span></code></pre></div>`
	}
	text := strings.Join([]string{
		`<h2 id="fields">`, block("Size int32 `json:&#34;size&#34;`\n"), block("Size float64 `json:&#34;size&#34;`\n"), block("func main() {}\n"), block("if x {"),
		`<h2 id="sg203--a-floating-point-field">`, block("Size float64 `json:&#34;size&#34;`\n"), block("Size map[int]int `json:&#34;size&#34;`\n"),
	}, "\n<!-- part -->\n")
	site := t.TempDir()
	page := filepath.Join(site, "a.html")
	if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	links, err := link(site, archive)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for part := range strings.SplitSeq(string(out), "<!-- part -->") {
		if strings.Contains(part, `<a href="playground.html#s=`) {
			got += "1"
		} else {
			got += "0"
		}
	}
	if want := "01000010"; got != want || links != 2 {
		t.Errorf("got links %s (%d), want %s:\n%s", got, links, want, out)
	}
}
