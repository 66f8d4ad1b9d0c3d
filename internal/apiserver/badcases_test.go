package apiserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// badCasesVariable names a directory for TestWriteBadCases.
const badCasesVariable = "SCHEMAGEN_BAD_CASES"

// TestWriteBadCases writes the CRDs of TestCreateMatchesServer into a directory, so that
// e2e can send them to a real server. It is skipped if the variable is not set.
func TestWriteBadCases(t *testing.T) {
	dir := os.Getenv(badCasesVariable)
	if dir == "" {
		t.Skip(badCasesVariable + " is not set")
	}
	for i, c := range badCases() {
		data, err := json.MarshalIndent(c.crd(t), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d %s.json", i, c.name)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
