package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/source/pruned"
)

// constantScope is the part of a package that its constants depend on. A declaration is
// passed to go/types when it is asked for, together with the declarations that it mentions; of an
// imported package, only what is mentioned is checked. Methods and function bodies are never
// included.
type constantScope struct {
	pkg     *Package
	types   *types.Package
	checker *types.Checker
	info    types.Info
	errors  []ConstantError // errors of go/types and of imports, at most one per position, sorted by position

	opened   map[*File]bool
	declared map[string]*declaration   // first declaration of each name in the opened files
	missing  map[string]bool           // names that no file declares
	consts   []*declaration            // those of the opened files
	users    map[string][]*declaration // constants and aliases that mention a name

	queue map[*ast.File][]*declaration // not yet passed to go/types
	busy  bool                         // the queue is being filled; an import of this package is a cycle
}

// constantScope returns the scope of the package, which is shared by the whole run.
func (p *Package) constantScope() *constantScope {
	if p.constants != nil {
		return p.constants
	}
	p.Index()
	s := &constantScope{
		pkg: p, types: types.NewPackage(p.Path, p.Name),
		info:   types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}},
		opened: map[*File]bool{}, declared: map[string]*declaration{}, missing: map[string]bool{}, queue: map[*ast.File][]*declaration{},
	}
	p.constants = s
	s.types.MarkComplete() // go/types rejects imports of incomplete packages
	s.checker = pruned.Config{Fset: p.program.Fset, Import: s.importPackage, Info: &s.info, Error: func(e types.Error) {
		if !strings.HasPrefix(e.Msg, "\t") {
			s.addError(e.Pos, "%s", strings.Join(strings.Fields(e.Msg), " "))
		}
	}}.Checker(s.types)
	return s
}

func (s *constantScope) addError(pos token.Pos, format string, args ...any) {
	if i, found := s.errorAt(pos); !found {
		s.errors = slices.Insert(s.errors, i, ConstantError{s.pkg, pos, fmt.Sprintf(format, args...)})
	}
}

// errorAt returns the index of the first error at or after pos. found reports whether it is
// at pos.
func (s *constantScope) errorAt(pos token.Pos) (index int, found bool) {
	return slices.BinarySearchFunc(s.errors, pos, func(e ConstantError, pos token.Pos) int { return int(e.Pos - pos) })
}

// importPackage returns an imported package. Errors are not reported here: they were added at the
// use of the import.
func (s *constantScope) importPackage(path string) (*types.Package, error) {
	if p := s.pkg.Imported(path); p != nil && !p.constantScope().busy {
		return p.constantScope().types, nil
	}
	return nil, fmt.Errorf("package %q cannot be imported", path)
}

// declaration is the declaration of a constant, a type, variables, or a function.
type declaration struct {
	scope *constantScope
	file  *File
	name  *ast.Ident
	spec  ast.Spec
	decl  ast.Decl   // passed to go/types; nil for a constant
	parts []ast.Node // the name and the syntax that mentions other names
	// For a constant: its group, its index in the group, and its type and expression, which
	// may be inherited from a previous line. Both may be nil.
	gen       *ast.GenDecl
	iota      int
	typ, expr ast.Expr

	added bool
	// bytes is an upper bound for the length of a string constant. large is set if it
	// exceeds maxConstant for this constant or one that it mentions; these are not passed
	// to go/types.
	bytes   int
	large   bool
	imports []pruned.Import // imports in use
	refs    []*declaration
}

// open parses a file and adds its declarations to the scope.
func (s *constantScope) open(f *File) {
	if s.opened[f] {
		return
	}
	s.opened[f] = true
	f.Parse()
	if f.Syntax == nil {
		return
	}
	for _, decl := range f.Syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			s.enterFunction(f, decl)
		case *ast.GenDecl:
			if decl.Tok == token.CONST {
				s.enterConstants(f, decl)
				continue
			}
			for _, spec := range decl.Specs {
				d := &declaration{file: f, spec: spec, parts: []ast.Node{spec}}
				d.decl = &ast.GenDecl{Tok: decl.Tok, TokPos: decl.TokPos, Specs: []ast.Spec{spec}}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					s.enter(d, spec.Name)
				case *ast.ValueSpec:
					s.enter(d, spec.Names...)
				}
			}
		}
	}
}

func (s *constantScope) enterFunction(f *File, fn *ast.FuncDecl) {
	if fn.Recv == nil {
		s.enter(&declaration{file: f, decl: fn, parts: []ast.Node{fn.Name, fn.Type}}, fn.Name)
	}
}

func (s *constantScope) enterConstants(f *File, gen *ast.GenDecl) {
	last := &ast.ValueSpec{}
	for i, spec := range gen.Specs {
		spec := spec.(*ast.ValueSpec)
		if spec.Type != nil || len(spec.Values) > 0 {
			last = spec
		}
		for n, name := range spec.Names {
			d := &declaration{file: f, spec: spec, parts: []ast.Node{name}, gen: gen, iota: i, typ: last.Type}
			if d.typ != nil {
				d.parts = append(d.parts, d.typ)
			}
			if n < len(last.Values) {
				d.expr = last.Values[n]
				d.parts = append(d.parts, d.expr)
			}
			s.consts = append(s.consts, d)
			s.enter(d, name)
		}
	}
}

func (s *constantScope) enter(d *declaration, names ...*ast.Ident) {
	d.scope = s
	d.name = names[0]
	for _, name := range names {
		if s.declared[name.Name] == nil && name.Name != "_" {
			s.declared[name.Name] = d
		}
	}
}

// openConstants opens all files with constants and fills users.
func (s *constantScope) openConstants() {
	if s.users != nil {
		return
	}
	s.users = map[string][]*declaration{}
	for _, f := range s.pkg.Sources {
		if f.hasConstants {
			s.open(f)
		}
	}
	work := slices.Clone(s.consts)
	seen := map[*declaration]bool{}
	for i := 0; i < len(work); i++ {
		for _, m := range work[i].mentions() {
			if m.qualifier != nil {
				continue // no package that this one imports can refer to its types
			}
			s.users[m.name.Name] = append(s.users[m.name.Name], work[i])
			if target := s.find(m.name.Name); target != nil && !seen[target] {
				seen[target] = true
				if spec, ok := target.spec.(*ast.TypeSpec); ok && spec.Assign.IsValid() {
					work = append(work, target)
				}
			}
		}
	}
}

// hasConstants reports whether src seems to declare constants. Most generated code does
// not, and is large.
func hasConstants(src []byte) bool {
	for offset := 0; ; {
		i := bytes.Index(src[offset:], []byte("const"))
		if i < 0 {
			return false
		}
		start := offset + i
		offset = start + len("const")
		word := identifier(src[start:min(offset+4, len(src))]) // including the character after it
		if word == "const" && startsDeclaration(src[:start]) {
			return true
		}
	}
}

// find returns the declaration of a name in the package, or nil. It opens as few files as
// possible: first files that seem to declare a type of that name, then files with constants that
// contain the name, then the rest.
func (s *constantScope) find(name string) *declaration {
	for _, f := range s.pkg.hints[name] {
		s.open(f)
	}
	if t := s.pkg.types[name]; t != nil {
		s.open(t.File)
	}
	if d := s.declared[name]; d != nil || s.missing[name] || types.Universe.Lookup(name) != nil {
		return d // a predeclared name can only be shadowed by a constant or by what looks like a type
	}
	for _, constants := range []bool{true, false} {
		for _, f := range s.pkg.Sources {
			if s.opened[f] || constants && !f.hasConstants {
				continue
			}
			src, err := f.Text()
			if err != nil || !bytes.Contains(src, []byte(name)) {
				continue
			}
			s.open(f)
			if d := s.declared[name]; d != nil {
				return d
			}
		}
	}
	if d := s.findOmitted(name); d != nil {
		return d
	}
	s.missing[name] = true
	return nil
}

// findOmitted returns the declaration of a function that was left out of the tree of its file, or
// nil.
func (s *constantScope) findOmitted(name string) *declaration {
	for _, f := range s.pkg.Sources {
		if !f.local {
			continue
		}
		// The whole content matters, even if the function is not there.
		if src, err := s.pkg.program.ReadFile(f.Name); err != nil || !bytes.Contains(src, []byte(name)) {
			continue
		}
		s.open(f)
		for _, fn := range f.omitted {
			s.enterFunction(f, fn)
		}
	}
	return s.declared[name]
}

// resolve returns the declaration that a name in a file refers to, or nil. It is declared
// in the package or in one that the file dot-imports.
func (s *constantScope) resolve(f *File, name string) *declaration {
	d := s.find(name)
	for _, path := range f.DotImports() {
		if p := f.Pkg.Imported(path); d == nil && p != nil && ast.IsExported(name) {
			d = p.constantScope().find(name)
		}
	}
	return d
}

// mention is a name, with its qualifier if it has one.
type mention struct{ qualifier, name *ast.Ident }

// mentions returns the names that a declaration depends on, including its own, and possibly
// some that only look like names of the package.
func (d *declaration) mentions() []mention {
	var out []mention
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name != "_" {
				out = append(out, mention{name: n})
			}
		case *ast.SelectorExpr:
			if qualifier, ok := n.X.(*ast.Ident); ok {
				out = append(out, mention{qualifier, n.Sel})
			} else {
				ast.Inspect(n.X, visit)
			}
			return false
		case *ast.Field: // the names of fields and parameters are not mentions
			ast.Inspect(n.Type, visit)
			return false
		case *ast.BlockStmt:
			return false
		}
		return true
	}
	for _, part := range d.parts {
		ast.Inspect(part, visit)
	}
	return out
}

// check passes declarations, and the declarations that they mention, to go/types.
func (s *constantScope) check(declarations ...*declaration) {
	s.busy = true
	for _, d := range declarations {
		s.add(d)
	}
	var files []*ast.File
	for _, f := range s.pkg.Sources {
		if queue := s.queue[f.Syntax]; len(queue) > 0 {
			files = append(files, prune(queue).Syntax(f.Syntax))
		}
	}
	clear(s.queue)
	if len(files) > 0 {
		_ = s.checker.Files(files) // errors are collected in s.errors
	}
	s.busy = false
}

// add queues a declaration and the declarations that it mentions in the same package. Declarations
// of other packages are checked immediately.
func (s *constantScope) add(d *declaration) {
	if d == nil || d.added {
		return
	}
	d.added = true
	for _, m := range d.mentions() {
		name := m.name
		if m.qualifier != nil {
			if s.declared[m.qualifier.Name] == nil && d.addQualified(m) {
				continue
			}
			name = m.qualifier
		}
		if target := s.resolve(d.file, name.Name); target != nil && target.scope == s {
			d.refs = append(d.refs, target)
			s.add(target)
		} else if target != nil {
			d.addImport(name, ".", target.scope.pkg.Path, target)
		}
	}
	if d.measure(); !d.large {
		s.queue[d.file.Syntax] = append(s.queue[d.file.Syntax], d)
	}
}

// maxConstant is the maximum length in bytes of a string constant that is evaluated. Forty
// constants that each double the previous one would take terabytes.
const maxConstant = 1 << 20

// measure sums the lengths of the string literals that a declaration contains or mentions.
func (d *declaration) measure() {
	for _, ref := range d.refs {
		d.bytes = min(d.bytes+ref.bytes, 2*maxConstant)
		d.large = d.large || ref.large
	}
	if d.expr == nil {
		d.bytes = 0 // the length of a type or function does not depend on what it mentions
		return
	}
	ast.Inspect(d.expr, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			d.bytes = min(d.bytes+len(text.Value), 2*maxConstant)
		}
		return true
	})
	if d.bytes > maxConstant && !d.large {
		d.large = true
		d.scope.addError(d.name.Pos(), "%s may have more than %d bytes, the limit for constants", d.name.Name, maxConstant)
	}
}

// addQualified adds the import and the declaration that a qualified name refers to. It
// returns false if the qualifier is not an import.
func (d *declaration) addQualified(m mention) bool {
	p, path := d.file.Imported(m.qualifier.Name)
	if path == "" {
		return false
	}
	var target *declaration
	if p == nil {
		d.scope.addError(m.qualifier.Pos(), "cannot find package %q, which declares %s.%s", path, m.qualifier.Name, m.name.Name)
	} else if path != "unsafe" {
		target = p.constantScope().find(m.name.Name)
	}
	d.addImport(m.qualifier, m.qualifier.Name, path, target)
	return true
}

// addImport adds an import that the declaration uses and, if it is known, the declaration
// that it refers to.
func (d *declaration) addImport(use *ast.Ident, name, path string, target *declaration) {
	d.imports = append(d.imports, pruned.Import{Name: name, Path: path})
	switch {
	case target == nil:
	case target.scope.busy:
		d.scope.addError(use.Pos(), "import cycle: package %q needs constants of this one", path)
	default:
		d.refs = append(d.refs, target)
		target.scope.check(target)
	}
}

// prune returns a file with only the given declarations and the imports that they use.
// It shares syntax with the full file, without modifying it.
func prune(declarations []*declaration) *pruned.File {
	slices.SortFunc(declarations, func(a, b *declaration) int { return int(a.name.Pos() - b.name.Pos()) })
	out := &pruned.File{}
	var source, group *ast.GenDecl // the current group of constants and its pruned copy
	for _, d := range declarations {
		for _, used := range d.imports {
			out.Use(used)
		}
		if d.decl != nil {
			out.Add(d.decl)
			continue
		}
		if source != d.gen {
			source = d.gen
			group = &ast.GenDecl{Tok: token.CONST, TokPos: d.gen.TokPos}
			out.Add(group)
		}
		d.appendTo(group)
	}
	return out
}

// appendTo appends a constant to the pruned copy of its group. A constant that mentions
// iota must keep its index, so blank constants replace omitted ones.
func (d *declaration) appendTo(group *ast.GenDecl) {
	if slices.ContainsFunc(d.mentions(), func(m mention) bool { return m.name.Name == "iota" }) {
		zero := []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: "0"}}
		for len(group.Specs) < d.iota {
			group.Specs = append(group.Specs, &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent("_")}, Values: zero})
		}
	}
	if len(group.Specs) <= d.iota {
		group.Specs = append(group.Specs, &ast.ValueSpec{Type: d.typ})
	} // otherwise it extends the line of the previous constant
	line := group.Specs[len(group.Specs)-1].(*ast.ValueSpec)
	line.Names = append(line.Names, d.name)
	if d.expr != nil {
		line.Values = append(line.Values, d.expr)
	}
}
