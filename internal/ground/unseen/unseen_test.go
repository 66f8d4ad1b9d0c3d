package unseen

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leftOut returns, from the syntax tree, what Functions should return.
func leftOut(t testing.TB, src []byte) (spans []Span, functions int, ok bool) {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, false
	}
	file := fset.File(tree.FileStart)
	offset := func(pos token.Pos) int { return file.Offset(pos) }
	line := func(pos token.Pos) int { return file.PositionFor(pos, false).Line }
	var comments []*ast.Comment
	for _, group := range tree.Comments {
		comments = append(comments, group.List...)
	}
	if slices.ContainsFunc(comments, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text[2:], "line ") }) ||
		strings.Contains(string(src[:min(len(src), 2048)]), "// Code generated ") {
		return nil, 0, true
	}
	last := tree.Name.End() // of the code before
	for i, decl := range tree.Decls {
		start, before := decl.Pos(), last
		last = decl.End()
		if end := offset(last); end < len(src) && src[end] == ';' {
			last++
		}
		fn, isFunc := decl.(*ast.FuncDecl)
		if !isFunc {
			continue
		}
		functions++
		if fn.Doc != nil {
			start = fn.Doc.Pos()
		}
		at := offset(fn.Type.Func)
		if fn.Body == nil || src[at-1] != '\n' || src[at+4] != ' ' || line(before) == line(start) {
			continue
		}
		name := fn.Name.Name
		if slices.Contains([]string{"Hub", "IsZero", "GetObjectKind"}, name) || slices.ContainsFunc([]string{"Marshal", "Unmarshal", "DeepCopy", "Convert"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		next := file.LineCount() + 2
		rest := bytes.TrimLeft(src[offset(fn.End()):], " \t\r\n")
		if len(rest) > 0 {
			next = line(file.Pos(len(src) - len(rest)))
		} else if i != len(tree.Decls)-1 {
			t.Fatal("code after the end")
		}
		adjacent := bytes.HasPrefix(rest, []byte("func ")) && next-line(fn.End()) == 1
		if !adjacent && next-line(fn.End()) < 2 {
			continue
		}
		alone := true
		for _, c := range comments {
			inside := c.Pos() >= start && c.End() <= fn.End()
			switch {
			case inside:
				alone = alone && line(c.End()) < line(fn.End()-1) && !strings.Contains(c.Text, "+") &&
					!strings.Contains(c.Text, "kubebuilder:") && !strings.Contains(c.Text, "k8s:") && !strings.Contains(c.Text, "schemagen:")
			case c.Pos() < start:
				alone = alone && line(c.End()) < line(before-1)
			}
		}
		if alone {
			spans = append(spans, Span{offset(start), offset(fn.End())})
		}
	}
	return spans, functions, true
}

// compare compares Functions with the syntax tree, and the rest of the file with the tree
// without these functions.
func compare(t testing.TB, name string, src []byte) (found, functions int) {
	t.Helper()
	want, functions, ok := leftOut(t, src)
	got := Functions(src)
	rest := Rest(nil, src, got)
	if !ok {
		return 0, 0
	}
	if !slices.Equal(got, want) {
		for _, s := range got {
			if !slices.Contains(want, s) {
				t.Errorf("%s: left out:\n%s", name, src[s.Start:s.End])
			}
		}
		for _, s := range want {
			if !slices.Contains(got, s) {
				t.Errorf("%s: not left out:\n%s", name, src[s.Start:s.End])
			}
		}
		return len(got), functions
	}
	if without, with := declarations(t, rest, nil), declarations(t, src, got); !slices.Equal(without, with) {
		t.Errorf("%s: the rest has the declarations %q, the file %q", name, without, with)
	}
	return len(got), functions
}

// declarations returns the text of the declarations and comments of a file without the omitted
// functions, in source order.
func declarations(t testing.TB, src []byte, omitted []Span) (out []string) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	offset := fset.File(tree.FileStart).Offset
	add := func(n ast.Node, doc *ast.CommentGroup) {
		for _, s := range omitted {
			if s.Start <= offset(n.Pos()) && offset(n.End()) <= s.End {
				return
			}
		}
		text := string(src[offset(n.Pos()):offset(n.End())])
		if doc != nil {
			text = "documented " + text
		}
		out = append(out, text)
	}
	for _, decl := range tree.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			add(decl, decl.Doc)
		case *ast.FuncDecl:
			add(decl, decl.Doc)
		}
	}
	for _, group := range tree.Comments {
		add(group, nil)
	}
	return out
}

// TestStandardLibrary compares the functions that are left out of the files of the standard
// library with those of the syntax trees.
func TestStandardLibrary(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, found, functions := compareAll(t, filepath.Join(strings.TrimSpace(string(root)), "src"), testing.Short())
	t.Logf("%d of %d functions in %d files", found, functions, files)
	if found < functions/2 || files < 100 {
		t.Error("too few to tell anything")
	}
}

func compareAll(t *testing.T, root string, short bool) (files, found, functions int) {
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		files++
		if short && files%20 != 0 {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil || len(src) > 500_000 {
			return err
		}
		f, all := compare(t, name, src)
		found, functions = found+f, functions+all
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, found, functions
}

// seeds are declarations after the clause of a package, and how many functions can be left out.
func seeds() map[string]int {
	return map[string]int{
		"func f() {}\n":                             1,
		"// f is\n// one.\nfunc f() {}\n":           1,
		"func (r *T[K]) f(a func()) struct{} {\n}":  1,
		"func f[T interface{ M() }](a T) []T {\n}":  1,
		"func f() {}\nfunc g() {}\n\ntype T int\n":  2,
		"func f() {}\ntype T int\n":                 0,
		"func f() {}\n// T is.\ntype T int\n":       0,
		"func f() {} // f\n":                        0,
		"func f() { /* f */ }\n":                    0,
		"func f() {\n\t// f\n}\n":                   1,
		"// A comment.\n\nfunc f() {}\n":            0,
		"var x int // x\n\nfunc f() {}\n":           0,
		"var x /* x */ int\n\nfunc f() {}\n":        0,
		"// +marker\nfunc f() {}\n":                 0,
		"func f() {\n\t// +marker\n}\n":             0,
		"func f() {\n\t// kubebuilder:skip\n}\n":    0,
		"func f() {\n\ts := \"// +marker }\"\n}\n":  1,
		"func f() {\n\tc := '\"'; d := '\\''\n}\n":  1,
		"func f() {\n\ts := `\nfunc g() {\n}\n`\n}": 1,
		"var s = `\n\nfunc g() {\n}\n\n`\n":         0,
		"/*\n\nfunc g() {\n}\n\n*/\n":               0,
		"var f = func() {\n}\n\ntype F func(int)\n": 0,
		"var f =\nfunc (a int) {\n}\n":              0,
		"func f()\n\nfunc g() {}\n":                 1,
		"func f() {\n//line a.go:1\n}\n":            0,
		"func (T) MarshalJSON() {}\n":               0,
		"func (T) Hub() {}\n":                       0,
		"func f() int { return 4 / 2 }\n":           1,
		"\tfunc f() {}\n":                           0,
	}
}

// TestFunctions compares a table of small files, each of which has one peculiarity.
func TestFunctions(t *testing.T) {
	for text, want := range seeds() {
		src := "package p\n\n" + text
		if found, _ := compare(t, text, []byte(src)); found != want {
			t.Errorf("%q: %d functions are left out, want %d", text, found, want)
		}
	}
	if found := Functions([]byte("// Code generated by x. DO NOT EDIT.\npackage p\n\nfunc f() {}\n")); found != nil {
		t.Errorf("%d functions of a generated file are left out", len(found))
	}
}

// TestRest changes functions that are left out, and wants no trace of them.
func TestRest(t *testing.T) {
	const want = "package p\n\ntype T int\n\n// U is.\ntype U int\n"
	for _, src := range []string{
		want,
		"package p\n\ntype T int\n\nfunc f() {}\n\n// U is.\ntype U int\n",
		"package p\n\n// g is.\nfunc g() {\n}\n\ntype T int\n\n\n\n// f is.\nfunc f() {\n\ttype V int\n}\nfunc h() {}\n\n// U is.\ntype U int\n\nfunc i() {}",
	} {
		if rest, sound := SoundRest([]byte(src)); string(rest) != want || !sound {
			t.Errorf("the rest of\n%s\nis\n%s", src, rest)
		}
	}
	if _, sound := SoundRest([]byte("package p\n\nfunc f() { + }\n")); sound {
		t.Error("a syntax error was not found")
	}
}

// FuzzFunctions compares arbitrary files with their syntax trees.
func FuzzFunctions(f *testing.F) {
	for text := range seeds() {
		f.Add("package p\n\n" + text)
	}
	f.Fuzz(func(t *testing.T, src string) { compare(t, "input", []byte(src)) })
}
