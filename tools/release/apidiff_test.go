package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPIDiff changes the API of package diag in a repository with little else of
// ours, and compares it as make api-diff does.
func TestAPIDiff(t *testing.T) {
	dir := t.TempDir()
	copyTree := func(name string) {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS("../../"+name)); err != nil {
			t.Fatal(err)
		}
	}
	copyTree("diag")
	copyTree("internal/ground")
	for _, name := range []string{"go.mod", "go.sum", "hack/apidiff.sh", "tools/go.mod", "tools/go.sum"} {
		data, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string]string{name: string(data)})
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	diff := func(args ...string) (string, error) {
		cmd := exec.Command("sh", append([]string{filepath.Join(dir, "hack", "apidiff.sh")}, args...)...)
		temp := t.TempDir()
		cmd.Env = append(os.Environ(), "TMPDIR="+temp, "GOFLAGS=")
		text, err := cmd.CombinedOutput()
		if entries, _ := os.ReadDir(temp); len(entries) > 0 {
			t.Errorf("%s was left", entries[0].Name())
		}
		return string(text), err
	}
	if text, err := diff(); err == nil || text != "apidiff.sh: there is no tag yet: name a commit\n" {
		t.Errorf("without a tag: %v\n%s", err, text)
	}
	if text, err := diff("v9.9.9"); err == nil || !strings.Contains(text, "v9.9.9") {
		t.Errorf("a tag that does not exist: %v\n%s", err, text)
	}
	git(t, dir, "tag", "v1.2.3")
	name := filepath.Join(dir, "diag", "added.go")
	write(t, dir, map[string]string{"diag/added.go": "package diag\n\nfunc Added() {}\n"})
	const added = "Compatible changes:\n- ./diag.Added: added\n"
	if text, err := diff(); err != nil || text != added {
		t.Errorf("an addition: %v\n%s", err, text)
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "added")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if text, err := diff("HEAD"); err != nil || text != "Incompatible changes:\n- ./diag.Added: removed\n" {
		t.Errorf("a removal: %v\n%s", err, text)
	}
	write(t, dir, map[string]string{"diag/added.go": "package diag\n\nfunc Added() {\n"})
	if text, err := diff(); err == nil || !strings.Contains(text, "added.go:3") {
		t.Errorf("a syntax error: %v\n%s", err, text)
	}
}
