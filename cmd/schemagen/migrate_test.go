package main

import (
	"os"
	"regexp"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestMigrationPage wants docs/migration.md to show what the script does.
func TestMigrationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```console\n\\$ schemagen migrate\n(.*?)```").FindStringSubmatch(string(page))
	if shown == nil {
		t.Fatal("docs/migration.md shows nothing")
	}
	archive, err := txtar.ParseFile("../../testdata/script/migrate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "want/equal" && string(file.Data) != shown[1] {
			t.Errorf("docs/migration.md shows\n%s\nbut it is\n%s", shown[1], file.Data)
		}
	}
}
