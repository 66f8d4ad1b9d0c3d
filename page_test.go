package schemagen_test

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitecturePage wants docs/ARCHITECTURE.md to have a line for each room, and steps of walks
// through the code that exist.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile("docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^- `([a-z/-]+)` ").FindAllStringSubmatch(string(page), -1) {
		lines[m[1]]++
	}
	for _, room := range slices.Concat(floors()...) {
		if lines[room] != 1 {
			t.Errorf("%d lines of the page are about %s", lines[room], room)
		}
		delete(lines, room)
	}
	if len(lines) > 0 {
		t.Errorf("the page has lines for rooms that do not exist: %v", lines)
	}
	functions := functionsOf(product(t))
	walks := strings.Split(string(page), "\n### ")[1:]
	if len(walks) != 3 {
		t.Errorf("the page has %d walks", len(walks))
	}
	step := regexp.MustCompile("^[0-9]+\\. `([a-z0-9/_-]+\\.go)`, `([A-Za-z0-9.]+)`: ")
	for _, walk := range walks {
		title, text, _ := strings.Cut(walk, "\n")
		text, _, _ = strings.Cut(text, "\n## ")
		steps := 0
		for _, line := range regexp.MustCompile(`(?m)^[0-9]+\. .*$`).FindAllString(text, -1) {
			steps++
			if m := step.FindStringSubmatch(line); m == nil {
				t.Errorf("%s: a step has another form than `file`, `function`: sentence: %s", title, line)
			} else if !functions[m[1]+" "+m[2]] {
				t.Errorf("%s: %s has no function %s", title, m[1], m[2])
			}
		}
		if steps < 5 {
			t.Errorf("%s: a walk of %d steps", title, steps)
		}
	}
}

// functionsOf returns the functions that files declare: the file and the name, with that of the
// receiver's type in front of a method.
func functionsOf(files []goFile) map[string]bool {
	out := map[string]bool{}
	for _, f := range files {
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				receiver := fn.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if ident, ok := receiver.(*ast.Ident); ok {
					name = ident.Name + "." + name
				}
			}
			out[f.name+" "+name] = true
		}
	}
	return out
}
