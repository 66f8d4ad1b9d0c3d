package typecheck

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/pruned"
)

// need is a name that may refer to a type.
type need struct {
	scope *scope
	name  string
	// open is set if the type must not be sealed.
	open bool
	// from is the file that contains an unqualified name, or nil. Such a name may also refer
	// to a predeclared type, or to one of a package that the file dot-imports.
	from *source.File
}

// resolve finds the declarations of all needed names. Names are handled in waves, so that
// the files of each wave are parsed in parallel.
func (c *Checker) resolve() {
	for len(c.queue) > 0 && c.unsure == nil {
		wave := c.queue
		c.queue = nil
		c.parse(wave)
		for _, n := range wave {
			c.declare(n)
		}
	}
	for _, s := range c.ordered() {
		s.assemble()
	}
}

// parse scans the packages of a wave and parses the files that seem to declare its names.
func (c *Checker) parse(wave []need) {
	var packages []*source.Package
	for _, n := range wave {
		packages = append(packages, n.scope.pkg)
	}
	c.program.Scan(packages)
	var files []*source.File
	add := func(s *scope, f *source.File) {
		if !s.indexed[f] && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	for _, n := range wave {
		if n.scope.declared[n.name] != nil {
			continue
		}
		for _, f := range n.scope.pkg.Hinted(n.name) {
			add(n.scope, f)
		}
		if n.scope.methods != nil {
			continue
		}
		for _, f := range n.scope.pkg.Sources {
			if f.MentionsDeepCopy {
				add(n.scope, f)
			}
		}
	}
	c.program.Trees(files, func(int, *ast.File) {})
}

// declare finds the declaration that a name refers to and prunes it.
func (c *Checker) declare(n need) {
	if found := n.scope.find(n.name); found != nil {
		n.scope.add(found, n.name, n.open)
		return
	}
	if n.from == nil {
		c.doubt("no file of package %s declares a type %s", n.scope.pkg.Path, n.name)
		return
	}
	for _, path := range n.from.DotImports() {
		p := n.scope.pkg.Imported(path)
		if p == nil {
			c.doubt("package %s was not found", path)
			return
		}
		c.program.Scan([]*source.Package{p})
		if found := c.scope(p).find(n.name); found != nil && ast.IsExported(n.name) {
			n.scope.file(n.from).Use(pruned.Import{Name: ".", Path: path})
			c.scope(p).add(found, n.name, n.open)
			return
		}
	}
	if _, ok := types.Universe.Lookup(n.name).(*types.TypeName); !ok {
		c.doubt("type %s of package %s was not found", n.name, n.scope.pkg.Path)
	}
}

// find returns the declaration of a type in the package, or nil. The package must have been
// scanned.
func (s *scope) find(name string) *Declaration {
	if d := s.declared[name]; d != nil {
		return d
	}
	for _, f := range s.pkg.Hinted(name) {
		s.index(f)
	}
	return s.declared[name]
}

// index records the types that a file declares.
func (s *scope) index(f *source.File) {
	if s.indexed[f] {
		return
	}
	s.indexed[f] = true
	tree, err := f.Tree()
	if err != nil {
		s.checker.doubt("%v", err)
		return
	}
	for _, decl := range tree.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			if s.declared[spec.Name.Name] == nil {
				s.declared[spec.Name.Name] = &Declaration{File: f, Decl: gen, Spec: spec}
			}
		}
	}
}

// add adds a declaration to the needed ones, or opens one that was added before.
func (s *scope) add(found *Declaration, name string, open bool) {
	d := s.needed[name]
	if d == nil {
		d = &declaration{Declaration: *found, scope: s}
		s.needed[name] = d
	} else if d.open || !open {
		return
	}
	d.open = open
	d.prune()
	for _, m := range s.methodsOf(name) {
		s.keep(m)
	}
}

// methodsOf returns the methods of a type that are kept.
func (s *scope) methodsOf(name string) []*method {
	if s.methods == nil {
		s.methods = map[string][]*method{}
		s.findMethods()
	}
	return s.methods[name]
}

// findMethods records the methods of the package that may copy values.
func (s *scope) findMethods() {
	for _, f := range s.pkg.Sources {
		if !f.MentionsDeepCopy {
			continue
		}
		tree, err := f.Tree()
		if err != nil {
			s.checker.doubt("%v", err)
			return
		}
		for _, decl := range tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !copies(fn.Name.Name, fn.Type) {
				continue
			}
			if base, _ := source.Receiver(fn); base != "" {
				base = s.unalias(base)
				s.methods[base] = append(s.methods[base], &method{file: f, decl: fn})
			}
		}
	}
}

// copies reports whether a method with the name and the type may copy values. DeepCopyInto can be
// called whatever its results.
func copies(name string, fn *ast.FuncType) bool {
	params := fn.Params.NumFields()
	results := fn.Results.NumFields()
	return name == "DeepCopy" && params == 0 && results == 1 || name == "DeepCopyInto" && params == 1
}

// unalias follows aliases from a name in the package to the name that it stands for, to
// which methods of the alias belong.
func (s *scope) unalias(name string) string {
	for range 100 { // a type cannot be an alias of itself in Go
		d := s.find(name)
		if d == nil || !d.Spec.Assign.IsValid() {
			return name
		}
		target, ok := ast.Unparen(d.Spec.Type).(*ast.Ident)
		if !ok {
			s.checker.doubt("a method of package %s belongs to an alias, %s", s.pkg.Path, name)
			return name
		}
		name = target.Name
	}
	return name
}

// assemble adds the pruned declarations to their files.
func (s *scope) assemble() {
	for _, d := range s.needed {
		s.file(d.File).Add(&ast.GenDecl{Tok: token.TYPE, TokPos: d.Spec.Pos(), Specs: []ast.Spec{d.pruned}})
	}
}
