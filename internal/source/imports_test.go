package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// TestFindImport finds an import of a package by way of another one, which is not a root of the
// run, and looks for no package of other modules.
func TestFindImport(t *testing.T) {
	dir := t.TempDir()
	listed := map[string]*golist.Package{}
	for name, text := range map[string]string{
		"hub":   "package hub\n\nimport (\n\t\"other.com/x\"\n\n\t`my.com/mid`\n)\n\nvar _ = x.X + mid.X\n",
		"mid":   "package mid\n\nimport \"my.com/spoke\"\n\nconst X = spoke.X\n",
		"spoke": "package spoke\n\nconst X = 1\n",
		"alone": "package alone\n\nimport \"my.com/hub\"\n\nconst X = hub.X\n",
	} {
		file := filepath.Join(dir, name+".go")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		listed["my.com/"+name] = &golist.Package{
			Path: "my.com/" + name, Name: name, Files: []string{file}, Local: true,
			Foreign: func(path string) bool { return path == "other.com/x" },
			Import: func(path string) *golist.Package {
				if path == "other.com/x" {
					t.Error("a package of another module is looked for")
				}
				return listed[path]
			},
		}
	}
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	prog := New(Config{Files: NewFiles(inputs.New(), table), Problems: &syntaxErrors{}, Markers: withoutMarkers{}})
	hub, spoke, alone := prog.AddRoot(listed["my.com/hub"]), prog.AddRoot(listed["my.com/spoke"]), prog.AddRoot(listed["my.com/alone"])
	if at := prog.Fset.Position(hub.FindImport(spoke)); filepath.Base(at.Filename) != "hub.go" || at.Line != 6 {
		t.Errorf("found %v", at)
	}
	if hub.FindImport(alone).IsValid() || spoke.FindImport(hub).IsValid() {
		t.Error("an import is found that is not there")
	}
}
