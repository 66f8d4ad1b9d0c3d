package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	prepositions = regexp.MustCompile(`^(of|at|on|by|to|in|with|from|near|among|above|below|before|after|without|for_|off|into)$`)
	pronouns     = regexp.MustCompile(`\b(is|are) (that|those) of\b|\bthose that\b|\bthat of its\b`)
)

// counter collects places by pattern.
type counter struct {
	files  *token.FileSet
	lines  int
	places map[string][]string
}

func (c *counter) add(pattern string, pos token.Pos, note string) {
	c.places[pattern] = append(c.places[pattern], strings.TrimSpace(c.files.Position(pos).String()+" "+note))
}

// text counts what does not depend on syntax.
func (c *counter) text(name string, text []byte) {
	for i, line := range strings.Split(string(text), "\n") {
		columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if columns > 120 && !strings.ContainsAny(line, "\"`") {
			c.places["wide"] = append(c.places["wide"], fmt.Sprintf("%s:%d", name, i+1))
		}
	}
}

// file counts a file of a package. flags are the named bool types of the package.
func (c *counter) file(file *ast.File, flags map[string]bool) {
	for _, group := range file.Comments {
		if pronouns.MatchString(group.Text()) {
			c.add("pronoun-comment", group.Pos(), "")
		}
	}
	loops := loopVariables(file)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			a, ok := n.Init.(*ast.AssignStmt)
			if ok && a.Tok == token.ASSIGN && slices.ContainsFunc(a.Lhs, assignsOuter) {
				c.add("if-effect", n.Pos(), "")
			}
		case *ast.AssignStmt:
			c.assignment(n, loops[n])
		case *ast.FuncDecl:
			c.function(n, flags)
		case *ast.StructType:
			if fields := n.Fields.NumFields(); fields >= 20 {
				c.add("fields", n.Pos(), fmt.Sprint(fields))
			}
		}
		return true
	})
}

// loopVariables returns the assignments that declare the variables of loops.
func loopVariables(file *ast.File) map[*ast.AssignStmt]bool {
	found := map[*ast.AssignStmt]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForStmt); ok {
			if a, ok := loop.Init.(*ast.AssignStmt); ok {
				found[a] = true
			}
		}
		return true
	})
	return found
}

func (c *counter) assignment(n *ast.AssignStmt, inLoop bool) {
	matched := len(n.Lhs) == len(n.Rhs)
	if n.Tok == token.ASSIGN && len(n.Lhs) > 1 && matched && !swaps(n) {
		c.add("parallel", n.Pos(), fmt.Sprint(len(n.Lhs)))
	}
	if n.Tok != token.DEFINE {
		return
	}
	if len(n.Lhs) > 2 && matched {
		c.add("define", n.Pos(), fmt.Sprint(len(n.Lhs)))
	}
	if len(n.Lhs) == 2 && matched && !inLoop {
		c.add("define-two", n.Pos(), "")
	}
	for _, left := range n.Lhs {
		if id, ok := left.(*ast.Ident); ok && prepositions.MatchString(id.Name) {
			c.add("preposition", id.Pos(), id.Name)
		}
	}
}

func (c *counter) function(n *ast.FuncDecl, flags map[string]bool) {
	if n.Type.Results.NumFields() >= 4 {
		c.add("results", n.Pos(), n.Name.Name)
	}
	for _, p := range n.Type.Params.List {
		for _, id := range p.Names {
			if prepositions.MatchString(id.Name) {
				c.add("preposition", id.Pos(), id.Name)
			}
		}
	}
	named := func(p *ast.Field) string {
		id, _ := p.Type.(*ast.Ident)
		if id == nil {
			return ""
		}
		return id.Name
	}
	if slices.ContainsFunc(n.Type.Params.List, func(p *ast.Field) bool { return named(p) == "bool" }) {
		c.add("bool-parameter", n.Pos(), n.Name.Name)
	}
	if slices.ContainsFunc(n.Type.Params.List, func(p *ast.Field) bool { return flags[named(p)] }) {
		c.add("flag-type", n.Pos(), n.Name.Name)
	}
	if n.Body == nil {
		return
	}
	lines := c.files.Position(n.Body.End()).Line - c.files.Position(n.Body.Pos()).Line
	if lines > 80 {
		c.add("long-function", n.Pos(), fmt.Sprint(n.Name.Name, " ", lines))
	}
	if lines > 3 {
		c.shortNames(n)
	}
}

// shortNames counts variables of one letter that are used more than 20 lines below their
// declaration: there a reader has forgotten what they are.
func (c *counter) shortNames(n *ast.FuncDecl) {
	declared := map[string]token.Pos{}
	declare := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && len(id.Name) == 1 && id.Name != "_" {
			declared[id.Name] = id.Pos()
		}
	}
	for _, p := range n.Type.Params.List {
		for _, id := range p.Names {
			declare(id)
		}
	}
	far := map[token.Pos]string{}
	ast.Inspect(n.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			if node.Tok == token.DEFINE {
				for _, left := range node.Lhs {
					declare(left)
				}
			}
		case *ast.RangeStmt:
			if node.Tok == token.DEFINE && node.Value != nil {
				declare(node.Value)
			}
		case *ast.Ident:
			pos, ok := declared[node.Name]
			if ok && c.files.Position(node.Pos()).Line-c.files.Position(pos).Line > 20 {
				far[pos] = node.Name
			}
		}
		return true
	})
	for pos, name := range far {
		c.add("short-name", pos, name)
	}
}

// boolTypes returns the types of a package that are bool with another name.
func boolTypes(files []*ast.File) map[string]bool {
	found := map[string]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			general, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range general.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && types.ExprString(t.Type) == "bool" {
					found[t.Name.Name] = true
				}
			}
		}
	}
	return found
}

func assignsOuter(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return !ok || id.Name != "err" && id.Name != "_"
}

// swaps reports whether the statement assigns a permutation of its own left side: a, b = b, a.
func swaps(n *ast.AssignStmt) bool {
	sorted := func(list []ast.Expr) []string {
		var texts []string
		for _, e := range list {
			texts = append(texts, types.ExprString(e))
		}
		slices.Sort(texts)
		return texts
	}
	return slices.Equal(sorted(n.Lhs), sorted(n.Rhs))
}
