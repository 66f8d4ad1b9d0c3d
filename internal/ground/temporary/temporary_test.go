package temporary

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSweep makes directories and files of every purpose and age, and of other names. Another one of
// any purpose removes those of own names that are old.
func TestSweep(t *testing.T) {
	cells := 0
	for _, made := range Purposes() {
		for _, p := range Purposes() {
			for name, own := range map[string]bool{
				prefix + string(p) + "-1":                true,
				prefix + string(p) + "-0123456789":       true,
				prefix + string(p) + "-1" + fileSuffix:   true,
				prefix + string(p) + "-":                 false,
				prefix + string(p) + "-1a":               false,
				prefix + string(p):                       false,
				prefix + string(p) + "s-1":               false,
				"x" + prefix + string(p) + "-1":          false,
				strings.ToUpper(prefix+string(p)) + "-1": false,
			} {
				for _, isDir := range []bool{true, false} {
					for _, old := range []bool{true, false} {
						cells++
						sweepOne(t, made, name, isDir, old, own)
					}
				}
			}
		}
	}
	if want := len(Purposes()) * len(Purposes()) * 9 * 2 * 2; cells != want {
		t.Errorf("%d cells, want %d", cells, want)
	}
}

func sweepOne(t *testing.T, made Purpose, name string, isDir, old, own bool) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	full := filepath.Join(dir, name)
	if isDir {
		err = os.MkdirAll(filepath.Join(full, "below"), 0o777)
	} else {
		err = os.WriteFile(full, []byte("text"), 0o666)
	}
	age := unusedFor + time.Minute
	if !old {
		age = unusedFor - time.Minute
	}
	if err != nil || os.Chtimes(full, time.Now().Add(-age), time.Now().Add(-age)) != nil {
		t.Fatal(err)
	}
	next, err := Dir(t.Context(), made)
	if err != nil || !isOwn(filepath.Base(next)) {
		t.Fatalf("%s, %v", next, err)
	}
	if _, err := os.Stat(full); (err != nil) != (old && own) {
		t.Errorf("%s after another one for %s, old: %t, directory: %t: %v", name, made, old, isDir, err)
	}
}

// TestWrite writes a file, and removes it.
func TestWrite(t *testing.T) {
	for _, p := range Purposes() {
		name, remove, err := p.Write([]byte("text"))
		if err != nil || !isOwn(filepath.Base(name)) {
			t.Fatalf("%s, %v", name, err)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != "text" {
			t.Errorf("%s is %q, %v", name, data, err)
		}
		remove()
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s still exists", name)
		}
	}
}

// TestSweepFollowsNothing has a symlink with an own name: what it leads to stays.
func TestSweepFollowsNothing(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	link := filepath.Join(dir, "link")
	if err := os.WriteFile(kept, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, link); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-2 * unusedFor)
	if err := os.Chtimes(kept, before, before); err != nil {
		t.Fatal(err)
	}
	Sweep(dir, func(entry fs.DirEntry) bool { return entry.Name() == "link" })
	for _, name := range []string{kept, link} {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
}
