package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSystems checks the rules of each system on this one.
func TestSystems(t *testing.T) {
	sharing := &os.LinkError{Op: "rename", Old: "a", New: "b", Err: errorSharingViolation}
	denied := &os.LinkError{Op: "rename", Old: "a", New: "b", Err: errorAccessDenied}
	for _, c := range []struct {
		system                system
		err                   error
		inUse, renameInUse    bool
		lower, upper, another string
		same                  bool
	}{
		{system: "windows", err: sharing, inUse: true, renameInUse: true, lower: `c:\a\É.yaml`, upper: `C:\A\é.yaml`, another: `c:\a\e.yaml`, same: true},
		{system: "windows", err: &os.PathError{Op: "open", Path: "a", Err: errorLockViolation}, inUse: true, renameInUse: true, lower: `\\s\d\a`, upper: `\\S\D\A`, another: `\\s\d\b`, same: true},
		{system: "windows", err: denied, renameInUse: true, lower: "a", upper: "A", another: "b", same: true},
		{system: "windows", err: os.ErrNotExist, lower: "a", upper: "A", another: "b", same: true},
		{system: "darwin", err: sharing, lower: "/a/B", upper: "/A/b", another: "/a/c", same: true},
		{system: "linux", err: sharing, lower: "/a/B", upper: "/A/b", another: "/a/c"},
	} {
		if got := c.system.inUse(c.err); got != c.inUse {
			t.Errorf("%s: inUse(%v) = %t", c.system, c.err, got)
		}
		if got := c.system.renameInUse(c.err); got != c.renameInUse {
			t.Errorf("%s: renameInUse(%v) = %t", c.system, c.err, got)
		}
		if got := c.system.samePath(c.lower) == c.system.samePath(c.upper); got != c.same {
			t.Errorf("%s: %s and %s are the same file: %t", c.system, c.lower, c.upper, got)
		}
		if c.system.samePath(c.lower) == c.system.samePath(c.another) {
			t.Errorf("%s: %s and %s are the same file", c.system, c.lower, c.another)
		}
	}
}

// TestUntilFree repeats an operation on a file that becomes free, that stays in use, and
// that is not in use.
func TestUntilFree(t *testing.T) {
	for _, c := range []struct {
		freeAfter int
		err       error
		calls     int
		fails     bool
	}{
		{freeAfter: 1, err: errorSharingViolation, calls: 1},
		{freeAfter: 4, err: errorSharingViolation, calls: 4},
		{freeAfter: 1000, err: errorSharingViolation, calls: 11, fails: true},
		{freeAfter: 1000, err: syscall.ENOSPC, calls: 1, fails: true},
	} {
		calls, slept := 0, time.Duration(0)
		err := untilFree(func() error {
			if calls++; calls >= c.freeAfter {
				return nil
			}
			return fmt.Errorf("x: %w", c.err)
		}, system("windows").inUse, func(d time.Duration) { slept += d })
		if (err != nil) != c.fails || err != nil && !errors.Is(err, c.err) || calls != c.calls {
			t.Errorf("%+v: %d calls, %v", c, calls, err)
		}
		if slept > patience || calls == 11 && slept < patience/2 {
			t.Errorf("%+v: slept %s", c, slept)
		}
	}
}

// TestPathsThatDifferInCase commits two files whose names differ only in case.
func TestPathsThatDifferInCase(t *testing.T) {
	dir := t.TempDir()
	outputs := outputsOf(filepath.Join(dir, "new", "a.yaml"), "one\n", filepath.Join(dir, "new", "A.yaml"), "two\n")
	_, err := (&Writer{Root: Physical(dir)}).Commit(t.Context(), outputs, Write, &strings.Builder{})
	if ignores := thisSystem.samePath("A") == "a"; ignores != (err != nil && strings.Contains(err.Error(), "two outputs have this path")) {
		t.Errorf("names that differ in case are the same: %t, and Commit returned %v", ignores, err)
	}
}

// TestRenameOverOpenFile replaces a file that another program reads for a moment. On Windows,
// this fails unless rename waits.
func TestRenameOverOpenFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(name, []byte("old\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	closed := time.AfterFunc(time.Second, func() { f.Close() })
	defer closed.Stop()
	if _, err := (&Writer{Root: Physical(dir)}).Commit(t.Context(), outputsOf(name, "new\n"), Write, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(name); string(data) != "new\n" {
		t.Errorf("%q, %v", data, err)
	}
}
