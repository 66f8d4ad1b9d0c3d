package main

import (
	"os"
	"regexp"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestMigrationPage checks that docs/migration.md shows the output of the script.
func TestMigrationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```console\n\\$ schemagen migrate --yes\n(.*?)```").FindStringSubmatch(string(page))
	if shown == nil {
		t.Fatal("docs/migration.md shows no output")
	}
	archive, err := txtar.ParseFile("../../testdata/script/migrate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "want/equal" && string(file.Data) != shown[1] {
			t.Errorf("docs/migration.md shows\n%s\nbut the output is\n%s", shown[1], file.Data)
		}
	}
}
