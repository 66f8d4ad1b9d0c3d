package inputs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/schemagen/schemagen/internal/ground/snapshot"
)

// write writes a file, and the folders above it.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kept is the record as a later run reads it.
func kept(t *testing.T, r *Reader) Record {
	t.Helper()
	record, err := r.Record()
	check(t, err)
	parsed, err := ParseRecord(record.AppendText(nil))
	check(t, err)
	if len(parsed) != len(record) {
		t.Fatalf("got %d of %d notes", len(parsed), len(record))
	}
	for i := range record {
		if parsed[i] != record[i] {
			t.Fatalf("note %v was parsed as %v", record[i], parsed[i])
		}
	}
	return parsed
}

// TestEveryQuery makes every kind of query, changes the answer, and checks that the
// record no longer holds.
func TestEveryQuery(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	read := func(r *Reader, name string) { _, _ = r.ReadFile(at(name), nil) }
	tests := []struct {
		name   string
		ask    func(r *Reader)
		change func()
	}{
		{"content", func(r *Reader) { read(r, "a/f") }, func() { write(t, at("a/f"), "two and more") }},
		{"content of the same length", func(r *Reader) { read(r, "a/f") }, func() { write(t, at("a/f"), "two") }},
		{"content, size and time the same", func(r *Reader) { read(r, "a/f") }, func() {
			info, err := os.Stat(at("a/f"))
			check(t, err)
			write(t, at("a/f"), "two")
			check(t, os.Chtimes(at("a/f"), info.ModTime(), info.ModTime()))
		}},
		{"file removed", func(r *Reader) { read(r, "a/f") }, func() { check(t, os.Remove(at("a/f"))) }},
		{"file appears", func(r *Reader) { read(r, "a/none") }, func() { write(t, at("a/none"), "") }},
		{"file replaced by a directory", func(r *Reader) { read(r, "a/f") }, func() {
			check(t, os.Remove(at("a/f")))
			check(t, os.Mkdir(at("a/f"), 0o755))
		}},
		{"symlink to another file", func(r *Reader) { read(r, "link") }, func() {
			check(t, os.Remove(at("link")))
			check(t, os.Symlink("a/g", at("link")))
		}},
		{"head", func(r *Reader) { head(r, at("a/f"), 2) }, func() { write(t, at("a/f"), "xne") }},
		{"head is cut", func(r *Reader) { head(r, at("a/f"), 3) }, func() { write(t, at("a/f"), "on") }},
		{"head of a file that grows", func(r *Reader) { head(r, at("a/f"), 10) }, func() { write(t, at("a/f"), "one more") }},
		{"head of an empty file that grows", func(r *Reader) { head(r, at("a/empty"), 1) }, func() { write(t, at("a/empty"), "one") }},
		{"head of nothing", func(r *Reader) { _, _ = r.Open(at("a/none"), nil) }, func() { write(t, at("a/none"), "") }},
		{"entry added", func(r *Reader) { _, _ = r.ReadDir(at("a")) }, func() { write(t, at("a/h"), "") }},
		{"entry removed", func(r *Reader) { _, _ = r.ReadDir(at("a")) }, func() { check(t, os.Remove(at("a/g"))) }},
		{"entry renamed", func(r *Reader) { _, _ = r.ReadDir(at("a")) }, func() { check(t, os.Rename(at("a/g"), at("a/h"))) }},
		{"entry of another type", func(r *Reader) { _, _ = r.ReadDir(at("a")) }, func() {
			check(t, os.Remove(at("a/g")))
			check(t, os.Mkdir(at("a/g"), 0o755))
		}},
		{"directory appears", func(r *Reader) { _, _ = r.ReadDir(at("none")) }, func() { write(t, at("none/x"), "") }},
		{"stat", func(r *Reader) { _, _ = r.Stat(at("a/none")) }, func() { write(t, at("a/none"), "") }},
		{"stat of another type", func(r *Reader) { _, _ = r.Stat(at("link")) }, func() {
			check(t, os.Remove(at("link")))
			check(t, os.Symlink("a", at("link")))
		}},
		{"lstat", func(r *Reader) { _, _ = r.Lstat(at("link")) }, func() {
			check(t, os.Remove(at("link")))
			write(t, at("link"), "")
		}},
		{"link", func(r *Reader) { _, _ = r.EvalSymlinks(at("link")) }, func() {
			check(t, os.Remove(at("link")))
			check(t, os.Symlink("a/g", at("link")))
		}},
		{"command", func(r *Reader) { _, _ = r.LookPath("tool") }, func() {
			write(t, at("bin1/tool"), "")
			check(t, os.Chmod(at("bin1/tool"), 0o755))
		}},
		{"variable", func(r *Reader) { r.Getenv("INPUTS_TEST") }, func() { t.Setenv("INPUTS_TEST", "2") }},
		{"home", func(r *Reader) { _, _ = r.UserHomeDir() }, func() { t.Setenv("HOME", at("a")) }},
		{"config", func(r *Reader) { _, _ = r.UserConfigDir() }, func() { t.Setenv("XDG_CONFIG_HOME", at("a")) }},
		{"written", func(r *Reader) { r.Wrote(at("a/f"), []byte("one")) }, func() { write(t, at("a/f"), "two") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check(t, os.RemoveAll(dir))
			write(t, at("a/f"), "one")
			write(t, at("a/g"), "another")
			write(t, at("a/empty"), "")
			write(t, at("bin2/tool"), "")
			check(t, os.Chmod(at("bin2/tool"), 0o755))
			check(t, os.Symlink("a/f", at("link")))
			t.Setenv("PATH", at("bin1")+string(os.PathListSeparator)+at("bin2"))
			r := New()
			test.ask(r)
			record := kept(t, r)
			if len(record) == 0 {
				t.Fatal("no answer was recorded")
			}
			if ok, _ := record.Holds(nil); !ok {
				t.Fatal("the record does not hold before the change")
			}
			test.change()
			if ok, _ := record.Holds(nil); ok {
				t.Error("the record holds after the change")
			}
		})
	}
}

func head(r *Reader, name string, n int) {
	if f, err := r.Open(name, nil); err == nil {
		_, _ = io.ReadFull(f, make([]byte, n))
		_ = f.Close()
	}
}

// TestUnrelatedChanges checks that a record holds after changes that it does not depend on.
func TestUnrelatedChanges(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	write(t, name, "one two")
	r := New()
	head(r, name, 3)
	_, err := r.ReadDir(dir)
	check(t, err)
	_, err = r.Stat(name)
	check(t, err)
	record := kept(t, r)
	write(t, name, "one three")
	if ok, _ := record.Holds(nil); !ok {
		t.Error("the record does not hold after an unrelated change")
	}
	write(t, filepath.Join(dir, "g"), "")
	if ok, _ := record.Holds(nil); ok {
		t.Error("the record holds with a new directory entry")
	}
}

// TestStamps checks that files are read only if their stamp changed.
func TestStamps(t *testing.T) {
	if snapshot.SystemStamp(must(os.Stat("."))) == (stamp{}) {
		t.Skip("no stamps on " + runtime.GOOS)
	}
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one")
	r := New()
	_, err := r.ReadFile(name, nil)
	check(t, err)
	record := kept(t, r)
	if record[0].stamp != (stamp{}) {
		t.Fatal("a file that has just been written has a stamp")
	}
	time.Sleep(settled + 100*time.Millisecond)
	if ok, renewed := record.Holds(nil); !ok || !renewed {
		t.Fatalf("holds %v, renewed %v", ok, renewed)
	}
	if record[0].stamp == (stamp{}) {
		t.Fatal("the stamp was not renewed")
	}
	if ok, renewed := record.Holds(nil); !ok || renewed {
		t.Fatalf("holds %v, renewed %v", ok, renewed)
	}
	// While the stamp is equal, the content is not read.
	lie := record[0]
	lie.answer = "another"
	if same, _ := lie.check(nil); !same {
		t.Error("a file was read although its stamp is the same")
	}
	info := must(os.Stat(name))
	write(t, name, "two")
	check(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	time.Sleep(settled + 100*time.Millisecond) // it has a stamp again
	if ok, _ := record.Holds(nil); ok {
		t.Error("a change that preserves size and time was not noticed")
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestChangedWhileReading checks that there is no record if a file changed between two
// reads, or if the result depends on something unknown.
func TestChangedWhileReading(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one")
	r := New()
	_, _ = r.ReadFile(name, nil)
	write(t, name, "two")
	_, _ = r.ReadFile(name, nil)
	if _, err := r.Record(); err == nil || !strings.Contains(err.Error(), "changed during the run") {
		t.Errorf("got error %v from Record", err)
	}
	for _, written := range []string{"else", "tw", "twos", ""} {
		r = New()
		r.Wrote(name, []byte(written))
		if _, err := r.Record(); err == nil || !strings.Contains(err.Error(), "is not what was written") {
			t.Errorf("%q: got error %v from Record", written, err)
		}
	}
	r = New()
	r.Wrote(name, []byte("two"))
	if _, err := r.Record(); err != nil {
		t.Error(err)
	}
	r = New()
	r.Unsure("a reason")
	if _, err := r.Record(); err == nil || err.Error() != "a reason" {
		t.Errorf("got error %v from Record", err)
	}
}

// TestHeadOfAnotherState checks that a file that changed between reading its head and
// its content is noticed.
func TestHeadOfAnotherState(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one two")
	r := New()
	head(r, name, 3)
	write(t, name, "two two")
	_, err := r.ReadFile(name, nil)
	check(t, err)
	if record, err := r.Record(); err == nil {
		if ok, _ := record.Holds(nil); ok {
			t.Error("the record holds")
		}
	}
}

// TestAnswers checks that a Reader, also a nil one, answers like package os.
func TestAnswers(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	long := strings.Repeat("long ", 10_000)
	write(t, name, long)
	for _, r := range []*Reader{nil, New()} {
		for _, buffer := range [][]byte{nil, make([]byte, 7), make([]byte, 100_000)} {
			if data, err := r.ReadFile(name, buffer); string(data) != long || err != nil {
				t.Errorf("got %d bytes, error %v", len(data), err)
			}
		}
		if _, err := r.ReadFile(dir, nil); err == nil {
			t.Error("ReadFile of a directory succeeded")
		}
		for range 2 {
			if entries, err := r.ReadDir(dir); len(entries) != 1 || err != nil {
				t.Errorf("got entries %v, error %v", entries, err)
			}
			if _, err := r.ReadDir(name); err == nil {
				t.Error("ReadDir of a file succeeded")
			}
		}
		if _, err := r.Stat(filepath.Join(dir, "none")); !os.IsNotExist(err) {
			t.Error(err)
		}
		if info, err := r.Lstat(name); err != nil || !info.Mode().IsRegular() {
			t.Error(info, err)
		}
		r.Unsure("ignored")
	}
}

func FuzzParseRecord(f *testing.F) {
	r := New()
	r.note(query{op: opHead, name: "a \"b\"\n", size: 3}, note{answer: failure(fs.ErrPermission), stamp: stamp{Device: 1, Inode: 2, Size: 3, Modified: -4, Changed: 5}})
	r.note(query{op: opEnv, name: "PATH"}, note{answer: "missing"})
	record, _ := r.Record()
	f.Add(string(record.AppendText(nil)))
	f.Add("file 0 - x \"a\"\nfile 1 1.2.3.4 \n")
	f.Fuzz(func(t *testing.T, text string) {
		record, err := ParseRecord([]byte(text))
		if err != nil {
			return
		}
		again, err := ParseRecord(record.AppendText(nil))
		if err != nil || string(again.AppendText(nil)) != string(record.AppendText(nil)) {
			t.Errorf("record %q was parsed as %q: %v", record.AppendText(nil), again.AppendText(nil), err)
		}
	})
}
