//go:build unix

package inputs

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// pipe makes a named pipe that nobody writes to.
func pipe(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	check(t, syscall.Mkfifo(name, 0o644))
	return name
}

// TestNoRegularFile wants what is no file to be refused instead of waited for.
func TestNoRegularFile(t *testing.T) {
	for _, name := range []string{pipe(t), os.DevNull} {
		for _, r := range []*Reader{nil, New()} {
			if _, err := r.ReadFile(name, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := r.Open(name); err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := r.ReadDir(name); err == nil {
				t.Errorf("%s has entries", name)
			}
		}
	}
}

// TestFileBecomesPipe wants the question after a file that became a pipe to be
// answered.
func TestFileBecomesPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one")
	r := New()
	_, err := r.ReadFile(name, nil)
	check(t, err)
	check(t, os.Remove(name))
	check(t, os.Rename(pipe(t), name))
	if ok, _ := kept(t, r).Holds(); ok {
		t.Error("it holds")
	}
}
