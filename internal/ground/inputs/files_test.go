package inputs

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// TestFrom checks that a Reader of a file system reads that and not the disk.
func TestFrom(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "on-disk")
	write(t, disk, "disk")
	t.Setenv("INPUTS_TEST", "1")
	r := From(fstest.MapFS{"a/b.txt": {Data: []byte("text")}})
	data, err := r.ReadFile("/a/b.txt", nil)
	if string(data) != "text" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	f, err := r.Open("/a/b.txt", nil)
	check(t, err)
	if head, err := io.ReadAll(f); string(head) != "text" || err != nil {
		t.Errorf("got %q, %v from the beginning", head, err)
	}
	if entries, err := r.ReadDir("/a"); len(entries) != 1 || entries[0].Name() != "b.txt" || err != nil {
		t.Errorf("got entries %v, %v", entries, err)
	}
	for name, isDir := range map[string]bool{"/": true, "/a/": true, "/a/b.txt": false} {
		if info, err := r.Stat(name); err != nil || info.IsDir() != isDir {
			t.Errorf("%s: got %v, %v from Stat", name, info, err)
		}
		if info, err := r.Lstat(name); err != nil || info.IsDir() != isDir {
			t.Errorf("%s: got %v, %v from Lstat", name, info, err)
		}
	}
	if _, err := r.ReadFile(disk, nil); !os.IsNotExist(err) {
		t.Errorf("reading a file on disk: got error %v", err)
	}
	if _, err := r.Stat(disk); !os.IsNotExist(err) {
		t.Errorf("the state of a file on disk: got error %v", err)
	}
	if _, err := r.ReadDir(filepath.Dir(disk)); !os.IsNotExist(err) {
		t.Errorf("reading a directory on disk: got error %v", err)
	}
	if _, err := r.LookPath("go"); err == nil || r.Getenv("INPUTS_TEST") != "" {
		t.Error("there are commands or variables")
	}
	if name, err := r.EvalSymlinks("/a/b.txt"); name != "/a/b.txt" || err != nil {
		t.Errorf("got %q, %v without symlinks", name, err)
	}
	if _, err := r.Record(); err == nil {
		t.Error("the record is complete")
	}
}
