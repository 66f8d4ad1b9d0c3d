package schemagen_test

import (
	"testing"

	"golang.org/x/mod/zip"
)

// TestModuleZip checks that the go command can install a version of this module on every
// system: it rejects modules with names that Windows does not allow, with names that differ
// only in case, and of more than 500 MB.
func TestModuleZip(t *testing.T) {
	files, err := zip.CheckDir(".")
	if err != nil {
		t.Error(err)
	}
	if err := files.Err(); err != nil {
		t.Error(err)
	}
	if len(files.Valid) < 500 {
		t.Errorf("%d files", len(files.Valid))
	}
}
