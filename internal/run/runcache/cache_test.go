package runcache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestCacheDistinguishesBuilds checks that entries of another build are not used.
func TestCacheDistinguishesBuilds(t *testing.T) {
	one := &Cache{dir: t.TempDir(), maker: "schemagen 1"}
	one.Store("key", []byte("data"))
	if data, ok := one.Load("key"); !ok || string(data) != "data" {
		t.Fatalf("Load = %q, %v", data, ok)
	}
	other := &Cache{dir: one.dir, maker: "schemagen 2"}
	if data, ok := other.Load("key"); ok {
		t.Errorf("got entry %q of another build", data)
	}
	if _, ok := one.Load("kez"); ok {
		t.Error("got the entry of another key")
	}
	released := &debug.BuildInfo{Main: debug.Module{Version: "v1.0.0", Sum: "h1:a"}, Deps: []*debug.Module{{Version: "v1.0.0", Sum: "h1:b"}}}
	if !isReleased(released) {
		t.Error("isReleased = false for a release")
	}
	for _, change := range []func(m *debug.BuildInfo){
		func(i *debug.BuildInfo) { i.Main.Sum = "" },
		func(i *debug.BuildInfo) { i.Main.Version = "v1.0.0+dirty" },
		func(i *debug.BuildInfo) { i.Deps[0].Replace = &debug.Module{Path: "../x"} },
	} {
		info := *released
		info.Deps = []*debug.Module{{Version: "v1.0.0", Sum: "h1:b"}}
		if change(&info); isReleased(&info) {
			t.Errorf("isReleased(%+v) = true", info)
		}
	}
}

// TestTrim checks that unused entries are removed, and nothing else in the directory.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	c := &Cache{dir: filepath.Join(dir, folder), maker: "x"}
	c.Store("old", []byte("1"))
	c.Store("used", []byte("2"))
	old := filepath.Dir(c.file("old"))
	keep := map[string]string{
		filepath.Join(dir, "db", "schema.sql"):                                 "precious",
		filepath.Join(dir, "fe", strings.Repeat("ab", sha256.Size-1)):          header,
		filepath.Join(c.dir, "mine", strings.Repeat("ab", sha256.Size-1)):      header,
		filepath.Join(c.dir, "ab", "notes"):                                    header,
		filepath.Join(old, strings.Repeat("AB", sha256.Size-1)):                header,
		filepath.Join(old, strings.Repeat("ab", sha256.Size-1)):                "precious",
		filepath.Join(old, newPrefix+"of mine"):                                "precious",
		filepath.Join(old, strings.Repeat("cd", sha256.Size-1), "in a folder"): header,
	}
	left := filepath.Join(old, newPrefix+"123")
	torn := filepath.Join(old, newPrefix+"456")
	long := time.Now().Add(-unusedFor - day)
	files := map[string]string{left: "", torn: header[:5]}
	maps.Copy(files, keep)
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		for name != dir {
			if err := os.Chtimes(name, long, long); err != nil {
				t.Fatal(err)
			}
			name = filepath.Dir(name)
		}
	}
	for _, name := range []string{c.file("old"), c.file("used"), filepath.Join(c.dir, "trimmed")} {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.Load("used"); !ok {
		t.Fatal("used entry was removed")
	}
	c.Store("new", []byte("3"))
	for key, want := range map[string]bool{"old": false, "used": true, "new": true} {
		if _, ok := c.Load(key); ok != want {
			t.Errorf("Load(%s): got %v", key, ok)
		}
	}
	for name := range keep {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{left, torn} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was not removed", name)
		}
	}
}

// TestCacheLeavesOtherFiles fills a directory with files that look like entries, and checks
// that they are left alone, and that a directory with the cache's name but other content is
// not used.
func TestCacheLeavesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-unusedFor - day)
	mine := []string{"db/schema.sql", "fe/index.html", "00/" + strings.Repeat("00", sha256.Size-1), "00/" + newPrefix + "1", "trimmed", markName}
	for _, name := range mine {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(header), 0o644), os.Chtimes(name, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		c := Open(dir, "x")
		if c == nil {
			t.Fatal("Open returned nil")
		}
		c.Store("a", []byte("1"))
		if data, ok := Open(dir, "x").Load("a"); !ok || string(data) != "1" {
			t.Fatalf("Load = %q, %v", data, ok)
		}
	}
	for _, name := range mine {
		if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(text) != header {
			t.Errorf("file changed: got %q, error %v", text, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 { // 00, CACHEDIR.TAG, db, fe, trimmed, and its own
		t.Error(entries, err)
	}
	mark := filepath.Join(dir, folder, markName)
	for text, want := range map[string]bool{"": true, markText[:20]: true, markText: true, "mine": false} {
		if err := os.WriteFile(mark, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c := Open(dir, "x")
		if c != nil != want {
			t.Errorf("mark %q: got cache %v", text, c)
		}
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if c := Open(dir, "x"); c != nil {
		t.Error("a directory without a mark is used")
	}
}

// TestMovedEntryIsIgnored checks that a renamed entry is ignored.
func TestMovedEntryIsIgnored(t *testing.T) {
	c := Open(t.TempDir(), "x")
	c.Store("a", []byte("1"))
	if err := errors.Join(os.MkdirAll(filepath.Dir(c.file("b")), 0o755), os.Rename(c.file("a"), c.file("b"))); err != nil {
		t.Fatal(err)
	}
	if data, ok := c.Load("b"); ok {
		t.Errorf("got entry %q of a moved file", data)
	}
}

// TestBuildsAreDistinguished checks that programs of equal size and time have different names,
// and that names contain the build IDs that the go command prints.
func TestBuildsAreDistinguished(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	nameOf := func(path string) string {
		t.Helper()
		then := time.Unix(1e9, 0)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		name, err := buildName(file, "schemagen-devel")
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	for i, text := range []string{"one", "two"} {
		source := fmt.Sprintf("package main\n\nfunc main() { print(%q) }\n", text)
		if err := os.WriteFile(at(text+".go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		flags := [][]string{{}, {"-ldflags=-buildid="}}
		for j, flag := range flags {
			args := append([]string{"build", "-o", at(fmt.Sprintf("%d%d", i, j))}, flag...)
			if out, err := exec.Command("go", append(args, at(text+".go"))...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		out, err := exec.Command("go", "tool", "buildid", at(fmt.Sprintf("%d%d", i, 0))).Output()
		if id := strings.TrimSpace(string(out)); err != nil || !strings.Contains(nameOf(at(fmt.Sprintf("%d%d", i, 0))), " "+id+" ") {
			t.Errorf("build ID %s is not in name %s: %v", id, nameOf(at(fmt.Sprintf("%d%d", i, 0))), err)
		}
	}
	if first, second := nameOf(at("00")), nameOf(at("10")); first == second {
		t.Errorf("different builds have the same name %s", first)
	}
	if first, second := nameOf(at("01")), nameOf(at("11")); first == second {
		t.Errorf("different builds without an ID have the same name %s", first)
	}
	if first, again := nameOf(at("00")), nameOf(at("00")); strings.Join(strings.Fields(first)[:4], " ") != strings.Join(strings.Fields(again)[:4], " ") {
		t.Errorf("one build has the names %s and %s", first, again)
	}
}

// TestCacheOfARepository has a cache in which a branch has made every file a symlink to one of the
// user: none is written, truncated or removed.
func TestCacheOfARepository(t *testing.T) {
	for _, name := range []string{markName, "trimmed", "entry", "folder"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			away := filepath.Join(t.TempDir(), "away")
			c := Open(dir, "v1")
			if c == nil {
				t.Fatal("no cache")
			}
			c.Store("a", []byte("data")) // makes the folder
			file := c.file("b")
			text := "user's"
			if name == markName {
				text = "" // an incomplete mark, which is completed
			}
			path := map[string]string{"entry": file, "folder": filepath.Dir(file)}[name]
			if path == "" {
				path = filepath.Join(c.Dir(), name)
			}
			target := away
			if name == "folder" {
				target = filepath.Join(away, filepath.Base(file))
			}
			long := time.Now().Add(-30 * day)
			for _, err := range []error{
				os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o777), os.MkdirAll(filepath.Dir(target), 0o777),
				os.WriteFile(target, []byte(text), 0o666), os.Chtimes(target, long, long), os.Symlink(away, path),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			Open(dir, "v1").Store("b", []byte("data"))
			if data, err := os.ReadFile(target); err != nil || string(data) != text {
				t.Errorf("the file is %q, %v", data, err)
			}
			if name == "folder" {
				if entries, err := os.ReadDir(away); err != nil || len(entries) != 1 {
					t.Errorf("written outside: %v, %v", entries, err)
				}
			}
		})
	}
}
