package main

import (
	"os"
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
