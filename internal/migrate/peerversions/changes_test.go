package peerversions

import (
	"flag"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

var update = flag.Bool("update", false, "rewrite docs/migration.md")

// TestTable checks the rows of the table.
func TestTable(t *testing.T) {
	for _, c := range Changes() {
		if !semver.IsValid(c.Since) || semver.Compare(c.Since, Oldest) <= 0 {
			t.Errorf("%s: since %s", c.Summary, c.Since)
		}
		if c.Summary == "" || strings.HasSuffix(c.Summary, ".") {
			t.Errorf("%s: incomplete", c.Summary)
		}
	}
}

// TestSince checks both ends of the table, and a release before it.
func TestSince(t *testing.T) {
	if got := len(Since(Oldest)); got != len(Changes()) {
		t.Errorf("%d changes since %s", got, Oldest)
	}
	for _, release := range []string{"v0.23.0", "v0.9.0", "(devel)"} {
		if got := Since(release); len(got) != 0 {
			t.Errorf("since %s: %v", release, got)
		}
	}
}
