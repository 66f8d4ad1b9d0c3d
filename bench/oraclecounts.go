package main

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// statements are numbers of statements in functions, blocks not counted.
type statements struct {
	hooks, written int
	// called are those of the hand-written functions that hooks call, in turn, too.
	called int
}

// countStatements counts the statements in files with hooks and hand-written functions.
func countStatements(hooks, written []string) (n statements, err error) {
	functions := func(names []string) (out []*ast.FuncDecl, err error) {
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					out = append(out, f)
				}
			}
		}
		return out, nil
	}
	calling, err := functions(hooks)
	if err != nil {
		return n, err
	}
	all, err := functions(written)
	if err != nil {
		return n, err
	}
	named := map[string][]*ast.FuncDecl{} // those of two packages may have the same name
	for _, f := range all {
		n.written += countIn(f)
		if f.Recv == nil {
			named[f.Name.Name] = append(named[f.Name.Name], f)
		}
	}
	for _, f := range calling {
		n.hooks += countIn(f)
	}
	for len(calling) > 0 {
		f := calling[0]
		calling = calling[1:]
		ast.Inspect(f, func(node ast.Node) bool {
			if name, ok := node.(*ast.Ident); ok {
				for _, callee := range named[name.Name] {
					n.called += countIn(callee)
					calling = append(calling, callee)
				}
				delete(named, name.Name)
			}
			return true
		})
	}
	return n, nil
}

// countIn returns the number of statements in a function.
func countIn(f *ast.FuncDecl) (n int) {
	ast.Inspect(f, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.BlockStmt, *ast.CaseClause:
		case ast.Stmt:
			n++
		}
		return true
	})
	return n
}
