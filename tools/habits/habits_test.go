package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source has one place of each pattern, named by the comment at the end of its line.
const source = `package p

type flag bool

type wide struct { // fields
	a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t int
}

// size is that of the file: pronoun-comment

func four() (int, int, int, error) { return 0, 0, 0, nil } // results

func switched(on bool) {} // bool-parameter, preposition

func flagged(f flag) {} // flag-type

func assigned(x, y, z int) {
	x, y = y, x
	x, y = z, 1 // parallel
	one, two := x, y // define-two
	p, q, r := 1, 2, 3 // define
	of := one + two + p + q + r // preposition
	for i, n := 0, of; i < n; i++ {
	}
	if x = y; x > 0 { // if-effect
	}
	_ = xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx // wide
}

func far(s int) { // short-name
	BLANK
	_ = s
}

func near(s int) {
	_ = s
}

func long() { // long-function
	BLANK
	BLANK
	BLANK
	BLANK
}
`

// TestPatterns finds each pattern at the line that names it, and nothing else.
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	text := strings.ReplaceAll(source, "BLANK", strings.Repeat("\n", 22))
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	c, err := countDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := readLimits(limitsText)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range limits {
		var want []string
		for i, line := range strings.Split(text, "\n") {
			if _, comment, _ := strings.Cut(line, "// "); strings.Contains(comment+",", l.pattern+",") {
				want = append(want, "p.go:"+strconv.Itoa(i+1))
			}
		}
		if len(want) == 0 {
			t.Errorf("%s: the source has no example", l.pattern)
		}
		var got []string
		for _, place := range c.places[l.pattern] {
			parts := strings.SplitN(strings.Fields(place)[0], ":", 3)
			got = append(got, parts[0]+":"+parts[1])
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: got %v, want %v", l.pattern, got, want)
		}
	}
	var printed bytes.Buffer
	code, err := run([]string{dir}, &printed)
	if err != nil || code != 1 || !strings.Contains(printed.String(), "ABOVE") {
		t.Errorf("got code %d, error %v, and\n%s", code, err, &printed)
	}
}
