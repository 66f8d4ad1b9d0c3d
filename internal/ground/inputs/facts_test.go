//go:build linux || darwin

package inputs

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/schemagen/schemagen/internal/ground/snapshot"
)

// TestFactsImplyTheRecord asks random questions about random trees, changes something, and
// wants the record to hold whenever its facts do. Where nothing was changed, and the
// record's answers are known, facts must hold, too.
func TestFactsImplyTheRecord(t *testing.T) {
	const trees = 1000
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "b", "c"}
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	base, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	var asked []string
	// path returns a path that may exist, often one that was asked about, or one above it.
	path := func(dir string) string {
		if len(asked) > 0 && random.IntN(2) == 0 {
			name := one(asked...)
			for random.IntN(2) == 0 && len(filepath.Dir(name)) > len(dir) {
				name = filepath.Dir(name)
			}
			return name
		}
		name := dir
		for range 1 + random.IntN(3) {
			name = filepath.Join(name, one(parts...))
		}
		return name
	}
	// put makes a file, a directory or a symlink, if it can.
	put := func(dir string) {
		name := path(dir)
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		switch random.IntN(6) {
		case 0:
			_ = os.Mkdir(name, 0o755)
		case 1:
			_ = os.Symlink(path(dir), name)
		case 2:
			_ = os.Symlink(one("../", "", "../../", "./")+one(parts...)+one("", "/..", "/b"), name)
		case 3:
			_ = os.WriteFile(name, []byte(one("x", "y")), 0o755)
		default:
			_ = os.WriteFile(name, []byte(one("x", "y")), 0o644)
		}
	}
	change := func(dir string) {
		switch random.IntN(5) {
		case 0:
			put(dir)
		case 1:
			name := path(dir)
			_ = os.Rename(name, filepath.Join(dir, one(parts...)))
		case 2:
			_ = os.RemoveAll(path(dir))
			_ = os.WriteFile(path(dir), nil, 0o755)
		case 3:
			name := path(dir)
			if target, err := os.Readlink(name); err == nil {
				_ = os.Remove(name)
				_ = os.Symlink(one(target, path(dir), one(parts...)), name)
			}
			_ = os.Rename(path(dir), filepath.Join(dir, "moved"))
			_ = os.Symlink(filepath.Join(dir, "moved"), path(dir))
		case 4:
			t.Setenv("INPUTS_TEST", one("", "1"))
			t.Setenv("PATH", filepath.Join(dir, one(parts...))+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
	}
	dirs := make([]string, trees)
	for i := range dirs {
		dirs[i] = filepath.Join(base, strconv.Itoa(i))
		check(t, os.MkdirAll(dirs[i], 0o755))
		for range 12 {
			put(dirs[i])
		}
	}
	time.Sleep(settled + 100*time.Millisecond)
	held, broken, unknown := 0, 0, 0
	for _, dir := range dirs {
		asked = nil
		t.Setenv("PATH", filepath.Join(dir, "a")+string(os.PathListSeparator)+path(dir))
		t.Setenv("INPUTS_TEST", one("", "1"))
		r := New()
		for range 1 + random.IntN(3) {
			command := one(parts...)
			asked = append(asked, path(dir), filepath.Join(dir, "a", command))
			ask(r, random.IntN(9), asked[len(asked)-2], command)
		}
		record := kept(t, r)
		facts, ok := record.Facts()
		if !ok {
			unknown++
			continue
		}
		if !hold(facts) {
			t.Errorf("facts do not hold: %+v", facts)
		}
		for range random.IntN(6) {
			change(dir)
		}
		factsHold := hold(facts)
		recordHolds, _ := record.Holds(nil)
		switch {
		case factsHold && !recordHolds:
			t.Errorf("the facts %+v hold, but the record does not:\n%s", facts, record.AppendText(nil))
		case factsHold:
			held++
		default:
			broken++
		}
	}
	t.Logf("%d hold, %d do not, %d are not known", held, broken, unknown)
	if held < trees/8 || broken < trees/8 || unknown > trees/2 {
		t.Error("too few to tell anything")
	}
}

// ask asks one of the kinds of questions.
func ask(r *Reader, kind int, name, command string) {
	switch kind {
	case 0:
		_, _ = r.ReadFile(name, nil)
	case 1:
		_, _ = r.ReadDir(name)
	case 2:
		_, _ = r.Stat(name)
	case 3:
		_, _ = r.Lstat(name)
	case 4, 5:
		_, _ = r.EvalSymlinks(name)
	case 6, 7:
		_, _ = r.LookPath(command)
	case 8:
		r.Getenv("INPUTS_TEST")
	}
}

func hold(facts []snapshot.Fact) bool {
	for _, f := range facts {
		if !f.Holds(time.Now()) {
			return false
		}
	}
	return true
}
