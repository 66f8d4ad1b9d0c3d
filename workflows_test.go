package schemagen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestActionsArePinned checks that workflows, which may sign and publish, name what they run by commit: a tag
// can be moved to other code.
func TestActionsArePinned(t *testing.T) {
	names, err := filepath.Glob(".github/workflows/*.y*ml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		uses := regexp.MustCompile(`(?m)uses: *(.*)$`).FindAllSubmatch(text, -1)
		if len(uses) == 0 {
			t.Errorf("%s uses nothing", name)
		}
		for _, match := range uses {
			if !pinned.Match(match[1]) {
				t.Errorf("%s: %s: write the commit, and its version as a comment", name, match[1])
			}
		}
	}
}
