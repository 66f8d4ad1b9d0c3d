package schemagen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestPathsOfNestedModules wants the packages that tests of nested modules name in a command line of
// the go tool to exist: those tests take long, and run last.
func TestPathsOfNestedModules(t *testing.T) {
	command := regexp.MustCompile(`goCommand\([^,]*, root, .*"(\./[^"]+)"`)
	tools := regexp.MustCompile(`"-modfile=((?:\.\./)+tools/go\.mod)"`)
	found := 0
	for pattern, within := range map[string]string{"e2e/*.go": ".", "internal/*/*_test.go": "", "markers/*_test.go": ""} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range append(command.FindAllSubmatch(text, -1), tools.FindAllSubmatch(text, -1)...) {
				found++
				dir := within
				if dir == "" {
					dir = filepath.Dir(file)
				}
				if _, err := os.Stat(filepath.Join(dir, string(m[1]))); err != nil {
					t.Errorf("%s names %s: %v", file, m[1], err)
				}
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d paths are found: the test does not see them", found)
	}
}
