package schemagen_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxUnlisted is the number of files up to which a package needs no list of its files.
const maxUnlisted = 6

// TestFirstPages wants a package of several files to have a doc.go and, if there are many, to list each
// of them there, in the order in which to read them. Files that any package comment names must exist. The command has no list: each
// of its files is a command, see TestOneCommandAFile.
func TestFirstPages(t *testing.T) {
	files, comments := map[string][]string{}, map[string]string{}
	firstPage := map[string]bool{}
	for _, f := range product(t) {
		base := path.Base(f.name)
		if f.test || f.dir == "." {
			continue
		}
		if f.ast.Doc != nil {
			comments[f.dir] += f.ast.Doc.Text()
		}
		if base == "doc.go" {
			firstPage[f.dir] = true
		} else {
			files[f.dir] = append(files[f.dir], base)
		}
	}
	item := regexp.MustCompile(`(?m)^  - ([a-z0-9_]+\.go(?:, [a-z0-9_]+\.go)*): `)
	mention := regexp.MustCompile(`(?:^|[^./\w])([a-z0-9_]+\.go)\b`)
	lists := 0
	for dir, names := range files {
		for _, m := range mention.FindAllStringSubmatch(comments[dir], -1) {
			if _, err := os.Stat(path.Join(dir, m[1])); err != nil {
				t.Errorf("the comment of package %s names %s, which does not exist", dir, m[1])
			}
		}
		if len(names) > 1 && !firstPage[dir] && dir != "cmd/schemagen" {
			t.Errorf("package %s has %d files and no doc.go", dir, len(names))
		}
		if len(names) <= maxUnlisted || dir == "cmd/schemagen" {
			continue
		}
		lists++
		var listed []string
		for _, m := range item.FindAllStringSubmatch(comments[dir], -1) {
			listed = append(listed, strings.Split(m[1], ", ")...)
		}
		for _, name := range names {
			if !slices.Contains(listed, name) {
				t.Errorf("%s/doc.go does not list %s", dir, name)
			}
		}
		slices.Sort(listed)
		if slices.Sort(names); len(slices.Compact(listed)) != len(names) {
			t.Errorf("%s/doc.go lists %v, and the files are %v", dir, listed, names)
		}
	}
	if lists < 30 {
		t.Errorf("only %d packages have a list: the test does not see them", lists)
	}
}
