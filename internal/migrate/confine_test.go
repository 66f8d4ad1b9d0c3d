package migrate

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCopyKeepsWrites copies random projects with many symlinks, writes to every path of the
// copy that confined does not reject, and checks that nothing outside of the copy changes.
func TestCopyKeepsWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	written, rejected := 0, 0
	for n := range 60 {
		base, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(base, "copy")
		for _, dir := range []string{"project/a/b", "project/c", "project-sibling", "outside/d", "copy"} {
			if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"project/f", "project/a/f", "outside/f", "outside/d/f", "project-sibling/f"} {
			if err := os.WriteFile(filepath.Join(base, name), []byte(name), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		names := []string{"f", "a", "c", "d", "x", "y", "..", "../..", "outside", "a/b/x"}
		var links []string
		for range 6 {
			name := filepath.Join("project", []string{"", "a", "a/b", "c"}[random.IntN(4)], []string{"x", "y", "z"}[random.IntN(3)])
			target := filepath.Join(names[random.IntN(len(names))], names[random.IntN(len(names))])
			if random.IntN(2) == 0 {
				target = filepath.Join([]string{"..", "../..", "../../.."}[random.IntN(3)], []string{"outside", "outside/f", "outside/d/f", "outside/new", "project-sibling/f", "project/f"}[random.IntN(6)])
			}
			if random.IntN(3) == 0 {
				target = filepath.Join(base, []string{"project", "outside", "project-sibling"}[random.IntN(3)], target)
			}
			if os.Symlink(target, filepath.Join(base, name)) == nil {
				links = append(links, name+" -> "+target)
			}
		}
		before := contents(t, base, copied)
		project := copiedProject{root: filepath.Join(base, "project"), temp: copied}
		if err := project.copyTo(t.Context(), copied); err != nil {
			t.Fatal(n, links, err)
		}
		within := confined{copy: copied, dir: copied}
		paths := slices.Clone(names)
		for _, first := range append(names, "z") {
			for _, second := range append(names, "z") {
				paths = append(paths, filepath.Join(first, second), filepath.Join(first, second, "new", "f"))
			}
		}
		for _, path := range paths {
			// controller-gen writes files with other names to these directories.
			dir, name := filepath.Split(path)
			if within.outside(dir) {
				rejected++
				continue
			}
			if os.MkdirAll(filepath.Join(copied, dir), 0o777) == nil && name != ".." && os.WriteFile(filepath.Join(copied, dir, name), []byte("written"), 0o666) == nil {
				written++
			}
		}
		if after := contents(t, base, copied); !maps.Equal(before, after) {
			t.Fatalf("project %d: files outside of the copy changed with the links %v:\nbefore %v\nafter %v", n, links, before, after)
		}
	}
	if written < 1000 || rejected < 1000 {
		t.Errorf("got %d written and %d rejected paths, want at least 1000 of each", written, rejected)
	}
}

// contents returns the files, links and directories below dir, except those of a copy.
func contents(t *testing.T, dir, without string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == without:
			return filepath.SkipDir
		case d.IsDir():
			out[name] = "directory"
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(name)
			out[name] = "link to " + link
			return err
		}
		data, err := os.ReadFile(name)
		out[name] = fmt.Sprintf("%q", data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReplacePath(t *testing.T) {
	for text, want := range map[string]string{
		"paths=/x/mig/...":                     "paths=/c/...",
		"output:crd:dir=/x/mig":                "output:crd:dir=/c",
		"output:crd:dir=/x/mig-abs":            "output:crd:dir=/x/mig-abs",
		"output:crd:dir=/x/mig.d/y":            "output:crd:dir=/x/mig.d/y",
		"output:crd:dir=/y/x/mig/z":            "output:crd:dir=/y/x/mig/z",
		"paths=/x/mig/a;/x/mig/b;/x/migrate":   "paths=/c/a;/c/b;/x/migrate",
		`headerFile="/x/mig/h.txt",year=2026`:  `headerFile="/c/h.txt",year=2026`,
		"/x/mig":                               "/c",
		"config=/x/mig/out,code=/x/mig/../mig": "config=/c/out,code=/c/../mig",
	} {
		if got := replacePath(text, "/x/mig", "/c"); got != want {
			t.Errorf("replacePath(%s) = %s, want %s", text, got, want)
		}
	}
}
