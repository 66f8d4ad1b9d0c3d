package main

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestMigrationPage checks that docs/migration.md shows the output of the script.
func TestMigrationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```console\n\\$ schemagen migrate --yes --pin v1.0.0\n(.*?)```").FindStringSubmatch(string(page))
	if shown == nil {
		t.Fatal("docs/migration.md shows no output")
	}
	archive, err := txtar.ParseFile("../../testdata/script/migrate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	output := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want/equal" })
	if output < 0 {
		t.Fatal("the script has no output want/equal")
	}
	if got := string(archive.Files[output].Data); got != shown[1] {
		t.Errorf("docs/migration.md shows\n%s\nbut the output is\n%s", shown[1], got)
	}
}
