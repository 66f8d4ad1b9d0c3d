package main

import (
	"os"
	"testing"
)

// TestCodesPage wants docs/diagnostics.md to be what the tables say; -update
// rewrites it.
func TestCodesPage(t *testing.T) {
	const page = "../../docs/diagnostics.md"
	want := codesPage()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is out of date (%v): run make generate", page, err)
	}
	seen := map[string]bool{}
	for _, info := range codes() {
		if seen[string(info.Code)] || info.Title == "" || info.Explanation == "" {
			t.Errorf("code %s stands twice or says nothing", info.Code)
		}
		seen[string(info.Code)] = true
	}
}
