package web

import (
	"encoding/json"
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
	if _, err := command(dir, suite.schemagen, "diff", old, new, "--format", "html", "--fail-on", "none", "-o", file); err != nil {
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

// TestReviewPictures draws the pages of the reviews in the book. It checks only that they are there.
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
	type reviewed struct{ name, dir, old, new string }
	all := []reviewed{{"review", dir, "old.yaml", "new.yaml"}}
	for _, m := range moduleChanges() {
		// The page names both sides as the book does.
		at := t.TempDir()
		for _, version := range []string{m.old, m.new} {
			if err := os.Symlink(filepath.Join(moduleDir(t, m.module+"@"+version), m.dir), filepath.Join(at, version)); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, reviewed{"review-" + m.name, at, m.old + "/", m.new + "/"})
	}
	b := startBrowser(t)
	for _, r := range all {
		page := "file://" + reviewOf(t, r.dir, r.old, r.new)
		for _, scheme := range []string{"light", "dark"} {
			b.screen(860, 1000, scheme)
			b.visit(page)
			b.shot(filepath.Join(*pictures, r.name+"-"+scheme+".png"))
		}
	}
}

// A moduleChange is a change of the CRDs in a directory of a module between two of its versions.
type moduleChange struct{ name, module, old, new, dir string }

// moduleChanges are the changes of modules of bench whose reviews are in the book.
func moduleChanges() []moduleChange {
	return []moduleChange{
		{"karpenter", "sigs.k8s.io/karpenter", "v1.8.0", "v1.13.0", "pkg/apis/crds"},
	}
}

// moduleDir returns the directory of a module in the module cache.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := command(".", "go", "mod", "download", "-json", module)
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &at); err != nil {
		t.Fatal(err)
	}
	return at.Dir
}
