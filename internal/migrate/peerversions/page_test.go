package peerversions

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDifferencesPage checks the table of changes in docs/differences.md; -update rewrites it.
func TestDifferencesPage(t *testing.T) {
	const page, heading = "../../../docs/differences.md", "## What changes with the controller-gen version\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, section, found := strings.Cut(string(data), heading)
	section, after, ends := strings.Cut(section, "\n## ")
	if !found || !ends {
		t.Fatalf("%s has no section %q, or it is the last one", page, heading)
	}
	text, _, _ := strings.Cut(section, "\n|")
	var table strings.Builder
	table.WriteString("| since | generator | change | number |\n|---|---|---|--:|\n")
	for _, c := range Changes() {
		number := ""
		if c.Pull != 0 {
			number = fmt.Sprintf("#%d", c.Pull)
		}
		fmt.Fprintf(&table, "| %s | `%s` | %s | %s |\n", c.Since, c.Generator, c.Summary, number)
	}
	want := before + heading + strings.TrimRight(text, "\n") + "\n\n" + table.String() + "\n## " + after
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not that of Changes: run go test -run TestDifferencesPage -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
