package changetable

import (
	"io/fs"
	"testing"
)

// Recorded returns the cases of the table in testdata/changes, and what a real server did with each.
func Recorded(t testing.TB, changes fs.FS) ([]Case, map[string]Facts) {
	t.Helper()
	read := func(name string) []byte {
		data, err := fs.ReadFile(changes, name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	cases, err := Read(read("rows.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	facts, err := ReadFacts(string(read("facts.txt")))
	if err != nil {
		t.Fatal(err)
	}
	return cases, facts
}
