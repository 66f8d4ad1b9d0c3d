package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// UnimportedQualifier returns the qualifier of a type expression, such as metav1 of metav1.Time, if the file imports
// no package of that name. Otherwise it returns the empty string.
func UnimportedQualifier(f *File, expr ast.Expr) string {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	qualifier, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	if imported, _ := f.Imported(qualifier.Name); imported != nil {
		return ""
	}
	return qualifier.Name
}

// Imported returns the package that a qualifier in the file refers to, or nil. importPath
// is set if an import matches, even if its package was not found.
func (f *File) Imported(name string) (p *Package, importPath string) {
	var unnamed []string
	for _, spec := range f.tree.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name == nil {
			unnamed = append(unnamed, imp)
		} else if spec.Name.Name == name {
			return f.Pkg.Imported(imp), imp
		}
	}
	// An import without a name is known by the name in the package clause. Imports whose
	// path resembles the qualifier are tried first.
	for _, resembles := range []bool{true, false} {
		for _, imp := range unnamed {
			if (guessName(imp) == name) != resembles {
				continue
			}
			if p := f.Pkg.Imported(imp); p != nil && p.Name == name {
				return p, imp
			} else if p == nil && resembles {
				importPath = imp
			}
		}
	}
	if importPath == "" {
		// A package that was not found may have any name.
		missing := slices.DeleteFunc(unnamed, func(imp string) bool { return f.Pkg.Imported(imp) != nil })
		if len(missing) == 1 {
			importPath = missing[0]
		}
	}
	return nil, importPath
}

// Imported returns the package for an import path, or nil if it was not found.
func (p *Package) Imported(importPath string) *Package {
	if listed := p.Import(importPath); listed != nil && listed.Name != "" {
		imported := p.program.packageFor(listed)
		imported.imported = true
		return imported
	}
	return nil
}

// FindImport returns the import because of which a package depends on another one, if it does
// so through the user's packages.
func (p *Package) FindImport(other *Package) token.Pos {
	seen := map[*Package]bool{p: true}
	var find func(p *Package) token.Pos
	find = func(p *Package) token.Pos {
		p.program.Scan([]*Package{p})
		for _, f := range p.Sources {
			for i, spec := range f.imports() {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil || p.Foreign != nil && p.Foreign(path) {
					continue
				}
				imported := p.Imported(path)
				if imported == nil || !imported.Local() || seen[imported] {
					continue
				}
				seen[imported] = true
				if imported != other && !find(imported).IsValid() {
					continue
				}
				if tree, err := f.Tree(); err == nil {
					return tree.Imports[i].Pos()
				}
			}
		}
		return token.NoPos
	}
	return find(p)
}

// imports returns the imports of the file, for which it is not parsed: they may have no positions.
func (f *File) imports() []*ast.ImportSpec {
	if f.tree != nil {
		return f.tree.Imports
	}
	if f.imported == nil {
		f.imported = []*ast.ImportSpec{}
		if src, err := f.Text(); err == nil { // errors are reported when the file is parsed
			if tree, err := parser.ParseFile(token.NewFileSet(), f.Name, src, parser.ImportsOnly); err == nil {
				f.imported = tree.Imports
			}
		}
	}
	return f.imported
}

// DotImports returns the paths that the file dot-imports. It must have been parsed.
func (f *File) DotImports() (paths []string) {
	for _, spec := range f.tree.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil && spec.Name.Name == "." {
			paths = append(paths, path)
		}
	}
	return paths
}

// guessName guesses the name of a package from its import path.
func guessName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".")
	return strings.TrimPrefix(base, "go-")
}

// Excluded returns the base name of a file that declares a type and is in the directory of
// its package, but not part of the build: a test file, or one that the build constraints
// exclude. It returns the empty string if there is none.
func (f *File) Excluded(expr ast.Expr) string {
	name := ""
	p := f.Pkg
	switch expr := expr.(type) {
	case *ast.Ident:
		name = expr.Name
	case *ast.SelectorExpr:
		qualifier, ok := expr.X.(*ast.Ident)
		if !ok {
			return ""
		}
		name = expr.Sel.Name
		p, _ = f.Imported(qualifier.Name)
		if p == nil {
			return ""
		}
	}
	for file := range p.ExcludedFiles() {
		src, err := f.Pkg.program.inputs.ReadFile(file, nil)
		if err != nil {
			continue
		}
		declared := false
		typeHints(src, func(hint string) { declared = declared || hint == name })
		if declared {
			return filepath.Base(file)
		}
	}
	return ""
}

// ExcludedFiles returns the names of the Go files in the directory of the package that do not
// belong to it: tests, and files that the build constraints leave out.
func (p *Package) ExcludedFiles() iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(p.Files) == 0 {
			return
		}
		dir := filepath.Dir(p.Files[0])
		entries, err := p.program.inputs.ReadDir(dir)
		if err != nil {
			return
		}
		for _, entry := range entries {
			file := filepath.Join(dir, entry.Name())
			if strings.HasSuffix(file, ".go") && !slices.Contains(p.Files, file) && !yield(file) {
				return
			}
		}
	}
}
