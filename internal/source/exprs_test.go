package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestTypeExpressions takes type expressions apart.
func TestTypeExpressions(t *testing.T) {
	name := func(expr ast.Expr) string {
		if expr == nil {
			return ""
		}
		return ExprName(expr)
	}
	for _, tt := range []struct{ expr, pointee, elem, embedded string }{
		{"T", "T", "", "T"},
		{"p.T", "p.T", "", "T"},
		{"*T", "T", "T", "T"},
		{"*p.T", "p.T", "p.T", "T"},
		{"(*T)", "?", "T", ""},
		{"[]T", "?", "T", ""},
		{"[3]p.T", "?", "p.T", ""},
		{"map[K]T", "?", "T", ""},
		{"G[T]", "?", "", "G"},
		{"*p.G[T, U]", "?", "?", "G"},
		{"struct{}", "?", "", ""},
		{"func(T) U", "?", "", ""},
	} {
		expr, err := parser.ParseExpr(tt.expr)
		if err != nil {
			t.Fatal(err)
		}
		embedded := ""
		if ident := EmbeddedName(expr); ident != nil {
			embedded = ident.Name
		}
		if pointee, elem := name(Pointee(expr)), name(Elem(expr)); pointee != tt.pointee || elem != tt.elem || embedded != tt.embedded {
			t.Errorf("%s: pointee %q, element %q, embedded as %q", tt.expr, pointee, elem, embedded)
		}
	}
}

// TestReceiverNames reads the names of the types of methods.
func TestReceiverNames(t *testing.T) {
	for receiver, want := range map[string]string{
		"": "", "(t T)": "T", "(*T)": "T", "(t *G[A])": "G", "(t G[A, B])": "G", "(t (*(T)))": "T", "(t p.T)": "", "()": "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc "+receiver+" Name() {}\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := Receiver(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: %q, want %q", receiver, got, want)
		}
	}
}
