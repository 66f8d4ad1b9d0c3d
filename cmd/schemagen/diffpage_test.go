package main

import (
	"os"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/compare"
)

const diffPage = "../../docs/diff.md"

// TestDiffPageHasKinds checks that docs/diff.md lists every kind of change.
func TestDiffPageHasKinds(t *testing.T) {
	data, err := os.ReadFile(diffPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, kind := range compare.Kinds() {
		at := strings.LastIndex(string(kind), "-")
		if !strings.Contains(page, "`"+string(kind)+"`") && !(strings.Contains(page, "`"+string(kind[:at+1])+"`") && strings.Contains(page, "`"+string(kind[at+1:])+"`")) {
			t.Errorf("docs/diff.md does not have %s", kind)
		}
	}
}
