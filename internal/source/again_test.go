package source

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// TestAgain checks what is kept between runs: the tree of a file as long as the file has the same
// content and the same part in the run, and the order of positions.
func TestAgain(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	files := NewKeptFiles(nil, table)
	dir := t.TempDir()
	name := func(base string) string { return filepath.Join(dir, base) }
	// run returns the trees of the files, which are in one package.
	run := func(local, root bool, texts ...string) (trees []*ast.File) {
		t.Helper()
		listed := &golist.Package{Path: "example.com/p", Name: "p", Local: local}
		overlay := map[string][]byte{}
		for i, text := range texts {
			file := name(string(rune('a'+i)) + ".go")
			overlay[file], listed.Files = []byte(text), append(listed.Files, file)
		}
		files = files.Again(inputs.Overlaid(overlay, nil))
		prog := New(Config{Files: files, Problems: &syntaxErrors{}, Markers: withoutMarkers{}})
		p := prog.packageFor(listed)
		if root {
			p = prog.AddRoot(listed)
		}
		prog.Scan([]*Package{p})
		for i, f := range p.Sources {
			tree, err := f.Tree()
			if err != nil {
				t.Fatal(err)
			}
			trees = append(trees, tree)
			for _, decl := range tree.Decls {
				at := files.Fset.Position(decl.Pos())
				if want := strings.Index(texts[i], "type"); at.Offset != want || at.Filename != f.Name || at.Line != 1+strings.Count(texts[i][:want], "\n") {
					t.Errorf("the type of %q is at %v", texts[i], at)
				}
			}
		}
		return trees
	}
	const a, b = "package p\n\ntype A int\n", "package p\n\ntype B int\n"
	first := run(true, true, a, b)
	same := run(true, true, a, b)
	if same[0] != first[0] || same[1] != first[1] {
		t.Error("a file that is the same is parsed again")
	}
	longer := run(true, true, "package p\n\n// A is longer.\ntype A int\n", b)
	if longer[0] == first[0] || longer[1] != first[1] {
		t.Error("not exactly the file that has changed is parsed again")
	}
	if longer[0].Pos() > longer[1].Pos() {
		t.Error("the file that has changed is no longer the first one")
	}
	huge := run(true, true, "package p\n\n"+strings.Repeat("// A is longer.\n", 1000)+"type A int\n", b)
	if huge[1] != first[1] || huge[0].FileStart < huge[1].FileEnd && huge[0].FileEnd > huge[1].FileStart {
		t.Error("the positions of two files overlap")
	}
	if back := run(true, true, a, b); back[0].Name.Name != "p" || len(back[0].Decls) != 1 || len(back[0].Comments) > 0 {
		t.Error("a file that is as before is not read correctly")
	}
	users := run(true, false, a, b)
	if users[1] == first[1] {
		t.Error("the files of a root package and of another one share what is searched for")
	}
	if dependency := run(false, false, a, b); dependency[0] == users[0] {
		t.Error("the file of a user and that of a dependency share what functions they have")
	}
}

// TestUnread checks which files are not even read again: those of other modules, unless they were
// modified.
func TestUnread(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.go")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Second)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	files := NewKeptFiles(nil, table)
	for _, step := range []struct {
		name, text string // written, unless it is empty
		local      bool
		overlay    string
		reads      int
		declared   string
	}{
		{"first", "package p\n\ntype A int\n", false, "", 1, "A"},
		{"again", "", false, "", 0, "A"},
		{"modified", "package p\n\ntype B int\n", false, "", 1, "B"},
		{"touched", "package p\n\ntype B int\n", false, "", 1, "B"},
		{"not touched", "", false, "", 0, "B"},
		{"unsaved", "", false, "package p\n\ntype C int\n", 1, "C"},
		{"closed", "", false, "", 1, "B"},
		{"the user's", "", true, "", 1, "B"},
		{"the user's again", "", true, "", 1, "B"},
	} {
		if step.text != "" {
			write(step.text)
		}
		overlay := map[string][]byte{}
		if step.overlay != "" {
			overlay[name] = []byte(step.overlay)
		}
		reads := 0
		in := inputs.Overlaid(overlay, nil)
		in.Keep(func(string, []byte) { reads++ })
		files = files.Again(in)
		p := New(Config{Files: files, Problems: &syntaxErrors{}, Markers: withoutMarkers{}}).packageFor(&golist.Package{Path: "example.com/p", Name: "p", Local: step.local, Files: []string{name}})
		p.program.Scan([]*Package{p})
		if f := p.Sources[0]; f.unreadable != nil || !slices.Equal(f.hints, []string{step.declared}) || reads != step.reads {
			t.Errorf("%s: %d reads, which find %v (%v); want %d, and %s", step.name, reads, f.hints, f.unreadable, step.reads, step.declared)
		}
	}
}
