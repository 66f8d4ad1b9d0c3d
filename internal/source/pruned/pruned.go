// Package pruned type-checks packages of which only some declarations are needed. It does not know
// which ones: package source takes those that constants depend on, and package typecheck those that
// the copying of values depends on.
package pruned

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// Import is an import under the name by which its file refers to it, or ".".
type Import struct{ Name, Path string }

// File has the needed declarations of a file, and the imports that they use.
type File struct {
	imports []Import
	decls   []ast.Decl
}

// Use adds an import, unless the file has it.
func (f *File) Use(used Import) {
	if !slices.Contains(f.imports, used) {
		f.imports = append(f.imports, used)
	}
}

// Add adds declarations. Their order does not matter.
func (f *File) Add(decls ...ast.Decl) { f.decls = append(f.decls, decls...) }

// Syntax returns the pruned copy of the tree of the whole file, with its positions.
func (f *File) Syntax(whole *ast.File) *ast.File {
	imports := &ast.GenDecl{Tok: token.IMPORT, TokPos: whole.Package}
	for _, used := range f.imports {
		imports.Specs = append(imports.Specs, &ast.ImportSpec{
			Name: &ast.Ident{NamePos: whole.Package, Name: used.Name},
			Path: &ast.BasicLit{ValuePos: whole.Package, Kind: token.STRING, Value: strconv.Quote(used.Path)},
		})
	}
	slices.SortStableFunc(f.decls, func(a, b ast.Decl) int { return int(a.Pos() - b.Pos()) })
	return &ast.File{Package: whole.Package, Name: whole.Name, FileStart: whole.FileStart, FileEnd: whole.FileEnd,
		Decls: append([]ast.Decl{imports}, f.decls...)}
}

// Config configures the checking of a package.
type Config struct {
	// Fset has the positions of the files.
	Fset *token.FileSet
	// Import returns the package for an import path other than unsafe.
	Import func(path string) (*types.Package, error)
	// Error is called with each error. A message that begins with a tab continues the error before it.
	Error func(types.Error)
	// Info receives the types of expressions; it may be nil.
	Info *types.Info
	// Bodies is set to check the bodies of functions, too.
	Bodies bool
}

// Checker returns a checker of files of a package. Sizes are for a 64-bit machine, whatever the host is.
func (c Config) Checker(p *types.Package) *types.Checker {
	config := &types.Config{
		IgnoreFuncBodies: !c.Bodies, DisableUnusedImportCheck: true, Importer: importer(c.Import),
		Error: func(err error) {
			if found, ok := err.(types.Error); ok {
				c.Error(found)
			}
		},
	}
	return types.NewChecker(config, c.Fset, p, c.Info)
}

// Check checks all files of a package.
func (c Config) Check(p *types.Package, files []*ast.File) {
	_ = c.Checker(p).Files(files) // errors were passed to Error
}

// importer implements [types.Importer].
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return i(path)
}
