package peerversions

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

var (
	outputs = flag.String("outputs", "", "directory with the outputs of releases, from `go run -C bench . versions`")
	update  = flag.Bool("update", false, "rewrite testdata/versions.tsv")
)

// measured is the file with the result of TestMeasured.
const measured = "testdata/versions.tsv"

// TestMeasured compares what the releases wrote for real projects: each release with the next
// one, and with the last one. The changes in the table must explain every difference.
//
// Left out of make generate: make versions records it.
func TestMeasured(t *testing.T) {
	if *outputs == "" {
		t.Skip("needs -outputs: make versions")
	}
	releases := releasesIn(t, *outputs)
	var table strings.Builder
	table.WriteString("# from\tto\tcase\tline\tfiles\tdiffering\tunexplained\tchanges\n")
	last := releases[len(releases)-1]
	for i, release := range releases[:len(releases)-1] {
		var small []recordedPair
		for _, line := range linesIn(t, filepath.Join(*outputs, release)) {
			row, differing := measure(t, release, releases[i+1], line)
			table.WriteString(row)
			if strings.HasPrefix(line, "changes") {
				small = append(small, differing...)
			}
			if releases[i+1] != last {
				row, _ = measure(t, release, last, line)
				table.WriteString(row)
			}
		}
		if *update && len(small) > 0 {
			record(t, release, releases[i+1], small)
		}
	}
	if *update {
		if err := os.WriteFile(measured, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(measured)
	if err != nil {
		t.Fatal(err)
	}
	if got := table.String(); got != string(want) {
		t.Errorf("%s is not what was measured; -update rewrites it. Measured:\n%s", measured, got)
	}
}

// measure compares the files of two releases for one line of a case, and returns the row of
// the table and the files that differ.
func measure(t *testing.T, from, to, line string) (row string, pairs []recordedPair) {
	t.Helper()
	old, new := filesIn(t, filepath.Join(*outputs, from, line)), filesIn(t, filepath.Join(*outputs, to, line))
	caseName, lineName := filepath.Split(line)
	row = fmt.Sprintf("%s\t%s\t%s\t%s", from, to, filepath.Clean(caseName), lineName)
	for _, release := range []struct {
		name  string
		files map[string][]byte
	}{{from, old}, {to, new}} {
		if _, failed := release.files["FAILED"]; failed {
			return row + "\t-\t-\t-\t" + release.name + " failed\n", nil
		}
	}
	names := maps.Clone(old)
	maps.Copy(names, new)
	unexplained := 0
	changes := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, b := old[name], new[name]
		if a != nil && b != nil && withoutVersion(a) == withoutVersion(b) {
			continue
		}
		e, err := between(name, from, to, a, b)
		if err != nil {
			t.Errorf("%s %s %s %s: %v", from, to, line, name, err)
			continue
		}
		for _, change := range e.Changes {
			changes[change.Name] = true
		}
		pair := recordedPair{from: from, to: to, name: filepath.ToSlash(filepath.Join(lineName, name)), changes: strings.Join(namesOf(e.Changes), " ")}
		if strings.HasPrefix(line, "changes") {
			pair.before, pair.after = reduced(t, name, a, b), reduced(t, name, b, a)
		}
		pairs = append(pairs, pair)
		if !e.Complete() {
			unexplained++
			t.Errorf("%s %s %s %s: not explained:\n\t%s", from, to, line, name, strings.Join(e.Unexplained, "\n\t"))
		}
	}
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%s\n", row, len(names), len(pairs), unexplained, strings.Join(inOrder(changes), " ")), pairs
}

// inOrder returns the names of changes in the order of the table.
func inOrder(names map[string]bool) (out []string) {
	for _, change := range Changes() {
		if names[change.Name] {
			out = append(out, change.Name)
		}
	}
	return out
}

func releasesIn(t *testing.T, dir string) (releases []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		releases = append(releases, e.Name())
	}
	semver.Sort(releases)
	return releases
}

// linesIn returns the directories CASE/LINE.
func linesIn(t *testing.T, dir string) (lines []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(rel, ".new") {
			lines = append(lines, rel)
		}
	}
	return lines
}

// filesIn returns the files below a directory by their relative names.
func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = bytes.Clone(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
