package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// longAgo is the time that commitTree gives to files: one that writes a file now
// cannot hit it.
func longAgo() time.Time { return time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC) }

// commitTree makes a new directory with files the working directory.
func commitTree(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, longAgo(), longAgo()); err != nil {
			t.Fatal(err)
		}
	}
}

// treeState is all that is in the working directory, a line each: its name,
// mode and content, and whether a file was written.
func treeState(t *testing.T) string {
	t.Helper()
	var state strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&state, "%s %s", filepath.ToSlash(path), info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&state, " -> %s", filepath.ToSlash(link))
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&state, " %q written=%t", data, !info.ModTime().Equal(longAgo()))
		}
		state.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return state.String()
}

// wantTree fails t unless the working directory has exactly these files.
func wantTree(t *testing.T, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		got[filepath.ToSlash(path)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got tree %v, want %v", got, want)
	}
}

func wantState(t *testing.T, before string) {
	t.Helper()
	if after := treeState(t); after != before {
		t.Errorf("tree changed from\n%sto\n%s", before, after)
	}
}

func wantMode(t *testing.T, name string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != want {
		t.Errorf("mode of %s: got %s, want %s", name, info.Mode(), want)
	}
}

func wantChanged(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got changed files %q, want %q", got, want)
	}
}

// TestCommitTempFiles sees what is on disk before the first file is replaced.
func TestCommitTempFiles(t *testing.T) {
	commitTree(t, map[string]string{"real/x.yaml": "old\n", "crds/y.yaml": "old\n"})
	symlink(t, "../real/x.yaml", "crds/x.yaml")
	targets := targetsOf(t, outputsOf("crds/x.yaml", "new\n", "crds/y.yaml", "new\n", "made/z.yaml", "new\n"))
	err := faultyDisk(func(op string, n int) error {
		if op != "rename" || n > 1 {
			return nil
		}
		// One next to each target, so that no rename crosses file systems.
		for _, dir := range []string{"crds", "made", "real"} {
			if temps, err := filepath.Glob(dir + "/.schemagen-*.tmp"); err != nil || len(temps) != 1 {
				t.Errorf("temporary files in %s: %v, %v", dir, temps, err)
			}
		}
		for _, name := range []string{"crds/y.yaml", "real/x.yaml"} {
			if data, err := os.ReadFile(name); err != nil || string(data) != "old\n" {
				t.Errorf("%s already has content %q, error %v", name, data, err)
			}
		}
		return nil
	}).replace(t.Context(), targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, map[string]string{"crds/x.yaml": "new\n", "crds/y.yaml": "new\n", "made/z.yaml": "new\n", "real/x.yaml": "new\n"})
}

func symlink(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skipf("symlinks are not supported: %v", err)
	}
}

// here returns a writer for the working directory.
func here() *Writer {
	wd, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return &Writer{Root: RootOf(wd)}
}

// targetsOf returns the targets of outputs that may be written.
func targetsOf(t *testing.T, outputs []File) []*target {
	t.Helper()
	c, err := here().Prepare(t.Context(), outputs, nil, Write)
	if err != nil || len(c.Refused) > 0 {
		t.Fatal(err, c.Refused)
	}
	return c.targets
}

func outputsOf(pathsAndData ...string) []File {
	var outputs []File
	for i := 0; i < len(pathsAndData); i += 2 {
		outputs = append(outputs, File{Path: pathsAndData[i], Data: []byte(pathsAndData[i+1])})
	}
	return outputs
}

func TestCommitWrite(t *testing.T) {
	commitTree(t, map[string]string{"config/same.yaml": "same\n", "config/old.yaml": "old\n", "other": "other\n"})
	same, err := os.Stat("config/same.yaml")
	if err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs("abs/x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	changed, err := here().Commit(t.Context(), outputsOf(
		"new/deep/z.yaml", "z\n",
		"config/same.yaml", "same\n",
		"config/old.yaml", "new\n",
		"./config/a.yaml", "",
		abs, "x\n",
	), Write, &stdout)
	if err != nil {
		t.Fatal(err)
	}
	wantChanged(t, changed, "new/deep/z.yaml", "config/old.yaml", "./config/a.yaml", abs)
	wantTree(t, map[string]string{
		"abs/x.yaml":       "x\n",
		"config/a.yaml":    "",
		"config/old.yaml":  "new\n",
		"config/same.yaml": "same\n",
		"new/deep/z.yaml":  "z\n",
		"other":            "other\n",
	})
	if stdout.Len() > 0 {
		t.Errorf("got output %q, want none", &stdout)
	}
	after, err := os.Stat("config/same.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(same, after) || !after.ModTime().Equal(longAgo()) {
		t.Errorf("a file with equal content was written")
	}
	// Again, with all equal now.
	before := treeState(t)
	changed, err = here().Commit(t.Context(), outputsOf("new/deep/z.yaml", "z\n", "config/old.yaml", "new\n"), Write, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	wantChanged(t, changed)
	wantState(t, before)
}

func TestCommitModes(t *testing.T) {
	commitTree(t, map[string]string{"closed.yaml": "old\n", "open.yaml": "old\n", "protected.yaml": "same\n"})
	modes := map[string]fs.FileMode{"closed.yaml": 0o600, "open.yaml": 0o777, "protected.yaml": 0o444}
	for name, mode := range modes {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		// What the system makes of it is what is to be kept.
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		modes[name] = info.Mode() &^ 0o111 // generated files are not executable
	}
	// The umask of the test is not known, so ask for a file that it applies to.
	if err := os.WriteFile("reference", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat("reference")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("refdir", 0o777); err != nil {
		t.Fatal(err)
	}
	dirInfo, err := os.Stat("refdir")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := here().Commit(t.Context(), outputsOf(
		"closed.yaml", "new\n", "open.yaml", "new\n", "dir/new.yaml", "new\n",
		// Nothing is to be written to this one, so its protection is no matter.
		"protected.yaml", "same\n",
	), Write, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	wantChanged(t, changed, "closed.yaml", "open.yaml", "dir/new.yaml")
	for name, mode := range modes {
		wantMode(t, name, mode)
	}
	wantMode(t, "dir/new.yaml", info.Mode())
	wantMode(t, "dir", dirInfo.Mode())
}

func TestCommitSymlink(t *testing.T) {
	commitTree(t, map[string]string{"real/x.yaml": "old\n", "crds/keep": ""})
	symlink(t, "../real/x.yaml", "crds/x.yaml")
	symlink(t, "crds", "dir")
	for i, path := range []string{"crds/x.yaml", "dir/x.yaml"} {
		data := fmt.Sprintf("new %d\n", i)
		changed, err := here().Commit(t.Context(), outputsOf(path, data), Write, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		wantChanged(t, changed, path)
		wantTree(t, map[string]string{"crds/keep": "", "crds/x.yaml": data, "real/x.yaml": data})
		if link, err := os.Readlink("crds/x.yaml"); err != nil || filepath.ToSlash(link) != "../real/x.yaml" {
			t.Errorf("got link %q, error %v", link, err)
		}
	}
	if _, err := here().Commit(t.Context(), outputsOf("dir/new/y.yaml", "y\n"), Write, io.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("crds/new/y.yaml"); err != nil {
		t.Error(err)
	}
}

// TestCommitErrors has outputs that cannot be written between others that can.
func TestCommitErrors(t *testing.T) {
	tests := map[string]struct {
		paths []string
		// needs prepares the tree.
		needs func(t *testing.T)
		// want are parts of the error.
		want []string
	}{
		"path is a directory": {
			paths: []string{"dir"},
			want:  []string{"dir: it is a directory"},
		},
		"no path": {
			paths: []string{""},
			want:  []string{"it is a directory"},
		},
		"file in place of the directory": {
			paths: []string{"old.yaml/x.yaml"},
			want:  []string{"old.yaml/x.yaml: ", "not a directory"},
		},
		"file in place of a parent directory": {
			paths: []string{"old.yaml/sub/x.yaml"},
			want:  []string{"old.yaml/sub/x.yaml: ", "not a directory"},
		},
		"device": {
			paths: []string{os.DevNull},
			needs: func(t *testing.T) {
				if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
					t.Skipf("%s is not a device on this system", os.DevNull)
				}
			},
			want: []string{os.DevNull + ": it is outside "},
		},
		"same path": {
			paths: []string{"x.yaml", "x.yaml"},
			want:  []string{"x.yaml: two outputs have this path"},
		},
		"same path, spelled differently": {
			paths: []string{"sub/x.yaml", "./sub/../sub/x.yaml"},
			want:  []string{"./sub/../sub/x.yaml: two outputs", "sub/x.yaml"},
		},
		"same path, of equal content": {
			paths: []string{"same.yaml", "same.yaml"},
			want:  []string{"same.yaml: two outputs have this path"},
		},
		"same file by symlink": {
			paths: []string{"dir/file", "link.yaml"},
			needs: func(t *testing.T) { symlink(t, "dir/file", "link.yaml") },
			want:  []string{"link.yaml: two outputs", "dir/file"},
		},
		"same new file by symlink of its directory": {
			paths: []string{"dir/x.yaml", "link/x.yaml"},
			needs: func(t *testing.T) { symlink(t, "dir", "link") },
			want:  []string{"link/x.yaml: two outputs", "dir/x.yaml"},
		},
		"symlink to a directory": {
			paths: []string{"link.yaml"},
			needs: func(t *testing.T) { symlink(t, "dir", "link.yaml") },
			want:  []string{"link.yaml: it is a directory"},
		},
		"symlink to nothing": {
			paths: []string{"link.yaml"},
			needs: func(t *testing.T) { symlink(t, "nothing.yaml", "link.yaml") },
			want:  []string{"link.yaml: ", "symlink to a file that does not exist"},
		},
		"symlink to itself": {
			paths: []string{"link.yaml"},
			needs: func(t *testing.T) { symlink(t, "link.yaml", "link.yaml") },
			want:  []string{"link.yaml: ", "too many links"},
		},
		"write-protected file": {
			paths: []string{"protected.yaml"},
			needs: func(t *testing.T) {
				if err := os.WriteFile("protected.yaml", nil, 0o444); err != nil {
					t.Fatal(err)
				}
				ordinaryUser(t)
			},
			want: []string{"protected.yaml: it is read-only"},
		},
		"write-protected directory": {
			paths: []string{"protected/x.yaml"},
			needs: func(t *testing.T) { protectedDir(t); ordinaryUser(t) },
			want:  []string{"open protected/x.yaml: permission denied"},
		},
		"new directory in a write-protected one": {
			paths: []string{"protected/sub/x.yaml"},
			needs: func(t *testing.T) { protectedDir(t); ordinaryUser(t) },
			want:  []string{"protected/sub/x.yaml: mkdir ", "permission denied"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			commitTree(t, map[string]string{"old.yaml": "old\n", "same.yaml": "same\n", "dir/file": "file\n"})
			if test.needs != nil {
				test.needs(t)
			}
			before := treeState(t)
			outputs := outputsOf("old.yaml", "new\n", "made/for/it.yaml", "new\n")
			for _, path := range test.paths {
				outputs = append(outputs, File{Path: path, Data: []byte("same\n")})
			}
			outputs = append(outputs, outputsOf("made/by/it.yaml", "new\n")...)
			changed, err := here().Commit(t.Context(), outputs, Write, io.Discard)
			if err == nil {
				t.Fatal("got no error")
			}
			wantChanged(t, changed)
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got error %q, want it to contain %q", err, part)
				}
			}
			if strings.Contains(err.Error(), ".tmp") {
				t.Errorf("error names a temporary file: %q", err)
			}
			wantState(t, before)
		})
	}
}

func protectedDir(t *testing.T) {
	t.Helper()
	if err := os.Mkdir("protected", 0o555); err != nil {
		t.Fatal(err)
	}
}

// faultyDisk is a disk that calls before ahead of each operation, which it numbers
// from 1 by kind, and fails with its error. A write that fails has created a file.
func faultyDisk(before func(op string, n int) error) disk {
	writes, renames := 0, 0
	return disk{
		write: func(t *target, data []byte) error {
			writes++
			if err := before("write", writes); err != nil {
				return errors.Join(err, createTemp(t, data[:len(data)/2]))
			}
			return createTemp(t, data)
		},
		rename: func(dir *os.Root, from, to string) error {
			renames++
			if err := before("rename", renames); err != nil {
				return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
			}
			return dir.Rename(from, to)
		},
	}
}

func TestCommitFailsLate(t *testing.T) {
	for _, fault := range []struct {
		op   string
		n    int
		path string
	}{
		{"write", 1, "closed.yaml"},
		{"write", 2, "made/for/it.yaml"},
		{"write", 3, "old.yaml"},
		{"rename", 1, "closed.yaml"},
		{"rename", 2, "made/for/it.yaml"},
		{"rename", 3, "old.yaml"},
	} {
		t.Run(fmt.Sprint(fault.op, fault.n), func(t *testing.T) {
			commitTree(t, map[string]string{"old.yaml": "old\n", "closed.yaml": "old\n"})
			if err := os.Chmod("closed.yaml", 0o600); err != nil {
				t.Fatal(err)
			}
			state := func() string {
				s := treeState(t)
				if fault.op == "rename" {
					// What is undone has its content again, at a new time.
					s = strings.ReplaceAll(s, "written=true", "written=false")
				}
				return s
			}
			before := state()
			targets := targetsOf(t, outputsOf("closed.yaml", "new\n", "made/for/it.yaml", "new\n", "old.yaml", "new\n"))
			full := errors.New("disk full")
			err := faultyDisk(func(op string, n int) error {
				if op == fault.op && n == fault.n {
					return full
				}
				return nil
			}).replace(t.Context(), targets, nil)
			if !errors.Is(err, full) || !strings.Contains(err.Error(), fault.path) || strings.Contains(err.Error(), ".tmp") {
				t.Errorf("got error %v", err)
			}
			if after := state(); after != before {
				t.Errorf("tree changed from\n%sto\n%s", before, after)
			}
		})
	}
}

func TestCommitCannotUndo(t *testing.T) {
	commitTree(t, map[string]string{"a.yaml": "old\n", "b.yaml": "old\n"})
	targets := targetsOf(t, outputsOf("a.yaml", "new\n", "b.yaml", "new\n"))
	err := faultyDisk(func(op string, n int) error {
		if op == "rename" && n > 1 {
			return errors.New("disk gone")
		}
		return nil
	}).replace(t.Context(), targets, nil)
	if want := "rename b.yaml: disk gone\nrestore: rename a.yaml: disk gone"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	wantTree(t, map[string]string{"a.yaml": "new\n", "b.yaml": "old\n"})
}

// TestCommitKeepsForeignFile has another process create a file in a directory that
// the failing call created.
func TestCommitKeepsForeignFile(t *testing.T) {
	commitTree(t, nil)
	targets := targetsOf(t, outputsOf("made/x.yaml", "new\n", "made/too/y.yaml", "new\n"))
	err := faultyDisk(func(op string, n int) error {
		if n == 1 {
			return nil
		}
		return errors.Join(errors.New("disk full"), os.WriteFile("made/foreign", nil, 0o666))
	}).replace(t.Context(), targets, nil)
	if err == nil {
		t.Fatal("got no error")
	}
	wantTree(t, map[string]string{"made/foreign": ""})
	if _, err := os.Stat("made/too"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory made/too was not removed: %v", err)
	}
}

func TestCommitCancelled(t *testing.T) {
	files := map[string]string{"a.yaml": "old\n", "b.yaml": "old\n"}
	outputs := outputsOf("a.yaml", "new\n", "made/for/it.yaml", "new\n", "b.yaml", "new\n")
	for _, mode := range []Mode{Write, Check, Diff} {
		t.Run(fmt.Sprint("before, mode ", mode), func(t *testing.T) {
			commitTree(t, files)
			before := treeState(t)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var stdout bytes.Buffer
			changed, err := here().Commit(ctx, outputs, mode, &stdout)
			if err != context.Canceled {
				t.Errorf("got error %v", err)
			}
			wantChanged(t, changed)
			wantState(t, before)
			if stdout.Len() > 0 {
				t.Errorf("got output %q, want none", &stdout)
			}
		})
	}
	for _, at := range []string{"write1", "write2", "write3", "rename1", "rename3"} {
		t.Run(at, func(t *testing.T) {
			commitTree(t, files)
			before := treeState(t)
			targets := targetsOf(t, outputs)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := faultyDisk(func(op string, n int) error {
				if op == "write" && ctx.Err() != nil {
					t.Errorf("got write %d after cancellation", n)
				}
				if fmt.Sprint(op, n) == at {
					cancel()
				}
				return nil
			}).replace(ctx, targets, nil)
			if strings.HasPrefix(at, "write") {
				if err != context.Canceled {
					t.Errorf("got error %v", err)
				}
				wantState(t, before)
				return
			}
			if err != nil {
				t.Errorf("got error %v after renames began", err)
			}
			wantTree(t, map[string]string{"a.yaml": "new\n", "b.yaml": "new\n", "made/for/it.yaml": "new\n"})
		})
	}
}

func TestCommitStdout(t *testing.T) {
	commitTree(t, map[string]string{"a.yaml": "a\n"})
	before := treeState(t)
	var stdout bytes.Buffer
	// Paths do not matter: not that two are equal, nor what is there.
	changed, err := here().Commit(t.Context(), outputsOf("b.yaml", "b\n", "a.yaml", "a\n", "b.yaml", "c"), Stdout, &stdout)
	if err != nil {
		t.Fatal(err)
	}
	wantChanged(t, changed)
	if got, want := stdout.String(), "b\na\nc"; got != want {
		t.Errorf("got output %q, want %q", got, want)
	}
	wantState(t, before)
	if _, err := here().Commit(t.Context(), outputsOf("b.yaml", "b\n"), Stdout, brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got error %v", err)
	}
}

func TestCommitUnknownMode(t *testing.T) {
	commitTree(t, nil)
	if _, err := here().Commit(t.Context(), outputsOf("a.yaml", "a\n"), Mode(99), io.Discard); err == nil {
		t.Error("got no error")
	}
	wantTree(t, map[string]string{})
}

// brokenWriter fails as a closed pipe does.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestDir(t *testing.T) {
	for _, test := range []struct {
		outputs, stale []string
		want           string
	}{
		{nil, nil, ""},
		{[]string{"a.yaml"}, nil, ""},
		{[]string{"crd/a.yaml", "crd/b.yaml"}, nil, "crd"},
		{[]string{"config/crd/a.yaml"}, []string{"config/crd/b.yaml"}, "config/crd"},
		{[]string{"config/crd/a.yaml", "config/rbac/role.yaml"}, nil, "config"},
		{[]string{"config/crds/a.yaml", "config/crd/a.yaml"}, nil, "config"},
		{[]string{"config/crd/a.yaml", "api/zz_generated.go"}, nil, ""},
		{[]string{"../crd/a.yaml", "../crd/b.yaml"}, nil, "../crd"},
		{[]string{"../crd/a.yaml", "b.yaml"}, nil, ""},
		{[]string{"/x/crd/a.yaml", "/x/rbac/b.yaml"}, nil, "/x"},
		{[]string{"/x/a.yaml", "/y/b.yaml"}, nil, ""},
		{[]string{"/x/a.yaml", "y/b.yaml"}, nil, ""},
	} {
		var outputs []File
		for _, path := range test.outputs {
			outputs = append(outputs, File{Path: filepath.FromSlash(path)})
		}
		if got := filepath.ToSlash(Dir(outputs, test.stale)); got != test.want {
			t.Errorf("%q, %q: got %q, want %q", test.outputs, test.stale, got, test.want)
		}
	}
}
