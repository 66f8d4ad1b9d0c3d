package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRecall changes a file from which an earlier run derived something.
func TestRecall(t *testing.T) {
	dir := t.TempDir()
	const text = "one\ntwo\n"
	// ways are how a run reads a file, and what it derives from that.
	ways := map[string]struct {
		read   func(r *Reader, name string)
		recall func(r *Reader, name string) (string, bool)
	}{
		"file": {func(r *Reader, name string) {
			_, err := r.ReadFile(name, nil)
			check(t, err)
			r.Derive(name, `the "file"`)
		}, (*Reader).Recall},
		"part": {func(r *Reader, name string) {
			_, err := r.ReadPart(name, nil, firstLine)
			check(t, err)
			r.Derive(name, `the "part"`)
		}, (*Reader).Recall},
		"head": {func(r *Reader, name string) {
			f, err := r.Open(name, nil)
			check(t, err)
			_, err = f.Read(make([]byte, 3))
			check(t, err)
			check(t, f.Close())
			r.DeriveHead(name, 3, `the "head"`)
		}, (*Reader).RecallHead},
	}
	changes := map[string]func(name string){
		"nothing":          func(string) {},
		"size":             func(name string) { write(t, name, text+"three\n") },
		"what the run saw": func(name string) { write(t, name, "ONE\ntwo\n") },
		"what it did not":  func(name string) { write(t, name, "one\nTWO\n") },
		"what it did not, in secret": func(name string) {
			info, err := os.Stat(name)
			check(t, err)
			write(t, name, "one\nTWO\n")
			check(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
		},
		"only times":    func(name string) { check(t, os.Chtimes(name, time.Time{}, time.Now())) },
		"its existence": func(name string) { check(t, os.Remove(name)) },
		"another file":  func(name string) { write(t, name+".other", text); check(t, os.Rename(name+".other", name)) },
	}
	at := func(way, change string) string { return filepath.Join(dir, way+" "+change) }
	young := New()
	for way := range ways {
		for change := range changes {
			write(t, at(way, change), text)
			ways[way].read(young, at(way, change))
		}
	}
	if record := kept(t, young); slices.ContainsFunc(record, func(e entry) bool { return e.derived != "" }) {
		t.Error("something is derived from files that may change within the granularity of the clock")
	}
	time.Sleep(settled + 100*time.Millisecond)
	first := New()
	for way := range ways {
		for change := range changes {
			ways[way].read(first, at(way, change))
		}
	}
	record := kept(t, first)
	for change, apply := range changes {
		for way := range ways {
			apply(at(way, change))
		}
	}
	next := New()
	next.Resume(record)
	for way, w := range ways {
		for change := range changes {
			derived, ok := w.recall(next, at(way, change))
			if ok != (change == "nothing") || ok && derived != `the "`+way+`"` {
				t.Errorf("%s: after a change of %s, recalled %q, %v", way, change, derived, ok)
			}
		}
	}
	// A run that recalls depends on the files as if it had read them, and lets the next one recall, too.
	recalled := kept(t, next)
	want := slices.DeleteFunc(slices.Clone(record), func(e entry) bool { return !strings.HasSuffix(e.name, " nothing") })
	if !slices.Equal(recalled, want) {
		t.Errorf("got record\n%s\nwant\n%s", recalled.AppendText(nil), want.AppendText(nil))
	}
	// A record that is renewed does not keep what was derived from another content.
	name := at("part", "only times")
	renewed := slices.DeleteFunc(slices.Clone(record), func(e entry) bool { return e.name != name })
	time.Sleep(settled + 100*time.Millisecond)
	if ok, changed := renewed.Holds(soundFirstLine); !ok || !changed {
		t.Fatalf("holds %v, renewed %v", ok, changed)
	}
	last := New()
	last.Resume(renewed)
	if derived, ok := last.Recall(name); ok {
		t.Errorf("recalled %q after the record was renewed", derived)
	}
}

// TestRecalledFileChanges reads a file that was recalled and has changed since.
func TestRecalledFileChanges(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "one\n")
	time.Sleep(settled + 100*time.Millisecond)
	first := New()
	_, err := first.ReadFile(name, nil)
	check(t, err)
	first.Derive(name, "one")
	next := New()
	next.Resume(kept(t, first))
	if _, ok := next.Recall(name); !ok {
		t.Fatal("not recalled")
	}
	write(t, name, "two\n")
	_, err = next.ReadFile(name, nil)
	check(t, err)
	if _, err := next.Record(); err == nil {
		t.Error("the record is complete, though the file changed during the run")
	}
}
