package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWays checks that the scripts way-*.txtar, each the way of one kind of user, run only commands that the
// pages show.
func TestWays(t *testing.T) {
	shown := map[string]bool{}
	for _, page := range bookPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^\$ (.*?)( *#.*| && echo .*| > \S+)?$`).FindAllStringSubmatch(string(text), -1) {
			shown[strings.ReplaceAll(match[1], `"`, "'")] = true
		}
		for _, match := range regexp.MustCompile("`(schemagen [^`]*)`").FindAllStringSubmatch(string(text), -1) {
			shown[match[1]] = true
		}
	}
	scripts, err := filepath.Glob("../../testdata/script/way-*.txtar")
	if err != nil || len(scripts) != 3 {
		t.Fatalf("scripts %v: %v", scripts, err)
	}
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		script, _, _ := strings.Cut(string(text), "\n-- ")
		commands := regexp.MustCompile(`(?m)^(?:! )?(?:exec )?((?:schemagen|go generate) .*)$`).FindAllStringSubmatch(script, -1)
		if len(commands) < 4 {
			t.Errorf("%s: only %d commands", name, len(commands))
		}
		for _, match := range commands {
			if !shown[match[1]] {
				t.Errorf("%s: no page shows %s", name, match[1])
			}
		}
	}
}
