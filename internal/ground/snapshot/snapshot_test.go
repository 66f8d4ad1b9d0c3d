package snapshot

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestDigest compares with the library.
func TestDigest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 300 {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		if got, want := Digest(string(text)), fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
			t.Fatalf("%d bytes: %s, want %s", size, got, want)
		}
	}
}

// TestDamagedEntries wants an entry to be read as it was written, and not at all if a byte
// is different or missing, or if it is in another place.
func TestDamagedEntries(t *testing.T) {
	const path = "cache/ab/cd"
	entry := Entry{
		Facts: []Fact{{Stamped, "a\n\x00\xff", Stamp{1, 2, 3, -4, 5}.Value()}, {Kind, "b", Missing}, {Variable, "", ""}},
		From:  -1, Until: 1 << 40, Code: 1, Stdout: "document\n", Stderr: "text\n",
	}
	text := entry.Text(path)
	if got, ok := Parse(path, text); !ok || !reflect.DeepEqual(got, entry) {
		t.Fatalf("%v, %+v", ok, got)
	}
	if _, ok := Parse("cache/ab/ce", text); ok {
		t.Error("in another place")
	}
	for i := range len(text) {
		if _, ok := Parse(path, text[:i]); ok {
			t.Errorf("%d bytes", i)
		}
		for bit := range 8 {
			damaged := []byte(text)
			damaged[i] ^= 1 << bit
			if _, ok := Parse(path, string(damaged)); ok {
				t.Errorf("bit %d of byte %d", bit, i)
			}
		}
	}
	// A checksum that is right is no reason to trust the lengths.
	for _, rest := range []string{"", "\xff", strings.Repeat("\xff", 100), strings.Repeat("\x00", 31)} {
		content := Header + string(appendNumber(nil, checksum(path, rest))) + rest
		if _, ok := Parse(path, content); ok {
			t.Errorf("%q", rest)
		}
	}
}

// TestFacts wants each kind of fact to hold until it is changed.
func TestFacts(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	t.Setenv("SNAPSHOT_TEST", "1")
	check(t, os.WriteFile(at("file"), nil, 0o644))
	check(t, os.WriteFile(at("kept"), nil, 0o644))
	check(t, os.Mkdir(at("dir"), 0o755))
	check(t, os.Symlink("file", at("link")))
	later := time.Now().Add(time.Hour)
	stampNow := func(name string) string {
		info, err := os.Stat(name)
		check(t, err)
		return StampOf(info, later).Value()
	}
	facts := []struct {
		fact   Fact
		change func() error
	}{
		{Fact{Stamped, at("kept"), stampNow(at("kept"))}, func() error { return os.Chmod(at("kept"), 0o600) }},
		{Fact{Kind, at("none"), Missing}, func() error { return os.Mkdir(at("none"), 0o755) }},
		{Fact{LinkKind, at("link"), "L---------"}, func() error { return os.Remove(at("link")) }},
		{Fact{Kind, at("link"), Missing}, func() error { return os.Symlink("dir", at("link")) }},
		{Fact{Target, at("link"), "dir"}, func() error { return os.Rename(at("file"), at("link")) }},
		{Fact{Kind, at("dir"), "d---------"}, func() error { return os.Remove(at("dir")) }},
		{Fact{Variable, "SNAPSHOT_TEST", Digest("1")}, func() error { return os.Setenv("SNAPSHOT_TEST", "2") }},
	}
	for _, test := range facts {
		if !test.fact.Holds(later) {
			if test.fact.About == Stamped && runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
				continue
			}
			t.Errorf("%+v does not hold", test.fact)
		}
		check(t, test.change())
		if test.fact.Holds(later) {
			t.Errorf("%+v still holds", test.fact)
		}
	}
	for _, doubtful := range []Fact{
		{Stamped, at("kept"), Stamp{}.Value()}, // too young
		{Kind, at("kept") + "/x", ""},          // neither there nor missing
		{0, "", ""},
	} {
		if doubtful.Holds(time.Now()) {
			t.Errorf("%+v holds", doubtful)
		}
	}
}

// TestWhenEntriesHold wants an entry to hold only within its time, and with facts.
func TestWhenEntriesHold(t *testing.T) {
	facts := []Fact{{Kind, t.TempDir(), "d---------"}}
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	entry := Entry{Facts: facts, From: 10, Until: 20}
	for seconds, want := range map[int64]bool{9: false, 10: true, 19: true, 20: false} {
		if entry.holds(at(seconds)) != want {
			t.Errorf("at %d", seconds)
		}
	}
	if (Entry{From: 10, Until: 20}).holds(at(15)) {
		t.Error("without facts")
	}
	entry.Facts = append(facts, Fact{Kind, t.TempDir(), Missing})
	if entry.holds(at(15)) {
		t.Error("with a wrong fact")
	}
}

// TestPath wants the entries of different processes to have different paths.
func TestPath(t *testing.T) {
	if _, err := os.UserCacheDir(); err != nil {
		t.Setenv("HOME", t.TempDir())
	}
	if programStamp() == (Stamp{}) {
		time.Sleep(Settled)
	}
	var paths []string
	add := func(args ...string) {
		t.Helper()
		path := Path(args)
		if path == "" && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") {
			t.Fatal("no path")
		}
		if slices.Contains(paths, path) {
			t.Errorf("%q is like others", args)
		}
		paths = append(paths, path)
	}
	if Path([]string{"a"}) == "" {
		t.Skip("no stamps on " + runtime.GOOS)
	}
	add()
	add("")
	add("a", "b")
	add("a b")
	add("a\x00b")
	add("a", "", "b")
	add("a", "b", "GOX=1")
	t.Setenv("GOX", "1")
	add("a", "b")
	t.Setenv("KUBEX", "1")
	add("a", "b")
	t.Setenv("GOX", "2")
	add("a", "b")
	t.Chdir(t.TempDir())
	add("a", "b")
	before := Path([]string{"a"})
	t.Setenv("XGO", "1") // no library reads it
	if Path([]string{"a"}) != before {
		t.Error("another variable counts")
	}
}

// TestCacheDir wants the flag to be found in both forms, and the last one to win.
func TestCacheDir(t *testing.T) {
	for args, want := range map[string]string{
		"":                           "",
		"crd --set=cacheDir=a ./...": "a",
		"crd --set cacheDir=a ./...": "a",
		"crd --set cacheDir=a --set=cacheDir=b ./.": "b",
		"crd --set cacheDir=a --set strict=true":    "a",
		"crd --set cacheDir":                        "",
		"crd cacheDir=a":                            "",
		"crd --set":                                 "",
		"crd --set cacheDirs=a --no-cache":          "",
	} {
		if got := cacheDir(strings.Fields(args)); got != want {
			t.Errorf("%s: %q", args, got)
		}
	}
}
