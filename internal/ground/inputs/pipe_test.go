//go:build unix

package inputs

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// pipe creates a named pipe without a writer.
func pipe(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	check(t, syscall.Mkfifo(name, 0o644))
	return name
}

// TestNotRegularFile checks that anything but a regular file is rejected instead of
// blocking.
func TestNotRegularFile(t *testing.T) {
	for _, name := range []string{pipe(t), os.DevNull} {
		for _, r := range []*Reader{nil, New()} {
			if _, err := r.ReadFile(name, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := r.Open(name, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := r.ReadDir(name); err == nil {
				t.Errorf("ReadDir(%s) succeeded", name)
			}
		}
	}
}

// TestFileBecomesPipe checks that a query about a file that became a pipe does not block.
func TestFileBecomesPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one")
	r := New()
	_, err := r.ReadFile(name, nil)
	check(t, err)
	check(t, os.Remove(name))
	check(t, os.Rename(pipe(t), name))
	if ok, _ := kept(t, r).Holds(nil); ok {
		t.Error("the record holds")
	}
}
