package web

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bookSite makes the site of the book and returns its folder.
func bookSite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := command(filepath.Join(root, "tools", "book"), "go", "tool", "hugo", "--noBuildLock", "--quiet", "--destination", dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestBookFits checks that no chapter is wider than the screen, that colors follow the system,
// and that the browser has nothing to complain about.
func TestBookFits(t *testing.T) {
	b := startBrowser(t)
	dir := bookSite(t)
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		if filepath.Base(page) == "playground.html" {
			continue // it has more files, see TestPlayground
		}
		b.visit("file://" + page)
		for _, width := range []int{320, 390, 768, 1280} {
			b.screen(width, 800, "light")
			if wide := script[int](b, "return document.documentElement.scrollWidth"); wide > width {
				t.Errorf("%s: got a width of %d pixels on a screen of %d", filepath.Base(page), wide, width)
			}
		}
		if broken := script[[]string](b, "return [...document.images].filter((i) => i.complete && !i.naturalWidth).map((i) => i.src)"); len(broken) > 0 {
			t.Errorf("%s: pictures without a file: %q", filepath.Base(page), broken)
		}
	}
	colors := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.screen(390, 800, scheme)
		colors[script[string](b, "return getComputedStyle(document.body).backgroundColor")] = true
	}
	if len(colors) != 2 {
		t.Errorf("got colors %v for light and dark", colors)
	}
	if script[bool](b, "return document.querySelector('.chapters details').open") {
		t.Error("the list of chapters is open on a small screen")
	}
	for _, entry := range b.log("browser") {
		t.Errorf("browser log: %s", entry)
	}
}

// search types words into the search of the book. Each step is waited for: on a loaded machine
// a key that comes before the page listens is lost.
func (b *browser) search(words string) {
	b.t.Helper()
	const focused = "return document.activeElement?.id === 'search-input'"
	for end := time.Now().Add(waitFor); !script[bool](b, focused) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		b.press("/")
	}
	b.until(focused)
	b.until("return !!window.searchIndex")
	b.typed(words)
	b.until("return document.getElementById('search-input').value === arguments[0]", words)
}

// TestBookSearch searches with the keyboard, from disk.
func TestBookSearch(t *testing.T) {
	b := startBrowser(t)
	b.visit("file://" + filepath.Join(bookSite(t), "index.html"))
	b.search("test suites")
	b.until("return document.querySelectorAll('#search-results a').length > 1")
	if first := script[string](b, "return document.querySelector('#search-results strong').textContent"); first != "Trying objects › Test suites" {
		t.Errorf("got %q first", first)
	}
	b.press(keyDown, keyEnter)
	b.until("return location.href.endsWith('/try.html#test-suites')")
	for text, want := range map[string]string{"SG303": "SG303", "kubebuilder default": "default", "zzzz": "Nothing found."} {
		script[any](b, "const i = document.getElementById('search-input'); i.focus(); i.value = arguments[0]; i.dispatchEvent(new Event('input'))", text)
		b.until("return (document.querySelector('#search-results li')?.textContent ?? '').includes(arguments[0])", want)
	}
	for question, want := range map[string]string{
		"how to add a union":                        "unions.html",
		"what SG716 means":                          "diagnostics.html#sg716",
		"how to run in CI":                          "ci.html",
		"how to replace controller-gen in a script": "migration.html",
		"why an object was refused":                 "try.html#why-an-object-is-refused",
		"how to ignore one finding":                 "verify.html#ignore-findings",
		"how to get JSON Schema for an editor":      "editor.html",
		"what is sent when a field is zero":         "verify.html#zero-values-that-go-clients-send",
		"undefined field":                           "diagnostics.html#sg601--undefined-field",
		"no such key":                               "diagnostics.html#sg62",
		"found float64, whose precision varies":     "diagnostics.html#sg203",
		"cannot find package":                       "diagnostics.html#sg103",
		"unknown field spec.nmae":                   "diagnostics.html#sg702",
		"must be a valid regular expression, but isn't: error parsing regexp": "diagnostics.html#sg601",
	} {
		script[any](b, "const i = document.getElementById('search-input'); i.value = arguments[0]; i.dispatchEvent(new Event('input'))", question)
		const found = "return [...document.querySelectorAll('#search-results a')].slice(0, 3).map((a) => a.href.replace(/.*\\//, ''))"
		b.until("return document.querySelectorAll('#search-results a').length > 2")
		first := script[[]string](b, found)
		if !slices.ContainsFunc(first, func(page string) bool { return strings.HasPrefix(page, want) }) {
			t.Errorf("%s: got %q, want %s", question, first, want)
		}
	}
	b.press(keyEscape)
	if !script[bool](b, "return document.getElementById('search-results').hidden") {
		t.Error("Escape did not close the results")
	}
}

// TestBookPictures draws README, as the first page of the site, and pages of the book. It checks
// only that they are there.
func TestBookPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures is not set")
	}
	b := startBrowser(t)
	dir := bookSite(t)
	for _, screen := range []struct {
		name          string
		width, height int
	}{{"wide", 1280, 1000}, {"phone", 390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			take := func(name, page string) {
				b.screen(screen.width, screen.height, scheme)
				b.visit("file://" + filepath.Join(dir, page))
				if page == "index.html" { // all of it
					b.screen(screen.width, script[int](b, "return document.documentElement.scrollHeight"), scheme)
				}
				if search := strings.TrimPrefix(name, "search-"); search != name {
					b.search(search)
					b.until("return !!document.querySelector('#search-results a')")
				}
				b.shot(filepath.Join(*pictures, "book-"+name+"-"+screen.name+"-"+scheme+".png"))
			}
			take("readme", "index.html")
			take("recipes", "recipes.html")
			take("performance", "performance.html")
			take("diagnostics", "diagnostics.html")
			take("search-storage", "config.html")
		}
	}
}
