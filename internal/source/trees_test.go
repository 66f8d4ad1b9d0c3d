package source

import (
	"go/ast"
	"go/scanner"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// syntaxErrors collects the files that cannot be read or parsed.
type syntaxErrors struct{ files []string }

func (s *syntaxErrors) Unreadable(_ *Package, file string, _ error) {
	s.files = append(s.files, filepath.Base(file))
}
func (s *syntaxErrors) Syntax(_ *Package, err *scanner.Error) {
	s.files = append(s.files, filepath.Base(err.Pos.Filename))
}
func (s *syntaxErrors) Redeclared(*Type, *ast.TypeSpec) {}

// withoutMarkers parses no markers.
type withoutMarkers struct{}

func (withoutMarkers) ParseMarkers(*Package, []markers.Comment, markers.Target) (Markers, Malformed) {
	return nil, nil
}
func (withoutMarkers) Corrects(string) bool { return false }

// TestCheckSyntax checks that each program of a run reports every broken file once, and that
// the programs share the work.
func TestCheckSyntax(t *testing.T) {
	dir := t.TempDir()
	listed := &golist.Package{Path: "example.com/p", Name: "p"}
	for _, f := range []struct{ name, text string }{
		{"broken.go", "package p\n\nfunc (\n"}, {"empty.go", ""}, {"fine.go", "package p\n\ntype T struct{}\n"}, {"missing.go", "-"},
	} {
		name := filepath.Join(dir, f.name)
		listed.Files = append(listed.Files, name)
		if f.text == "-" {
			continue
		}
		if err := os.WriteFile(name, []byte(f.text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	files := NewFiles(nil, table)
	check := func() []string {
		found := &syntaxErrors{}
		prog := New(Config{Files: files, Problems: found, Markers: withoutMarkers{}})
		p := prog.AddRoot(listed)
		prog.Scan([]*Package{p})
		for range 2 {
			if prog.CheckSyntax(p.Sources) {
				t.Error("the files are sound")
			}
		}
		if !prog.CheckSyntax(p.Sources[2:3]) {
			t.Error("fine.go is not sound")
		}
		return found.files
	}
	want := []string{"broken.go", "empty.go", "missing.go"}
	if got := check(); !slices.Equal(got, want) {
		t.Errorf("reported %v, want %v", got, want)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := check(); !slices.Equal(got, want) { // nothing is read again
		t.Errorf("the second program reported %v, want %v", got, want)
	}
}
