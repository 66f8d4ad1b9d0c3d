package source

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// TestFunctionIndex finds functions and names in files of which as few as possible are parsed.
func TestFunctionIndex(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for name, text := range map[string]string{
		"a.go": "package p\n\ntype T int\n\nfunc (T) Method() {}\n\n// plain is called in other files, too.\nfunc plain() {}\n",
		"b.go": "package p\n\nfunc generic[T any](T) { plain() }; func second() {}\n\n/* comment */ func third() {}\n\nfunc\nfourth() {}\n",
		"c.go": "package p\n\nfunc /* comment */ hidden() {}\n",
		"d.go": "package p\n\nvar (\n\tx, y = 1, 2\n)\n\nconst z = 3\n",
		"e.go": "package p\n\nvar v = func() int { return 1 }()\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	open := func() *Package {
		prog := New(Config{Files: NewFiles(inputs.New(), table), Problems: &syntaxErrors{}, Markers: withoutMarkers{}})
		return prog.packageFor(&golist.Package{Path: "example.com/p", Name: "p", Files: names, Local: true})
	}
	parsed := func(p *Package) (out []string) {
		for _, f := range p.Sources {
			if f.parsed {
				out = append(out, filepath.Base(f.Name))
			}
		}
		return out
	}
	for name, want := range map[string][]string{
		"plain": {"a.go"}, "generic": {"b.go"}, "second": {"b.go"}, "third": {"b.go"}, "fourth": {"b.go"}, "hidden": {"c.go"},
	} {
		p := open()
		if f, fn := p.Function(name); fn == nil || fn.Name.Name != name || !slices.Equal(parsed(p), want) || filepath.Base(f.Name) != want[0] {
			t.Errorf("%s: found %v, and parsed %v", name, fn, parsed(p))
		}
	}
	for _, name := range []string{"Method", "T", "x", "none"} {
		if f, fn := open().Function(name); f != nil || fn != nil {
			t.Errorf("%s is found", name)
		}
	}
}
