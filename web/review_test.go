package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reviewOf writes the page of a review of files in dir and returns its file name.
func reviewOf(t *testing.T, dir, old, new string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "review.html")
	if _, err := command(dir, suite.schemagen, "review", old, new, "-o", file); err != nil {
		t.Fatal(err)
	}
	return file
}

const reviewedOld, reviewedNew = "../internal/review/testdata/old.yaml", "../internal/review/testdata/new.yaml"

// TestReviewFits checks that nothing on the page of a review is wider than a screen, and that the
// colors follow the system.
func TestReviewFits(t *testing.T) {
	b := startBrowser(t)
	b.visit("file://" + reviewOf(t, ".", reviewedOld, reviewedNew))
	colors := map[string]bool{}
	for _, width := range []int{320, 390, 768, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.screen(width, 800, scheme)
			if wide := script[int](b, "for (const d of document.querySelectorAll('details')) d.open = true; return document.documentElement.scrollWidth"); wide > width {
				t.Errorf("got a width of %d pixels on a screen of %d", wide, width)
			}
			colors[script[string](b, "return getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector('.added')).backgroundColor")] = true
		}
	}
	if len(colors) != 2 {
		t.Errorf("got colors %v for light and dark", colors)
	}
}

// TestReviewRunsNothing reviews a definition with traps in every text.
func TestReviewRunsNothing(t *testing.T) {
	b := startBrowser(t)
	for _, trap := range traps {
		file := filepath.Join(t.TempDir(), "new.yaml")
		text := strings.ReplaceAll(hostile, "HTML", strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(trap))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		b.visit("file://" + reviewOf(t, ".", reviewedOld, file))
		if script[bool](b, "return 'ran' in window || document.scripts.length > 0 || document.images.length > 0") {
			t.Errorf("%s is markup", trap)
		}
		if !script[bool](b, "return document.body.textContent.includes('Trap')") {
			t.Error("the definition is not on the page")
		}
	}
}

// TestReviewPictures draws the page of the review in the book. It checks only that it is there.
func TestReviewPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures is not set")
	}
	text, err := os.ReadFile("../docs/review.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range regexp.MustCompile("(?s)<!-- file (\\S+) -->\n```yaml\n(.*?)```\n").FindAllStringSubmatch(string(text), -1) {
		if err := os.WriteFile(filepath.Join(dir, file[1]), []byte(file[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := startBrowser(t)
	for _, scheme := range []string{"light", "dark"} {
		b.screen(860, 1000, scheme)
		b.visit("file://" + reviewOf(t, dir, "old.yaml", "new.yaml"))
		b.shot(filepath.Join(*pictures, "review-"+scheme+".png"))
	}
}
