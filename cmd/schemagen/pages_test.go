package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	docs "github.com/schemagen/schemagen/markers"
)

// TestMarkersPage checks that docs/MARKERS.md is up to date; -update rewrites it.
func TestMarkersPage(t *testing.T) {
	markers, err := docs.New()
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, "../../docs/MARKERS.md", markers.Page())
}

// TestReadmeFigures checks that the figures in README.md are those in the summary of
// docs/performance.md; -update rewrites them.
func TestReadmeFigures(t *testing.T) {
	performance, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- figures from docs/performance.md -->\n", "\n[How this was measured]"
	before, rest, found := strings.Cut(string(readme), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("README.md has no place for figures")
	}
	table := readmeFigures(string(performance))
	if strings.Count(table, "\n") < 5 {
		t.Fatalf("docs/performance.md has few of the figures:\n%s", table)
	}
	checkPage(t, "../../README.md", before+begin+"\n"+table+end+after)
}

// readmeFigures returns the rows of the summary of docs/performance.md that are about what
// users run.
func readmeFigures(performance string) string {
	performance, _, _ = strings.Cut(performance, "<!-- end -->")
	var b strings.Builder
	b.WriteString("| | command lines | times as fast | peak memory, of controller-gen's |\n|---|--:|--:|--:|\n")
	for _, row := range []struct{ title, shown string }{
		{"`rbac crd webhook`, cold, verified", "`make manifests`: `rbac crd webhook`"},
		{"`object`, cold", "`make generate`: `object`"},
		{"Any line, one API file edited", "all of a project's lines, a type edited"},
		{"Any line, nothing changed", "the same, nothing changed"},
		{"`crd`, cold, verified", "`crd` alone"},
	} {
		_, rest, found := strings.Cut(performance, "\n| "+row.title+" |")
		line, _, _ := strings.Cut(rest, "\n")
		cells := strings.Split(line, "|") // lines, times as fast, range, memory, CPU
		if !found || len(cells) < 5 {
			continue // not measured yet
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.shown, strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[3]))
	}
	return b.String()
}

// checkPage checks that a generated page is up to date; -update rewrites it.
func checkPage(t *testing.T, page, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is out of date (%v): run make generate", page, err)
	}
}
