package fixes

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/run/output"
)

// edit replaces old, which begins at a line and column and ends on that line, in a file.
func edit(file string, line, column int, old, text string) diag.Edit {
	return diag.Edit{Pos: diag.Position{File: file, Line: line, Column: column}, End: diag.Position{File: file, Line: line, Column: column + len(old)}, New: text}
}

// found returns a finding with one fix.
func found(edits ...diag.Edit) diag.Diagnostic {
	return diag.Diagnostic{Code: "SG000", Fixes: []diag.Fix{{Edits: edits}}}
}

// session returns a session with files that a run has read.
func session(t *testing.T, files map[string]string) *Session {
	t.Helper()
	dir := t.TempDir()
	s := New(dir)
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
		if _, err := s.Inputs().ReadFile(filepath.Join(dir, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestApply applies one round of fixes to a file.
func TestApply(t *testing.T) {
	const source = "package p\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nvar a time.Duration\nvar b, c = fmt.Sprint(), 1\n"
	for _, c := range []struct {
		name     string
		findings diag.List
		// replaced are pairs of texts in source and in the result.
		replaced []string
		left     string
	}{
		{name: "one", findings: diag.List{found(edit("a.go", 9, 5, "b", "d"))}, replaced: []string{"b, c", "d, c"}},
		{name: "several, formatted", findings: diag.List{found(edit("a.go", 9, 5, "b", "d")), found(edit("a.go", 9, 8, "c", "  e"))}, replaced: []string{"b, c", "d, e"}},
		{name: "the first of two that overlap", findings: diag.List{found(edit("a.go", 9, 5, "b, c", "d, e")), found(edit("a.go", 9, 8, "c", "f"))}, replaced: []string{"b, c", "d, e"}},
		{name: "the first of two in one place", findings: diag.List{found(edit("a.go", 9, 5, "", "d, ")), found(edit("a.go", 9, 5, "", "e, "))}, replaced: []string{"b, c", "d, b, c"}},
		{name: "a shared edit", findings: diag.List{found(edit("a.go", 9, 5, "b", "d"), edit("a.go", 4, 2, "", "\"os\"\n")), found(edit("a.go", 9, 8, "c", "e"), edit("a.go", 4, 2, "", "\"os\"\n"))},
			replaced: []string{"b, c", "d, e", "\t\"fmt\"\n", "\t\"fmt\"\n\t\"os\"\n"}},
		{name: "all of a fix or nothing", findings: diag.List{found(edit("a.go", 9, 5, "b", "d")), found(edit("a.go", 1, 9, "p", "q"), edit("a.go", 9, 5, "b", "e"))}, replaced: []string{"b, c", "d, c"}},
		{name: "an import that is used no more", findings: diag.List{found(edit("a.go", 8, 7, "time.Duration", "int"))}, replaced: []string{"time.Duration", "int", "\t\"time\"\n", ""}},
		{name: "alternatives", findings: diag.List{{Fixes: []diag.Fix{{Edits: []diag.Edit{edit("a.go", 9, 5, "b", "d")}}, {Edits: []diag.Edit{edit("a.go", 9, 5, "b", "e")}}}}}},
		{name: "off", findings: diag.List{{Off: true, Fixes: []diag.Fix{{Edits: []diag.Edit{edit("a.go", 9, 5, "b", "d")}}}}}},
		{name: "two files", findings: diag.List{found(edit("a.go", 9, 5, "b", "d"), edit("b.go", 1, 1, "", "d"))}},
		{name: "no file", findings: diag.List{found(edit("", 9, 5, "b", "d"))}},
		{name: "nothing", findings: diag.List{found()}},
		{name: "the same text", findings: diag.List{found(edit("a.go", 9, 5, "b", "b"))}},
		{name: "not Go afterwards", findings: diag.List{found(edit("a.go", 9, 5, "b", "d")), found(edit("a.go", 1, 1, "package", ""))}, left: "with its fixes it is not Go: 1:2: expected 'package', found p (and 1 more errors)"},
		{name: "after the end of the line", findings: diag.List{found(edit("a.go", 9, 5, strings.Repeat("b", 99), "d"))}, left: "a fix is outside its text"},
		{name: "after the end of the file", findings: diag.List{found(edit("a.go", 99, 5, "b", "d"))}, left: "a fix is outside its text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := session(t, map[string]string{"a.go": source})
			changed := s.Apply(c.findings)
			want, got := strings.NewReplacer(c.replaced...).Replace(source), source
			for _, f := range s.Outputs() {
				got = string(f.Data)
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if further := c.left != "" || want != source; changed != further {
				t.Errorf("changed is %v, want %v", changed, further)
			}
			left := ""
			for _, d := range s.Unfixed() {
				left += strings.TrimPrefix(d.Message, "--fix left this file unchanged: ")
			}
			if left != c.left {
				t.Errorf("left: got %q, want %q", left, c.left)
			}
		})
	}
}

// TestRounds applies the second of two overlapping fixes after the first.
func TestRounds(t *testing.T) {
	s := session(t, map[string]string{"a.yaml": "abc\r\n"})
	if !s.Apply(diag.List{found(edit("a.yaml", 1, 1, "abc", "xbc"))}) || !s.Apply(diag.List{found(edit("a.yaml", 1, 3, "c", "z"))}) || s.Apply(nil) {
		t.Error("a round does not say whether it changed something")
	}
	name := filepath.Join(s.dir, "a.yaml")
	if data, err := s.Inputs().ReadFile(name, nil); err != nil || string(data) != "xbz\r\n" {
		t.Errorf("got %q, %v", data, err)
	}
	if n := s.Fixes("a.yaml"); n != 2 {
		t.Errorf("%d fixes, want 2", n)
	}
	if data, _ := os.ReadFile(name); string(data) != "abc\r\n" {
		t.Errorf("a file was written: %q", data)
	}
}

// TestByteOrderMark applies a fix after a byte order mark, which counts as a column in Go
// only.
func TestByteOrderMark(t *testing.T) {
	for name, column := range map[string]int{"a.yaml": 1, "a.go": 4} {
		s := session(t, map[string]string{name: "\ufeffpackage a\n"})
		s.Apply(diag.List{found(edit(name, 1, column, "package a", "package b"))})
		want := "\ufeffpackage b\n"
		if out := s.Outputs(); len(out) != 1 || string(out[0].Data) != want {
			t.Errorf("%s: got %q", name, out)
		}
	}
}

// TestCausedErrors reverts the fix of a warning that causes an error, and no others.
func TestCausedErrors(t *testing.T) {
	s := session(t, map[string]string{"a.yaml": "a\nb\nc\nd\n"})
	name := filepath.Join(s.dir, "a.yaml")
	at := func(line int, code diag.Code, severity diag.Severity, fixes ...diag.Edit) diag.Diagnostic {
		d := diag.Diagnostic{Code: code, Severity: severity, Pos: diag.Position{File: "a.yaml", Line: line}}
		if len(fixes) > 0 {
			d.Fixes = []diag.Fix{{Edits: fixes}}
		}
		return d
	}
	// A run reports a and b as warnings, c as an error, and anything else but b2 as an error.
	run := func() (out diag.List) {
		data, err := s.Inputs().ReadFile(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			switch line {
			case "a", "b":
				out = append(out, at(i+1, diag.Code("W"+line), diag.Warning, edit("a.yaml", i+1, 2, "", "2")))
			case "c":
				out = append(out, at(i+1, "C", diag.Error, edit("a.yaml", i+1, 2, "", "2")))
			case "b2":
			default:
				out = append(out, at(i+1, diag.Code("E"+line), diag.Error))
			}
		}
		return out
	}
	rounds := 0
	for s.Apply(run()) {
		if rounds++; rounds > MaxRounds {
			t.Fatal("it does not end")
		}
	}
	if out := s.Outputs(); len(out) != 1 || string(out[0].Data) != "a\nb2\nc2\nd\n" {
		t.Errorf("got %q", out)
	}
}

// TestChangedFiles changes files after a run has read them, before and after a fix.
func TestChangedFiles(t *testing.T) {
	s := session(t, map[string]string{"a.yaml": "a", "b.yaml": "b", "c.yaml": "c"})
	write(t, filepath.Join(s.dir, "a.yaml"), "A")
	s.Apply(diag.List{found(edit("a.yaml", 1, 1, "a", "x")), found(edit("b.yaml", 1, 1, "b", "x")), found(edit("c.yaml", 1, 1, "c", "x"))})
	write(t, filepath.Join(s.dir, "b.yaml"), "B")
	if s.Recheck() || !s.Recheck() {
		t.Error("a change after a fix is reported once")
	}
	if s.Apply(diag.List{found(edit("b.yaml", 1, 1, "B", "x"))}) {
		t.Error("a file that changed was fixed")
	}
	if out := s.Outputs(); len(out) != 1 || out[0].Path != "c.yaml" {
		t.Errorf("got %v, want only c.yaml", out)
	}
	var left []string
	for _, d := range s.Unfixed() {
		left = append(left, d.Pos.File+": "+d.Message)
	}
	want := "a.yaml: --fix left this file unchanged: it changed after schemagen read it\nb.yaml: --fix left this file unchanged: it changed after schemagen read it"
	if got := strings.Join(left, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSavedBeforeCommit has an editor save a file after the last round has read it: the edit
// stays, and the other files are fixed.
func TestSavedBeforeCommit(t *testing.T) {
	s := session(t, map[string]string{"a.yaml": "a", "b.yaml": "b"})
	disk := s.disk
	saves := 1
	s.disk = func(name string) ([]byte, error) {
		data, err := disk(name)
		if s.fixed[name] != nil && filepath.Base(name) == "a.yaml" && saves > 0 {
			saves--
			write(t, name, "saved")
		}
		return data, err
	}
	find := func(in *inputs.Reader) (out diag.List, err error) {
		for _, name := range []string{"a.yaml", "b.yaml"} {
			data, err := in.ReadFile(filepath.Join(s.dir, name), nil)
			if err != nil {
				return nil, err
			}
			if string(data) == name[:1] {
				out = append(out, found(edit(name, 1, 1, name[:1], "fixed")))
			}
		}
		return out, nil
	}
	t.Chdir(s.dir)
	changed, err := s.Fix(t.Context(), &output.Writer{Root: s.root}, output.Write, io.Discard, find)
	if err != nil || len(changed) != 1 || changed[0] != "b.yaml" {
		t.Errorf("got %q, %v", changed, err)
	}
	for name, want := range map[string]string{"a.yaml": "saved", "b.yaml": "fixed"} {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s is %q, want %q, %v", name, data, want, err)
		}
	}
	if left := s.Unfixed(); len(left) != 1 || left[0].Pos.File != "a.yaml" || saves != 0 {
		t.Errorf("left %v", left)
	}
}
