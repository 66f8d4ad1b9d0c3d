package inputs

import (
	"bytes"
	"path/filepath"
	"testing"
)

// firstLine is the part of a file that the tests read, and soundFirstLine tells, for a file that
// has changed, whether that is all that matters.
func firstLine(content []byte) []byte {
	line, _, _ := bytes.Cut(content, []byte("\n"))
	return line
}

func soundFirstLine(content []byte) ([]byte, bool) {
	return firstLine(content), !bytes.Contains(content, []byte("unsound"))
}

// TestPart changes a file of which a part was read.
func TestPart(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for _, test := range []struct {
		name, now   string
		whole, want bool
	}{
		{"nothing", "one\ntwo\n", false, true},
		{"the rest", "one\nthree\n", false, true},
		{"the part", "two\ntwo\n", false, false},
		{"the rest, which makes it unsound", "one\nunsound\n", false, false},
		{"nothing, if all of it matters", "one\ntwo\n", true, true},
		{"the rest, if all of it matters", "one\nthree\n", true, false},
	} {
		write(t, name, "one\ntwo\n")
		r := New()
		data, err := r.ReadPart(name, nil, firstLine)
		check(t, err)
		if string(data) != "one\ntwo\n" {
			t.Errorf("read %q", data)
		}
		if test.whole {
			r.Whole(name)
		}
		record := kept(t, r)
		write(t, name, test.now)
		if ok, _ := record.Holds(soundFirstLine); ok != test.want {
			t.Errorf("after a change of %s, the record holds: %v", test.name, ok)
		}
	}
}

// TestPartThatChanges changes a file between two reads, so that what the run depends on is not
// known.
func TestPartThatChanges(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	read := func(r *Reader) { _, _ = r.ReadPart(name, nil, firstLine) }
	for _, again := range []func(r *Reader){read, func(r *Reader) { r.Whole(name) }} {
		write(t, name, "one\ntwo\n")
		r := New()
		read(r)
		write(t, name, "one\nthree\n")
		again(r)
		if _, err := r.Record(); err == nil {
			t.Error("the record is complete")
		}
	}
}

// TestEnough changes a file after the bytes that suffice, which are all that is recorded unless
// more is read.
func TestEnough(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	three := func([]byte) int { return 3 }
	for reads := range 3 {
		write(t, name, "one two three")
		r := New()
		f, err := r.Open(name, three)
		check(t, err)
		text, buffer := "", make([]byte, 100)
		for range reads {
			n, err := f.Read(buffer)
			check(t, err)
			text += string(buffer[:n])
		}
		check(t, f.Close())
		if text != "one two three"[:len(text)] || (len(text) > 3) != (reads == 2) {
			t.Errorf("%d reads returned %q", reads, text)
		}
		record := kept(t, r)
		write(t, name, "one six")
		if ok, _ := record.Holds(nil); ok != (reads < 2) {
			t.Errorf("after a change behind the first bytes, of %d reads, the record holds: %v", reads, ok)
		}
	}
}
