// Command updates prints the arguments of go test that regenerate the files of a module: the packages
// and the names of all tests that write files if the flag update is set.
//
// Such a test reads the flag, or calls a function of its package that does. A test that make generate
// leaves out has the reason in its comment, after "Left out of make generate: ".
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const leftOut = "Left out of make generate: "

func main() {
	log.SetFlags(0)
	flag.Parse()
	arguments, err := updating(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(arguments, " "))
}

// updating returns the arguments for the tests in the committed and new files of a repository.
func updating(root string) ([]string, error) {
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*_test.go")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests in %s: %w", root, err)
	}
	packages := map[string][]*ast.File{}
	for _, name := range strings.Fields(string(out)) {
		if otherModule(root, path.Dir(name)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		packages[path.Dir(name)] = append(packages[path.Dir(name)], file)
	}
	var dirs, tests []string
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if found := testsOf(packages[dir]); len(found) > 0 {
			dirs = append(dirs, "./"+strings.TrimSuffix(dir, "."))
			tests = append(tests, found...)
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no test in %s has the flag update", root)
	}
	slices.Sort(tests)
	return append(dirs, "-run", "^("+strings.Join(slices.Compact(tests), "|")+")$"), nil
}

// otherModule reports whether a folder is in testdata or in a nested module.
func otherModule(root, dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil || path.Base(dir) == "testdata" {
			return true
		}
	}
	return false
}

// testsOf returns the names of the tests of a package that depend on its flag update, without those
// that are left out.
func testsOf(files []*ast.File) (tests []string) {
	functions := map[string]*ast.FuncDecl{}
	name := ""
	for _, file := range files {
		for _, decl := range file.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok {
				functions[function.Name.Name] = function
			}
			if variable := flagVariable(decl); variable != "" {
				name = variable
			}
		}
	}
	if name == "" {
		return nil
	}
	depends := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for _, function := range functions {
			if !depends[function.Name.Name] && (dereferences(function, name) || calls(function, depends)) {
				depends[function.Name.Name] = true
				changed = true
			}
		}
	}
	for _, function := range functions {
		if strings.HasPrefix(function.Name.Name, "Test") && depends[function.Name.Name] && !strings.Contains(function.Doc.Text(), leftOut) {
			tests = append(tests, function.Name.Name)
		}
	}
	return tests
}

// flagVariable returns the name of the variable of the flag update that a declaration has.
func flagVariable(decl ast.Decl) (name string) {
	variables, ok := decl.(*ast.GenDecl)
	if !ok || variables.Tok != token.VAR {
		return ""
	}
	for _, spec := range variables.Specs {
		variable := spec.(*ast.ValueSpec)
		for i, value := range variable.Values {
			call, ok := value.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				continue
			}
			if literal, ok := call.Args[0].(*ast.BasicLit); ok && literal.Value == `"update"` {
				name = variable.Names[i].Name
			}
		}
	}
	return name
}

// dereferences reports whether a function reads the value of a variable that is a pointer.
func dereferences(function *ast.FuncDecl, variable string) (found bool) {
	ast.Inspect(function, func(n ast.Node) bool {
		if star, ok := n.(*ast.StarExpr); ok {
			identifier, ok := star.X.(*ast.Ident)
			found = found || ok && identifier.Name == variable
		}
		return !found
	})
	return found
}

// calls reports whether a function calls one of the functions or methods with these names.
func calls(function *ast.FuncDecl, names map[string]bool) (found bool) {
	ast.Inspect(function, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			switch callee := call.Fun.(type) {
			case *ast.Ident:
				found = found || names[callee.Name]
			case *ast.SelectorExpr:
				found = found || names[callee.Sel.Name]
			}
		}
		return !found
	})
	return found
}
