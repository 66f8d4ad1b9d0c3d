package typecheck

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/schemagen/schemagen/internal/source"
)

// Options configure a [Checker].
type Options struct {
	// Whole keeps declarations as they are written, with all fields, tags, parameters and
	// interface methods. Methods of types are left out.
	Whole bool
}

// Checker collects types and type-checks them together with everything they depend on.
type Checker struct {
	options Options
	program *source.Program
	scopes  map[*source.Package]*scope
	byTypes map[*types.Package]*scope
	queue   []need
	unsure  error // the first reason
	// Missing are the imports that types of the user's packages need and that cannot be found, set by
	// [Checker.Check].
	Missing []MissingImport
}

// New returns a checker without types.
func New(p *source.Program, options Options) *Checker {
	return &Checker{options: options, program: p, scopes: map[*source.Package]*scope{}, byTypes: map[*types.Package]*scope{}}
}

// Need adds a package-level type. Unlike the types that it refers to, it is not sealed, and
// neither are types whose underlying type it shares.
func (c *Checker) Need(p *source.Package, name string) {
	c.queue = append(c.queue, need{scope: c.scope(p), name: name, open: true})
}

// Check type-checks the needed types. It is called once, after all calls of Need. The error
// is of type [*source.Unsure].
func (c *Checker) Check() error {
	c.resolve()
	for _, s := range c.ordered() {
		if c.unsure == nil {
			s.check()
		}
	}
	return c.unsure
}

// Lookup returns a type that was needed directly or indirectly, or nil.
func (c *Checker) Lookup(p *source.Package, name string) *types.TypeName {
	s := c.scopes[p]
	if s == nil || s.types == nil {
		return nil
	}
	obj, _ := s.types.Scope().Lookup(name).(*types.TypeName)
	return obj
}

// Package returns the package that a type of the checker belongs to, or nil for predeclared
// types and those of package unsafe.
func (c *Checker) Package(obj *types.TypeName) *source.Package {
	if s := c.byTypes[obj.Pkg()]; s != nil {
		return s.pkg
	}
	return nil
}

// Declaration is the syntax of a type declaration as written in its file.
type Declaration struct {
	File *source.File
	// Decl is the declaration that contains Spec.
	Decl *ast.GenDecl
	Spec *ast.TypeSpec
}

// Declaration returns the syntax of a package-level type of the checker, or nil. For an
// instance of a generic type, it is the generic type's.
func (c *Checker) Declaration(obj *types.TypeName) *Declaration {
	s := c.byTypes[obj.Pkg()]
	if s == nil || s.needed[obj.Name()] == nil {
		return nil
	}
	return &s.needed[obj.Name()].Declaration
}

// MissingImport is an import that cannot be found.
type MissingImport struct {
	// Package is the package with the import, and Pos the position of a type, Name, that needs it.
	Package *source.Package
	Pos     token.Pos
	// Path is the import path.
	Path string
	Name string
}

// doubt records a reason to be unsure. Only the first is kept.
func (c *Checker) doubt(format string, args ...any) {
	if c.unsure == nil {
		c.unsure = source.Unsuref(format, args...)
	}
}

// ordered returns the scopes in the order of their import paths.
func (c *Checker) ordered() []*scope {
	out := make([]*scope, 0, len(c.scopes))
	for _, s := range c.scopes {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *scope) int {
		if a.pkg.Path < b.pkg.Path {
			return -1
		}
		return 1
	})
	return out
}

// scope is the needed part of a package.
type scope struct {
	checker *Checker
	pkg     *source.Package
	// indexed are the files whose types are in declared.
	indexed  map[*source.File]bool
	declared map[string]*Declaration
	needed   map[string]*declaration
	methods  map[string][]*method // by the name of the receiver's type
	files    map[*source.File]*prunedFile

	types *types.Package
	busy  bool
	// excluded are the methods in files that are not part of the package; nil before they are read.
	// replaced is the name of a file that does not count, or empty.
	excluded map[string]ExcludedMethods
	replaced string
}

// declaration is a needed declaration.
type declaration struct {
	Declaration
	scope *scope
	// open is set if the type must not be sealed.
	open   bool
	pruned *ast.TypeSpec
}

// method is a method that is kept.
type method struct {
	file *source.File
	decl *ast.FuncDecl
}

// prunedFile is the pruned copy of a file.
type prunedFile struct {
	imports []usedImport
	decls   []ast.Decl
}

// usedImport is an import under the name by which the file refers to it, or ".".
type usedImport struct{ name, path string }

func (c *Checker) scope(p *source.Package) *scope {
	s := c.scopes[p]
	if s == nil {
		s = &scope{
			checker: c, pkg: p, indexed: map[*source.File]bool{}, declared: map[string]*Declaration{},
			needed: map[string]*declaration{}, files: map[*source.File]*prunedFile{},
		}
		c.scopes[p] = s
	}
	return s
}

// check passes the pruned package to go/types, after the packages that it imports.
func (s *scope) check() {
	if s.types != nil {
		return
	}
	s.types = types.NewPackage(s.pkg.Path, s.pkg.Name)
	s.checker.byTypes[s.types] = s
	s.busy = true
	defer func() { s.busy = false }()
	config := &types.Config{
		IgnoreFuncBodies: true, DisableUnusedImportCheck: true, Importer: s,
		Error: func(err error) { s.checker.doubt("go/types reports an error: %v", err) },
	}
	_ = types.NewChecker(config, s.checker.program.Fset, s.types, nil).Files(s.syntax()) // errors were passed to Error
}

// Import implements [types.Importer].
func (s *scope) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	imported := s.checker.scopes[s.pkg.Imported(path)]
	if imported == nil || imported.busy {
		return nil, source.Unsuref("package %q cannot be imported", path)
	}
	imported.check()
	return imported.types, nil
}

// syntax returns the pruned files of the package.
func (s *scope) syntax() []*ast.File {
	var out []*ast.File
	for _, f := range s.pkg.Sources {
		pruned := s.files[f]
		if pruned == nil {
			continue
		}
		tree, _ := f.Tree() // parsed before
		file := &ast.File{Package: tree.Package, Name: tree.Name, FileStart: tree.FileStart, FileEnd: tree.FileEnd}
		imports := &ast.GenDecl{Tok: token.IMPORT, TokPos: tree.Package}
		for _, used := range pruned.imports {
			imports.Specs = append(imports.Specs, &ast.ImportSpec{
				Name: &ast.Ident{NamePos: tree.Package, Name: used.name},
				Path: &ast.BasicLit{ValuePos: tree.Package, Kind: token.STRING, Value: strconv.Quote(used.path)},
			})
		}
		file.Decls = append([]ast.Decl{imports}, pruned.decls...)
		out = append(out, file)
	}
	return out
}

// file returns the pruned copy of a file.
func (s *scope) file(f *source.File) *prunedFile {
	if s.files[f] == nil {
		s.files[f] = &prunedFile{}
	}
	return s.files[f]
}

// use adds an import to the pruned copy of a file.
func (s *scope) use(f *source.File, name, path string) {
	file := s.file(f)
	if used := (usedImport{name, path}); !slices.Contains(file.imports, used) {
		file.imports = append(file.imports, used)
	}
}
