package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/test/docexample"
	"github.com/schemagen/schemagen/web/playground"
)

// partOfPage matches the heading of a diagnostic, or an example in Go.
var partOfPage = regexp.MustCompile(`(?s)<h[1-6] id="?(?P<code>sg\d+)|<div class="highlight"><pre[^>]*><code class="language-go"[^>]*>(?P<go>.*?)</code></pre></div>`)

var tag = regexp.MustCompile(`<[^>]*>`)

// link adds links to the playground to the pages of a site: below each example that the playground shows as the page
// does, without findings, or with the one that a section is about. It returns the number of links.
func link(site string, archive []byte) (links int, err error) {
	p, err := playground.New(archive)
	if err != nil {
		return 0, err
	}
	pages, err := filepath.Glob(filepath.Join(site, "*.html"))
	if err != nil {
		return 0, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return 0, err
		}
		code := ""
		out := partOfPage.ReplaceAllStringFunc(string(text), func(part string) string {
			found := partOfPage.FindStringSubmatch(part)
			if found[1] != "" {
				code = strings.ToUpper(found[1])
				return part
			}
			fragment, runErr := example(p, html.UnescapeString(tag.ReplaceAllString(found[2], "")), code)
			if fragment == "" || runErr != nil {
				err = runErr
				return part
			}
			links++
			return part + fmt.Sprintf("\n"+`<p class="open"><a href="playground.html#s=%s">Open in the playground</a></p>`, fragment)
		})
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(page, []byte(out), 0o666); err != nil {
			return 0, err
		}
	}
	return links, nil
}

// example returns the fragment of a link for an example, or "" if the playground does not show it as the page does.
func example(p *playground.Playground, source, code string) (string, error) {
	var state playground.State
	if !strings.Contains(source, "json:") {
		return "", nil // no types
	}
	for _, f := range docexample.Package(source) {
		state.Files = append(state.Files, playground.File{Name: f.Name, Text: string(f.Data)})
	}
	result, err := p.Run(context.Background(), state)
	if err != nil {
		return "", nil // it is not a package
	}
	var findings struct {
		Diagnostics []struct{ Code, Severity string }
	}
	if err := json.Unmarshal(result.Findings, &findings); err != nil {
		return "", err
	}
	hasCode, isClean := false, len(result.CRDs) > 0
	for _, d := range findings.Diagnostics {
		hasCode = hasCode || d.Code == code
		isClean = isClean && !slices.Contains([]string{"error", "warning"}, d.Severity)
	}
	if !hasCode && !isClean {
		return "", nil
	}
	text, err := json.Marshal(state)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	err = w.Close()
	return base64.RawURLEncoding.EncodeToString(packed.Bytes()), err
}
