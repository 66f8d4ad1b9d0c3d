package schemagen_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// reserved are the codes that are kept for what is planned, each range with both of its
// ends. Who builds it takes its codes out.
func reserved() [][2]int {
	return [][2]int{{329, 329}}
}

// withoutExample returns the kinds of diagnostics that have no example, with the reason.
func withoutExample() map[string]string {
	return map[string]string{
		"SG105": "a txtar archive has only regular files, which can be read",
		"SG108": "it needs a struct of a thousand fields: TestLimits of package clients makes one",
		"SG519": "it needs a file that changes during the run: tests of package output write one",
		"SG521": "it stands in documents of findings, and as text in the list after the differences: a script of the command tests it",
		"SG511": "it needs --fix and a file that cannot be written: a script of the command tests it",
	}
}

// kind is a *diag.Kind that a package declares.
type kind struct {
	file                        goFile
	spec                        *ast.ValueSpec
	name                        string // of the variable
	code                        string
	title, explanation, example bool
	escaped                     bool // set if the example has lines but is not a raw string
}

func (k *kind) at() token.Position { return k.file.fset.Position(k.spec.Pos()) }

// kindsOf returns the kinds of diagnostics that files declare, in the order of the files.
func kindsOf(files []goFile) (out []*kind) {
	for _, f := range files {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok || general.Tok != token.VAR {
				continue
			}
			for _, spec := range general.Specs {
				value := spec.(*ast.ValueSpec)
				for i, v := range value.Values {
					if literal := kindLiteral(v); literal != nil {
						k := &kind{file: f, spec: value, name: value.Names[i].Name}
						k.code, k.title, k.explanation = textOf(literal, "Code"), textOf(literal, "Title") != "", textOf(literal, "Explanation") != ""
						k.example = textOf(literal, "Bad") != "" && textOf(literal, "Good") != ""
						k.escaped = isEscaped(literal, "Bad") || isEscaped(literal, "Good")
						out = append(out, k)
					}
				}
			}
		}
	}
	return out
}

// isEscaped reports whether a field of a literal is a string with \n instead of lines.
func isEscaped(literal *ast.CompositeLit, field string) bool {
	source := sourceOf(literal, field)
	return strings.HasPrefix(source, `"`) && strings.Contains(source, `\n`)
}

// textOf is the string of a field of a literal.
func textOf(literal *ast.CompositeLit, field string) string {
	text, err := strconv.Unquote(sourceOf(literal, field))
	if err != nil {
		return ""
	}
	return text
}

// sourceOf is the string of a field of a literal with its quotes.
func sourceOf(literal *ast.CompositeLit, field string) string {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		value, ok := pair.Value.(*ast.BasicLit)
		if name, isName := pair.Key.(*ast.Ident); !ok || !isName || name.Name != field {
			continue
		}
		return value.Value
	}
	return ""
}

// TestKinds holds the kinds of diagnostics of all packages to their rules, and prints
// the next free code of each hundred: go test . -run TestKinds -v
func TestKinds(t *testing.T) {
	files := product(t)
	kinds := kindsOf(files)
	for _, complaint := range append(wrongKinds(kinds), append(unusedKinds(kinds, files), changedKinds(kinds, files)...)...) {
		t.Error(complaint)
	}
	for _, code := range freeCodes(kinds) {
		t.Logf("free: %s", code)
	}
}

// wrongKinds says what is wrong with the declarations themselves.
func wrongKinds(kinds []*kind) (out []string) {
	valid := regexp.MustCompile(`^SG[1-9][0-9]{2}$`)
	codes, last := map[string]*kind{}, map[string]*kind{}
	for _, k := range kinds {
		complain := func(format string, args ...any) {
			out = append(out, fmt.Sprintf("%s: %s: %s", k.at(), k.name, fmt.Sprintf(format, args...)))
		}
		if !valid.MatchString(k.code) {
			complain("%q is not a code", k.code)
			continue
		}
		if !k.title || !k.explanation {
			complain("%s needs a title and an explanation", k.code)
		}
		if reason := withoutExample()[k.code]; k.example == (reason != "") {
			complain("%s needs a bad and a good example, or a reason in withoutExample", k.code)
		}
		if k.escaped {
			complain("write the lines of the examples of %s as a raw string: see diag.Example", k.code)
		}
		if path.Base(k.file.name) != "codes.go" {
			complain("declare %s in codes.go", k.code)
		}
		if number, _ := strconv.Atoi(k.code[2:]); isReserved(number) {
			complain("%s is reserved", k.code)
		}
		if other := codes[k.code]; other != nil {
			complain("%s is the code of %s, too: %s", k.code, other.name, other.at())
		} else if before := last[k.file.dir]; before != nil && before.code > k.code {
			complain("%s comes after %s: list codes in their order", k.code, before.code)
		}
		codes[k.code], last[k.file.dir] = k, k
	}
	return out
}

func isReserved(number int) bool {
	return slices.ContainsFunc(reserved(), func(r [2]int) bool { return r[0] <= number && number <= r[1] })
}

// unusedKinds are the kinds that their package's function Codes does not list in their
// order, the functions Codes that nothing calls, and the kinds that nothing else mentions:
// they are never reported.
func unusedKinds(kinds []*kind, files []goFile) (out []string) {
	lists, listed, mentioned := map[string]string{}, map[string][]string{}, map[string]bool{}
	for _, f := range files {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, isFunc := decl.(*ast.FuncDecl)
			isList := isFunc && fn.Recv == nil && strings.HasSuffix(strings.ToLower(fn.Name.Name), "codes") && path.Base(f.name) == "codes.go"
			if isList {
				lists[f.dir] = fn.Name.Name
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					for _, v := range n.Values {
						ast.Inspect(v, func(n ast.Node) bool { return mention(n, f, mentioned) })
					}
					return false
				case *ast.Ident:
					if isList {
						listed[f.dir] = append(listed[f.dir], n.Name)
						return true
					}
				}
				return isList || mention(n, f, mentioned)
			})
		}
	}
	for dir, name := range lists {
		if !mentioned[dir+"."+name] {
			out = append(out, fmt.Sprintf("%s: nothing calls %s", dir, name))
		}
	}
	next := map[string]int{}
	for _, k := range kinds {
		names := listed[k.file.dir][next[k.file.dir]:]
		if i := slices.Index(names, k.name); i < 0 {
			out = append(out, fmt.Sprintf("%s: Codes does not list %s, or not in the order of the codes", k.at(), k.name))
		} else {
			next[k.file.dir] += i + 1
		}
		if !mentioned[k.file.dir+"."+k.name] {
			out = append(out, fmt.Sprintf("%s: %s (%s) is never reported", k.at(), k.name, k.code))
		}
	}
	return out
}

// mention notes the variables that a node may mean, as "directory.name".
func mention(n ast.Node, f goFile, mentioned map[string]bool) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			mentioned[importedAs(f, x.Name)+"."+n.Sel.Name] = true
		}
		ast.Inspect(n.X, func(n ast.Node) bool { return mention(n, f, mentioned) })
		return false // the selected name is not one of the package
	case *ast.Ident:
		if !isLocal(n) {
			mentioned[f.dir+"."+n.Name] = true
		}
	}
	return true
}

// importedAs is the directory of the package of ours that a file imports by a name.
func importedAs(f goFile, name string) string {
	for _, spec := range f.ast.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		own, ok := strings.CutPrefix(imported, module+"/")
		if ok && (spec.Name == nil && path.Base(own) == name || spec.Name != nil && spec.Name.Name == name) {
			return own
		}
	}
	return ""
}

// isLocal reports whether an identifier is declared in a function of its file.
func isLocal(name *ast.Ident) bool {
	if name.Obj == nil {
		return false
	}
	if _, isFunc := name.Obj.Decl.(*ast.FuncDecl); isFunc {
		return false
	}
	value, ok := name.Obj.Decl.(*ast.ValueSpec)
	return !ok || slices.ContainsFunc(value.Names, func(n *ast.Ident) bool { return n.Obj == name.Obj }) && !isKind(value)
}

// changedKinds are the places that assign to a kind or to a part of one.
func changedKinds(kinds []*kind, files []goFile) (out []string) {
	known := map[string]bool{}
	for _, k := range kinds {
		known[k.file.dir+"."+k.name] = true
	}
	for _, f := range files {
		check := func(left ast.Expr) {
			if name := changed(left, f); known[name] {
				out = append(out, fmt.Sprintf("%s: %s is assigned to", f.fset.Position(left.Pos()), name))
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if n.Tok != token.DEFINE {
						check(left)
					}
				}
			case *ast.IncDecStmt:
				check(n.X)
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					check(n.Key)
				}
			}
			return true
		})
	}
	return out
}

// changed is the variable of which an assignment changes something, as
// "directory.name"; empty if it is one of a function, or a result.
func changed(left ast.Expr, f goFile) string {
	switch left := left.(type) {
	case *ast.Ident:
		if !isLocal(left) {
			return f.dir + "." + left.Name
		}
	case *ast.SelectorExpr:
		if x, ok := left.X.(*ast.Ident); ok && importedAs(f, x.Name) != "" {
			return importedAs(f, x.Name) + "." + left.Sel.Name
		}
		return changed(left.X, f)
	case *ast.StarExpr:
		return changed(left.X, f)
	case *ast.ParenExpr:
		return changed(left.X, f)
	}
	return ""
}

// freeCodes are the codes after the last one of each hundred, neither used nor reserved.
func freeCodes(kinds []*kind) (out []string) {
	for hundred := 100; hundred < 1000; hundred += 100 {
		next := hundred + 1
		for _, k := range kinds {
			if number, _ := strconv.Atoi(strings.TrimPrefix(k.code, "SG")); number/100*100 == hundred {
				next = max(next, number+1)
			}
		}
		for isReserved(next) {
			next++
		}
		out = append(out, fmt.Sprintf("SG%d", next))
	}
	return out
}

// TestKindsCanFail plants one mistake of each sort.
func TestKindsCanFail(t *testing.T) {
	const source = `package planted

import "github.com/schemagen/schemagen/diag"

var (
	first = &diag.Kind{Code: "SG102", Title: "t", Explanation: "e", Bad: "b", Good: "g"}
	%s
)

func Codes() []*diag.Kind { return []*diag.Kind{first%s} }

func run() { report(first); list(Codes()); %s }
`
	for _, c := range []struct{ name, declared, listed, body, want string }{
		{"nothing", `second = &diag.Kind{Code: "SG103", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "report(second)", ""},
		{"duplicate", `second = &diag.Kind{Code: "SG102", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "report(second)", "too"},
		{"order", `second = &diag.Kind{Code: "SG101", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "report(second)", "comes after"},
		{"title", `second = &diag.Kind{Code: "SG103", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "report(second)", "title"},
		{"no example", `second = &diag.Kind{Code: "SG103", Title: "t", Explanation: "e", Bad: "b"}`, ", second", "report(second)", "good example"},
		{"a reason and an example", `second = &diag.Kind{Code: "SG105", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "report(second)", "reason"},
		{"escaped lines", `second = &diag.Kind{Code: "SG103", Title: "t", Explanation: "e", Bad: "a\nb", Good: "g"}`, ", second", "report(second)", "raw string"},
		{"reserved", `second = &diag.Kind{Code: "SG329", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "report(second)", "reserved"},
		{"code", `second = &diag.Kind{Code: "X1", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "report(second)", "not a code"},
		{"not listed", `second = &diag.Kind{Code: "SG103", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, "", "report(second)", "does not list"},
		{"not reported", `second = &diag.Kind{Code: "SG103", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "", "never reported"},
		{"shadowed", `second = &diag.Kind{Code: "SG103", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "second := 1; report(second)", "never reported"},
		{"not called", "", "", "", "nothing calls"},
		{"assigned", "", "", "first = nil", "assigned"},
		{"changed", "", "", "first.Off = true", "assigned"},
		{"overwritten", "", "", "*first = diag.Kind{}", "assigned"},
		{"in parentheses", "", "", "(*first).Title = \"u\"", "assigned"},
		{"a local one", "", "", "first := 1; first = 2", ""},
		{"a diagnostic", "", "", "report(first).Off = true", ""},
		{"a method", `second = &diag.Kind{Code: "SG103", Title: "t", Explanation: "e", Bad: "b", Good: "g"}`, ", second", "b.second()", "never reported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fset := token.NewFileSet()
			text := fmt.Sprintf(source, c.declared, c.listed, c.body)
			if c.name == "not called" {
				text = strings.Replace(text, "list(Codes());", "", 1)
			}
			parsed, err := parser.ParseFile(fset, "planted/codes.go", text, 0)
			if err != nil {
				t.Fatal(err)
			}
			files := []goFile{{dir: "planted", name: "planted/codes.go", ast: parsed, fset: fset}}
			kinds := kindsOf(files)
			got := strings.Join(slices.Concat(wrongKinds(kinds), unusedKinds(kinds, files), changedKinds(kinds, files)), "\n")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestRecordedHints checks that no hint that is recorded in a test or shown on a page has an escaped
// line break or tab.
func TestRecordedHints(t *testing.T) {
	escaped := regexp.MustCompile(`(?m)^\s*(= )?(hint|help): .*\\[nt](\s|\\|$).*$`)
	if !escaped.MatchString("\thint: largest:\\n\\t.spec 2\n") {
		t.Fatal("the expression finds nothing")
	}
	found := 0
	for _, dir := range []string{"testdata", "docs"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".txtar", ".md", ".txt"}, filepath.Ext(name)) {
				return err
			}
			data, err := os.ReadFile(name)
			found += bytes.Count(data, []byte("hint: "))
			for _, line := range escaped.FindAll(data, -1) {
				t.Errorf("%s: %s", name, line)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 300 {
		t.Errorf("got only %d hints", found)
	}
}
