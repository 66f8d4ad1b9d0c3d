package source

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/unseen"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// TestFlags requires that each result of a scan is kept.
func TestFlags(t *testing.T) {
	f := &text{}
	var bools func(v reflect.Value) []*bool
	bools = func(v reflect.Value) (out []*bool) {
		for i := range v.NumField() {
			field := v.Field(i)
			switch {
			case field.Kind() == reflect.Bool:
				out = append(out, (*bool)(field.Addr().UnsafePointer()))
			case field.Type() == reflect.TypeFor[textKey]():
				out = append(out, bools(field)...)
			}
		}
		return out
	}
	want := bools(reflect.ValueOf(f).Elem())
	got := f.flags()
	for _, flag := range want {
		if !slices.Contains(got, flag) {
			t.Errorf("%d of %d flags are kept", len(got), len(want))
		}
	}
	for _, flag := range got {
		*flag = true
		f.size++
		f.hints = append(f.hints, "Name")
		again := &text{textKey: f.textKey}
		if !again.recall(f.scanned()) || again.scanned() != f.scanned() || !slices.Equal(again.hints, f.hints) {
			t.Errorf("got %s, want %s", again.scanned(), f.scanned())
		}
	}
	for _, other := range []textKey{{local: true}, {root: true}, {}} {
		if (&text{textKey: other}).recall(f.scanned()) {
			t.Errorf("a file of another kind of package is recalled: %v", other)
		}
	}
}

// TestScansAreRecalled changes what an earlier run derived from files, to see that they are not read, and then
// the files.
func TestScansAreRecalled(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/p\n\ngo 1.26\n")
	write("a.go", "package p\n\nimport _ \"fmt\"\n\n// +groupName=example.com\ntype Ant struct{}\n")
	write("b_linux.go", "package p\n\nimport _ \"fmt\"\n\ntype Bee struct{}\n")
	write("c.go", "//go:build linux\n\npackage p\n\nimport _ \"fmt\"\n\ntype Cat struct{}\n")
	var reads atomic.Int64
	// run returns what a run on a system sees of the package, and its record. reads is the number of times that
	// it reads a Go file.
	run := func(earlier inputs.Record, system string) (seen []string, record inputs.Record) {
		t.Helper()
		t.Setenv("GOOS", system)
		reader := inputs.New()
		reader.Resume(earlier)
		listed, err := (&golist.Modules{Inputs: reader}).List(t.Context(), dir, []string{"."})
		if err != nil || len(listed) != 1 {
			t.Fatalf("%d packages, error %v", len(listed), err)
		}
		reads.Store(0)
		reader.Keep(func(string, []byte) { reads.Add(1) })
		prog := New(Config{Files: NewFiles(reader, table), Problems: &syntaxErrors{}, Markers: withoutMarkers{}})
		p := prog.AddRoot(listed[0])
		prog.Scan([]*Package{p})
		for _, f := range p.Sources {
			seen = append(seen, p.Name+"/"+strings.Join(f.hints, ","))
			if f.mentionsPackage {
				seen = append(seen, "group")
			}
		}
		if !prog.CheckSyntax(p.Sources) {
			seen = append(seen, "broken")
		}
		record, err = reader.Record()
		if err != nil {
			t.Fatal(err)
		}
		return seen, record
	}
	expect := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	time.Sleep(2100 * time.Millisecond)
	first, record := run(nil, "linux")
	expect("first run", first, "p/Ant", "group", "p/Bee", "p/Cat")
	if n := reads.Load(); n != 6 {
		t.Errorf("the first run reads files %d times", n)
	}
	again, recordAgain := run(record, "linux")
	expect("again", again, first...)
	if n := reads.Load(); n > 0 {
		t.Errorf("the next run reads %d files", n)
	}
	if !reflect.DeepEqual(recordAgain, record) {
		t.Errorf("got record\n%s\nwant\n%s", recordAgain.AppendText(nil), record.AppendText(nil))
	}
	elsewhere, _ := run(record, "darwin")
	expect("on another system", elsewhere, "p/Ant", "group")
	changed, err := inputs.ParseRecord([]byte(strings.NewReplacer(`"package p\n"`, `"package q\n"`, " Ant", " Ape").Replace(string(record.AppendText(nil)))))
	if err != nil {
		t.Fatal(err)
	}
	write("c.go", "//go:build linux\n\npackage q\n\nimport _ \"fmt\"\n\ntype Cow struct{}\n")
	recalled, _ := run(changed, "linux")
	expect("with another record", recalled, "q/Ape", "group", "q/Bee", "q/Cow")
	write("c.go", "//go:build linux\n\npackage p\n\nimport _ \"fmt\"\n\ntype Cow struct{}\n")
	write("a.go", "package p\n\nimport _ \"fmt\"\n\n// -groupName=example.com\ntype Ass struct{}\n")
	edited, last := run(record, "linux")
	expect("after an edit", edited, "p/Ass", "p/Bee", "p/Cow")
	if ok, _ := last.Holds(unseen.SoundRest); !ok {
		t.Error("the record does not hold")
	}
	write("a.go", "package p\n\nimport _ \"fmt\"\n\ntype Ass struct{}\n\nfunc broken() {\n")
	broken, _ := run(last, "linux")
	expect("after a syntax error", broken, "p/Ass", "p/Bee", "p/Cow", "broken")
}
