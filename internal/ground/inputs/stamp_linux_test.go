package inputs

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestWriteThroughMemory writes twice through a mapped page; the second write does not
// update the change time.
func TestWriteThroughMemory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one")
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	check(t, err)
	defer f.Close()
	page, err := syscall.Mmap(int(f.Fd()), 0, 3, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	check(t, err)
	check(t, f.Close())
	copy(page, "two")
	time.Sleep(settled + 100*time.Millisecond)
	r := New()
	_, err = r.ReadFile(name, nil)
	check(t, err)
	fileRecord := kept(t, r)
	r = New()
	head(r, name, 2)
	headRecord := kept(t, r)
	before := must(os.Stat(name))
	copy(page, "six")
	if after := must(os.Stat(name)); !after.ModTime().Equal(before.ModTime()) {
		t.Log("this file system updates the time at the second write")
	}
	if ok, _ := fileRecord.Holds(nil); ok {
		t.Error("the second write was not noticed")
	}
	if ok, _ := headRecord.Holds(nil); ok {
		t.Error("the second write was not noticed in the head")
	}
	check(t, syscall.Munmap(page))
	r = New()
	_, err = r.ReadFile(name, nil)
	check(t, err)
	time.Sleep(settled + 100*time.Millisecond)
	record := kept(t, r)
	if ok, _ := record.Holds(nil); !ok || record[0].stamp == (stamp{}) {
		t.Error("a file without writers has no stamp")
	}
}

// TestWritersAreNotDisturbed opens a file for writing repeatedly while it is checked for
// writers.
func TestWritersAreNotDisturbed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one")
	f, err := os.Open(name)
	check(t, err)
	defer f.Close()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 500 {
				writer, err := os.OpenFile(name, os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				writer.Close()
			}
		})
		group.Go(func() {
			for range 500 {
				hasWriter(f)
			}
		})
	}
	group.Wait()
	if hasWriter(f) {
		t.Error("hasWriter = true after all writers closed the file")
	}
}
