package typecheck

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/pruned"
)

// Checker collects types and type-checks them together with everything they depend on.
type Checker struct {
	program *source.Program
	scopes  map[*source.Package]*scope
	byTypes map[*types.Package]*scope
	queue   []need
	unsure  error // the first reason
	// Missing are the imports that types of the user's packages need and that cannot be found or are not written, set by
	// [Checker.Check].
	Missing []MissingImport
}

// New returns a checker without types.
func New(p *source.Program) *Checker {
	return &Checker{program: p, scopes: map[*source.Package]*scope{}, byTypes: map[*types.Package]*scope{}}
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

// MissingImport is an import that cannot be found, or that the file lacks.
type MissingImport struct {
	// Package is the package with the import, and Pos the position of a type, Name, that needs it.
	Package *source.Package
	Pos     token.Pos
	// Path is the import path, or empty if the file does not import the package of Name.
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
	slices.SortFunc(out, func(a, b *scope) int { return strings.Compare(a.pkg.Path, b.pkg.Path) })
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
	files    map[*source.File]*pruned.File

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

// method is a method of a type that is kept if the type is needed.
type method struct {
	file *source.File
	decl *ast.FuncDecl
	kept bool
}

func (c *Checker) scope(p *source.Package) *scope {
	s := c.scopes[p]
	if s == nil {
		s = &scope{
			checker: c, pkg: p, indexed: map[*source.File]bool{}, declared: map[string]*Declaration{},
			needed: map[string]*declaration{}, files: map[*source.File]*pruned.File{},
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
	pruned.Config{
		Fset: s.checker.program.Fset, Import: s.importPackage,
		Error: func(err types.Error) { s.checker.doubt("go/types reports an error: %v", err) },
	}.Check(s.types, s.syntax())
}

// importPackage returns a package that this one imports.
func (s *scope) importPackage(path string) (*types.Package, error) {
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
		if file := s.files[f]; file != nil {
			tree, _ := f.Tree() // parsed before
			out = append(out, file.Syntax(tree))
		}
	}
	return out
}

// file returns the pruned copy of a file.
func (s *scope) file(f *source.File) *pruned.File {
	if s.files[f] == nil {
		s.files[f] = &pruned.File{}
	}
	return s.files[f]
}
