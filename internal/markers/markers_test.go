package markers

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func table(t testing.TB) *Table {
	t.Helper()
	out, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestParseErrorPositions marks the reported position with a caret below the marker.
func TestParseErrorPositions(t *testing.T) {
	for _, test := range []struct{ marker, caret, message string }{
		{"+kubebuilder:validation:MaxLength=three",
			"                                  ^", `expected integer, got "three"`},
		{"+kubebuilder:validation:MaxLength=3 4",
			"                                    ^", `extra arguments provided: "4"`},
		{"+kubebuilder:default={a: }",
			"                          ^", ""},
		{"+kubebuilder:validation:Minimum=abc",
			"^", `expected a number, got "abc"`},
		{"+kubebuilder:validation:XValidation:rule=true,nonsense=1",
			"                                              ^", `unknown argument "nonsense"`},
		{"+kubebuilder:validation:XValidation:message=\"m\"",
			"", `missing argument "rule"`},
	} {
		_, err := table(t).Parse(Comment{Text: test.marker, Pos: 1}, Field)
		var parseErr *ParseError
		if !errors.As(err, &parseErr) {
			t.Errorf("%s: got error %v, want a ParseError", test.marker, err)
			continue
		}
		if test.message != "" && parseErr.Msg != test.message {
			t.Errorf("%s: got message %q", test.marker, parseErr.Msg)
		}
		caret := strings.Repeat(" ", int(parseErr.Pos)-1) + "^"
		if test.caret != "" && caret != test.caret {
			t.Errorf("got position\n%s\n%s\nwant\n%s", test.marker, caret, test.caret)
		}
	}
}

func TestUnknownMarkersAreNotParsed(t *testing.T) {
	for _, text := range []string{"+nonsense", "+kubebuilder:validation:Nonsense=1", "+kubebuilder:printcolumn:name=x", "+", "+=", "+:=:"} {
		if m, err := table(t).Parse(Comment{Text: text}, Field); m != nil || err != nil {
			t.Errorf("%s: got %v, %v, want nil, nil", text, m, err)
		}
	}
}

// FuzzParse checks that any text is parsed, with positions inside the marker.
func FuzzParse(f *testing.F) {
	for _, def := range table(f).Definitions() {
		f.Add(def.Name + "=a;b,c={x: 1}")
		f.Add(def.Name + ":rule=`x`,message=\"y\"")
	}
	f.Add("kubebuilder:default={a: [1, {b: \"\\u2028\"}], c: -1e400}")
	table := table(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = "+" + text
		if len(text) > 4096 || strings.ContainsAny(text, "\n\r") {
			return
		}
		for _, target := range []Target{Package, Type, Field} {
			_, err := table.Parse(Comment{Text: text, Pos: 1}, target)
			var parseErr *ParseError
			if err != nil && (!errors.As(err, &parseErr) || parseErr.Pos < 1 || int(parseErr.Pos) > len(text)+1) {
				t.Errorf("%q: got error %v, want a position in the marker", text, err)
			}
		}
	})
}

// FuzzCollect checks that every marker describes at most one thing.
func FuzzCollect(f *testing.F) {
	f.Add("// +a\npackage x\n// +b\n\n// +c\ntype T struct { // +d\n\t// +e\n\n\t// +f\n\tA int // +g\n}\n// +h\n")
	f.Add("package x\ntype (\n\t// +a\n\tT int // +b\n\n\t// +c\n\n\t// +d\n\tU = T\n)\n/* +e */\nfunc f() { // +f\n}\n")
	table := table(f)
	f.Fuzz(func(t *testing.T, src string) {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.ParseComments)
		if err != nil {
			return
		}
		seen := map[token.Pos]string{}
		add := func(comments []Comment, by string) {
			for _, c := range comments {
				if other, ok := seen[c.Pos]; ok {
					t.Errorf("%s describes %s and %s", c.Text, other, by)
				}
				seen[c.Pos] = by
			}
		}
		collected := table.Collect(file)
		add(collected.Package, "the package")
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.TypeSpec)
				add(collected.Type(spec), "type "+spec.Name.Name)
				if st, ok := spec.Type.(*ast.StructType); ok {
					for i, comments := range collected.Fields(st) {
						add(comments, fmt.Sprint("field ", i))
					}
				}
			}
		}
	})
}
