package schemagen_test

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "redraw the graph of rooms in docs/ARCHITECTURE.md")

// TestPicture compares the graph in docs/ARCHITECTURE.md with the imports between rooms.
func TestPicture(t *testing.T) {
	const page, begin, end = "docs/ARCHITECTURE.md", "```mermaid\n", "```\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := bytes.Cut(text, []byte(begin))
	drawn, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		t.Fatalf("%s has no graph", page)
	}
	want := picture(slices.Concat(floors()...), roomImports(importsOf(product(t))))
	if string(drawn) == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not show the imports: run go test . -run TestPicture -update, or undo the import\ngot:\n%swant:\n%s", page, drawn, want)
	}
	if err := os.WriteFile(page, slices.Concat(before, []byte(begin+want+end), after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// importsOf returns the packages of this module that each package imports outside of
// its tests.
func importsOf(files []goFile) map[string][]string {
	out := map[string][]string{}
	for _, f := range files {
		for _, spec := range f.ast.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if own, ok := strings.CutPrefix(imported, module+"/"); ok && !f.test && !slices.Contains(out[f.dir], own) {
				out[f.dir] = append(out[f.dir], own)
			}
		}
	}
	return out
}

// roomImports returns the rooms from which each room imports packages.
func roomImports(imports map[string][]string) map[string][]string {
	out := map[string][]string{}
	for dir, list := range imports {
		for _, imported := range list {
			room, below := roomOf(dir), roomOf(imported)
			if room != below && !slices.Contains(out[room], below) {
				out[room] = append(out[room], below)
			}
		}
	}
	return out
}

// picture returns a Mermaid graph of the rooms, which are ordered lowest first: a
// line for each, with the rooms that it imports. It omits arrows that follow from
// others, and internal rooms that only tests import.
func picture(order []string, imports map[string][]string) string {
	reached := map[string]map[string]bool{} // everything that a room depends on
	product := map[string]bool{}
	for _, dir := range order {
		reached[dir] = map[string]bool{dir: true}
		for _, imported := range imports[dir] {
			for further := range reached[imported] {
				reached[dir][further] = true
			}
		}
		if !strings.Contains("/"+dir, "/internal/") {
			for further := range reached[dir] {
				product[further] = true
			}
		}
	}
	lines := []string{"flowchart TD"}
	for _, dir := range order {
		if !product[dir] {
			continue
		}
		var below []string
		for _, imported := range order {
			implied := slices.ContainsFunc(imports[dir], func(other string) bool { return other != imported && reached[other][imported] })
			if slices.Contains(imports[dir], imported) && !implied {
				below = append(below, imported)
			}
		}
		line := "  " + dir
		if len(below) > 0 {
			line += " --> " + strings.Join(below, " & ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestPictureReduces draws a graph that has each case.
func TestPictureReduces(t *testing.T) {
	got := picture([]string{"internal/fortests", "a", "internal/b", "c", "x", "d", "internal/tests"}, map[string][]string{
		"internal/b":     {"a"},
		"c":              {"internal/b", "a"}, // a follows from internal/b
		"d":              {"x", "c", "a"},     // a follows from c in two steps
		"internal/tests": {"d", "internal/fortests"},
	})
	want := "flowchart TD\n  a\n  internal/b --> a\n  c --> internal/b\n  x\n  d --> c & x\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
