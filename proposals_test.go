package schemagen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A clause is a row of testdata/proposals.tsv: what a proposal says, and the test that shows
// whether it holds.
type clause struct {
	proposal, section, text, verdict string
	// dir is the folder of the test, and name its function, followed by a case and a section of
	// its file, if the row is about these. They are empty where nothing can be tested.
	dir, name string
}

// clausesOf returns the rows of the table, in order.
func clausesOf(t *testing.T) []clause {
	t.Helper()
	data, err := os.ReadFile("testdata/proposals.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []clause
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 5 {
			t.Fatalf("line %d: got %d cells, want 5", i+1, len(cells))
		}
		if i == 0 {
			continue // the header
		}
		dir, name, _ := strings.Cut(cells[4], " ")
		out = append(out, clause{cells[0], cells[1], cells[2], cells[3], dir, name})
	}
	return out
}

// caseDirs are the folders of the txtar files of tests that run one subtest a file.
func caseDirs() map[string][]string {
	return map[string][]string{
		"TestCases":       {"testdata/crd"},
		"TestScripts":     {"testdata/script"},
		"TestUnionCases":  {"testdata/unions"},
		"TestSchemaCases": {"structural/testdata"},
		"TestObjectCases": {"structural/testdata/objects", "structural/testdata"},
		"TestLitmus":      {"structural/testdata"},
	}
}

// TestProposals checks that each clause of the proposals has a verdict, and a test that exists.
func TestProposals(t *testing.T) {
	clauses := clausesOf(t)
	tested := []string{"holds", "otherwise"}
	untested := []string{"left out", "not a generator's"}
	count := map[string]int{}
	seen := map[string]bool{}
	for _, c := range clauses {
		count[c.proposal]++
		if key := c.proposal + c.text; seen[key] {
			t.Errorf("duplicate clause of %s: %s", c.proposal, c.text)
		} else {
			seen[key] = true
		}
		switch {
		case slices.Contains(tested, c.verdict):
			if missing := missingTest(t, c); missing != "" {
				t.Errorf("%s: %s: %s", c.proposal, c.text, missing)
			}
		case !slices.Contains(untested, c.verdict):
			t.Errorf("%s: %s: unknown verdict %q", c.proposal, c.text, c.verdict)
		case c.dir != "":
			t.Errorf("%s: %s: %s, but it has a test", c.proposal, c.text, c.verdict)
		}
	}
	for _, proposal := range []string{"structural", "pruning", "unions", "publishing"} {
		if count[proposal] < 20 {
			t.Errorf("got %d clauses of %s", count[proposal], proposal)
		}
	}
	if len(count) != 4 {
		t.Errorf("got clauses of %v", count)
	}
}

// missingTest returns what of the test of a clause does not exist, or "".
func missingTest(t *testing.T, c clause) string {
	t.Helper()
	parts := strings.Split(c.name, "/")
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(c.dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(parts[0]) + `\((?:t \*testing\.T|b \*testing\.B)\)`)
	if !slices.ContainsFunc(files, func(file string) bool {
		data, err := os.ReadFile(file)
		return err == nil && declared.Match(data)
	}) {
		return "no test " + parts[0] + " in " + c.dir
	}
	if len(parts) == 1 {
		return ""
	}
	for _, dir := range caseDirs()[parts[0]] {
		archive, err := txtar.ParseFile(filepath.Join(filepath.FromSlash(dir), parts[1]+".txtar"))
		if err != nil {
			continue
		}
		if len(parts) == 2 || slices.ContainsFunc(archive.Files, func(f txtar.File) bool {
			return f.Name == parts[2] || strings.HasPrefix(f.Name, parts[2]+".")
		}) {
			return ""
		}
		return "no section " + parts[2] + " in " + dir + "/" + parts[1] + ".txtar"
	}
	return "no case " + parts[1] + " of " + parts[0]
}

// TestSeedErrata checks that the page about differences has the clauses that do not hold, with
// their tests, and no others.
func TestSeedErrata(t *testing.T) {
	page, err := os.ReadFile("docs/dev/seed-errata.md")
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{"Structural schemas": "structural", "Pruning": "pruning", "Unions": "unions", "Publishing": "publishing"}
	onPage := map[[2]string]string{} // the test, by proposal and clause
	proposal := ""
	for line := range bytes.Lines(page) {
		text := strings.TrimSpace(string(line))
		if title, ok := strings.CutPrefix(text, "## "); ok {
			proposal = titles[title]
			continue
		}
		cells := strings.Split(strings.Trim(text, "|"), " | ")
		if !strings.HasPrefix(text, "| ") || text == "| proposal | reason |" || text == "| proposal | actual behavior | test |" {
			continue
		}
		test := ""
		if len(cells) == 3 {
			test = strings.TrimSpace(cells[2])
		}
		onPage[[2]string{proposal, strings.TrimSpace(cells[0])}] = test
	}
	if len(onPage) < 30 {
		t.Errorf("got %d rows", len(onPage))
	}
	for _, c := range clausesOf(t) {
		key := [2]string{c.proposal, c.text}
		test, is := onPage[key]
		delete(onPage, key)
		wanted := c.verdict == "otherwise" || c.verdict == "left out"
		want := ""
		if c.dir != "" {
			want = "`" + c.name + "` in " + c.dir
		}
		switch {
		case is != wanted:
			t.Errorf("%s: %s: the verdict is %q; on the page: %t", c.proposal, c.text, c.verdict, is)
		case is && test != want:
			t.Errorf("%s: %s: got test %q, want %q", c.proposal, c.text, test, want)
		}
	}
	for key := range onPage {
		t.Errorf("%s: %s: is not in testdata/proposals.tsv", key[0], key[1])
	}
}
