package gentest

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/test/docexample"
	docs "github.com/schemagen/schemagen/markers"
)

// Example returns a case with the example of a marker in the reference, completed to packages, and
// with another version if the example asks for one.
func Example(name string, m *docs.MarkerDoc) *Case {
	archive := &txtar.Archive{Files: docexample.Package(m.Go, m.Package...)}
	for i, file := range archive.Files { // every result would have the description
		archive.Files[i].Data = bytes.ReplaceAll(file.Data, []byte(docexample.SpecComment), nil)
	}
	if m.Version != "" {
		marker := "+kubebuilder:storageversion"
		if strings.Contains(m.Go, "\n// "+marker) {
			marker = ""
		}
		archive.Files = append(archive.Files, docexample.Version(m.Version, marker))
	}
	return &Case{Name: name, Archive: archive}
}

// Table returns the definitions of markers.
func Table(t testing.TB) *markers.Table {
	t.Helper()
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	return table
}
