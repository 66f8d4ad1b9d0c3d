package main

import (
	"os"
	"testing"
)

// TestCodesPage wants docs/diagnostics.md to be what the tables say; -update
// rewrites it.
func TestCodesPage(t *testing.T) {
	checkPage(t, "../../docs/diagnostics.md", codesPage())
	seen := map[string]bool{}
	for _, info := range codes() {
		if seen[string(info.Code)] || info.Title == "" || info.Explanation == "" {
			t.Errorf("code %s stands twice or says nothing", info.Code)
		}
		seen[string(info.Code)] = true
	}
}

// TestMarkersPage wants docs/MARKERS.md to be what the reference says; -update
// rewrites it.
func TestMarkersPage(t *testing.T) {
	page, err := markersPage()
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, "../../docs/MARKERS.md", page)
}

// checkPage wants a generated page to be up to date; -update rewrites it.
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
