package define

import (
	"path/filepath"
	"testing"

	"github.com/schemagen/schemagen/internal/define/checks"
)

// TestFileNames builds groups and plurals from everything that is dangerous in paths. It
// checks that accepted file names denote files in the directory.
func TestFileNames(t *testing.T) {
	parts := []string{"", "a", ".", "..", "/", `\`, "\n", "\x1b", "\x00", "\u0085", "-", "example.com", "C:", "con"}
	var texts []string
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				texts = append(texts, a+b+c)
			}
		}
	}
	accepted := 0
	for _, text := range texts {
		for _, name := range []string{checks.FileName(text, "x"), checks.FileName("x", text), checks.FileName(text, text), text} {
			if !checks.IsFileName(name) {
				continue
			}
			accepted++
			path := filepath.Join("dir", name)
			if filepath.Dir(path) != "dir" && name != "." || name != "." && filepath.Base(path) != name {
				t.Errorf("%q has the path %s", name, path)
			}
		}
	}
	if accepted == 0 || !checks.IsFileName(checks.FileName("example.com", "widgets")) || !checks.IsFileName(checks.FileName("", "widgets")) {
		t.Error("a valid name is rejected")
	}
}
