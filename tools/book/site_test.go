package book

import (
	"encoding/json"
	"flag"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var site = flag.String("site", "../../bin/book", "the folder with the site")

// repository has the files that links to GitHub lead to.
const repository = "https://github.com/schemagen/schemagen/blob/main/"

// TestLinks checks that all links, pictures and scripts of the site have a target, anchors
// included, that links to the repository lead to files of it, and that only links lead to other sites.
func TestLinks(t *testing.T) {
	pages := readPages(t)
	links := 0
	for name, p := range pages {
		for _, r := range p.references {
			u, err := url.Parse(r.url)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if u.IsAbs() {
				if r.element != "a" || u.Scheme != "https" {
					t.Errorf("%s: %s loads %s", name, r.element, r.url)
				}
				if file, ok := strings.CutPrefix(r.url, repository); ok {
					file, _, _ = strings.Cut(file, "#")
					if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
						t.Errorf("%s: %s is no file of the repository: %v", name, r.url, err)
					}
				}
				continue
			}
			if path.IsAbs(u.Path) {
				t.Errorf("%s: %s has no target on disk", name, r.url)
			}
			links++
			target := name
			if u.Path != "" {
				target = path.Join(path.Dir(name), u.Path)
			}
			if _, err := os.Stat(filepath.Join(*site, target)); err != nil {
				t.Errorf("%s: %s has no target: %v", name, r.url, err)
			}
			if strings.HasPrefix(u.Fragment, "s=") && target == "playground.html" {
				continue // a state, see playground.js
			}
			if u.Fragment != "" && !pages[target].ids[u.Fragment] {
				t.Errorf("%s: %s has no such anchor", name, r.url)
			}
		}
	}
	if links < 1000 {
		t.Errorf("got only %d links", links)
	}
}

// TestPages checks that each file of docs/ is a page with a title, listed in the contents, and
// that pages for contributors are not.
func TestPages(t *testing.T) {
	pages := readPages(t)
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.ToLower(strings.TrimSuffix(filepath.Base(file), ".md")) + ".html"
		if name == "readme.html" {
			name = "contents.html"
		}
		if name == "architecture.html" || name == "contributing.html" {
			if _, ok := pages[name]; ok {
				t.Errorf("%s is for contributors", name)
			}
			continue
		}
		if pages[name].headings != 1 {
			t.Errorf("%s has %d titles", name, pages[name].headings)
		}
		listed := false
		for _, r := range pages["contents.html"].references {
			listed = listed || r.url == "./"+name
		}
		if !listed && name != "contents.html" {
			t.Errorf("%s is not in the contents", name)
		}
	}
}

// TestSearchIndex checks that the index has each page and each of its sections, and that the
// anchors in it exist.
func TestSearchIndex(t *testing.T) {
	pages := readPages(t)
	text, err := os.ReadFile(filepath.Join(*site, "search-index.js"))
	if err != nil {
		t.Fatal(err)
	}
	var sections []struct{ Page, Anchor, Chapter, Heading, Text string }
	index := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(text)), "window.searchIndex = "), ";")
	if err := json.Unmarshal([]byte(index), &sections); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, s := range sections {
		found[s.Page] = true
		if s.Chapter == "" || s.Anchor != "" && (s.Heading == "" || !pages[s.Page].ids[s.Anchor]) {
			t.Errorf("the index has a section %+v", s)
		}
		if option := regexp.MustCompile(`(^|\s)–[a-z-]+`).FindString(s.Text); option != "" {
			t.Errorf("%s#%s: two hyphens became a dash: %s", s.Page, s.Anchor, option)
		}
	}
	for name := range pages {
		if !found[name] && name != "index.html" && name != "404.html" {
			t.Errorf("the index does not have %s", name)
		}
	}
	if len(sections) < 300 {
		t.Errorf("got only %d sections", len(sections))
	}
}

// page is what a page of the site refers to and can be referred to by.
type page struct {
	ids        map[string]bool
	headings   int // of the first level
	references []reference
}

type reference struct{ element, url string }

// readPages reads the pages of the site by their names.
func readPages(t *testing.T) map[string]page {
	t.Helper()
	out := map[string]page{}
	err := fs.WalkDir(os.DirFS(*site), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		file, err := os.Open(filepath.Join(*site, name))
		if err != nil {
			return err
		}
		defer file.Close()
		root, err := html.Parse(file)
		if err != nil {
			return err
		}
		p := page{ids: map[string]bool{}}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Data == "h1" {
				p.headings++
			}
			for _, a := range n.Attr {
				switch a.Key {
				case "id":
					if p.ids[a.Val] {
						t.Errorf("%s has two elements %q", name, a.Val)
					}
					p.ids[a.Val] = true
				case "href", "src", "data-index":
					p.references = append(p.references, reference{n.Data, a.Val})
				case "srcset":
					p.references = append(p.references, reference{n.Data, strings.Fields(a.Val)[0]})
				}
			}
		}
		out[name] = p
		return nil
	})
	if err != nil {
		t.Fatalf("%v: make book writes the site", err)
	}
	return out
}
