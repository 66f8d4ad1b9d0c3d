package fixes

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
)

// WithoutIdleImports returns a Go file without the imports that it used before it was edited
// and does not use any more: with them it would not compile.
func WithoutIdleImports(head, tail []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", tail, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	old, err := parser.ParseFile(token.NewFileSet(), "", head, 0)
	if err != nil {
		return nil, err
	}
	used := qualifiers(old)
	using := qualifiers(tree)
	for _, decl := range slices.Backward(tree.Decls) {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		for _, spec := range slices.Backward(imports.Specs) {
			spec := spec.(*ast.ImportSpec)
			if name := importName(spec); !used[name] || using[name] {
				continue
			}
			var node ast.Node = spec
			if len(imports.Specs) == 1 {
				node = imports
			}
			start := fset.Position(node.Pos()).Offset
			end := fset.Position(node.End()).Offset
			rest := bytes.TrimPrefix(bytes.TrimPrefix(tail[end:], []byte("\r")), []byte("\n"))
			tail = slices.Concat(bytes.TrimRight(tail[:start], " \t"), rest)
		}
	}
	return tail, nil
}

// qualifiers returns the names before a dot in a file, which include those of the packages
// that it uses.
func qualifiers(tree *ast.File) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				out[x.Name] = true
			}
		}
		return true
	})
	return out
}

// importName returns the name that a file has for an import, or a guess of it.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	location, _ := strconv.Unquote(spec.Path.Value) // the parser checked it
	return path.Base(location)
}
