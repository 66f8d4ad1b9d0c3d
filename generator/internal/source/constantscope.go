package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// constantScope is the part of a package that constants need. Its declarations
// are handed to go/types when they are asked for, with those that they mention;
// an imported package has no more than what is mentioned of it. Methods and
// bodies of functions are never part of it.
type constantScope struct {
	pkg     *Package
	types   *types.Package
	checker *types.Checker
	info    types.Info
	errors  []ConstantError // of go/types and of imports, one at each place, in order

	opened   map[*File]bool
	declared map[string]*declaration   // the first of each name in opened files
	missing  map[string]bool           // what no file declares
	consts   []*declaration            // in opened files
	users    map[string][]*declaration // the constants and aliases that mention a name

	queue map[*ast.File][]*declaration // added, but not yet seen by go/types
	busy  bool                         // the queue is being filled: an import is a cycle
}

// constantScope returns the scope of the package, which is one for the run.
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
	s.types.MarkComplete() // go/types takes no other for an import
	// Sizes are those of a 64-bit machine, whichever this is.
	config := &types.Config{IgnoreFuncBodies: true, DisableUnusedImportCheck: true, Importer: s, Error: func(err error) {
		// One that begins with a tab goes on with the one before.
		if e, ok := err.(types.Error); ok && !strings.HasPrefix(e.Msg, "\t") {
			s.note(e.Pos, "%s", strings.Join(strings.Fields(e.Msg), " "))
		}
	}}
	s.checker = types.NewChecker(config, p.program.Fset, s.types, &s.info)
	return s
}

func (s *constantScope) note(pos token.Pos, format string, args ...any) {
	if i, found := s.errorAt(pos); !found {
		s.errors = slices.Insert(s.errors, i, ConstantError{s.pkg, pos, fmt.Sprintf(format, args...)})
	}
}

// errorAt returns the index of the first error at or behind a place.
func (s *constantScope) errorAt(pos token.Pos) (index int, found bool) {
	return slices.BinarySearchFunc(s.errors, pos, func(e ConstantError, pos token.Pos) int { return int(e.Pos - pos) })
}

// Import implements types.Importer. What it refuses was noted where it is used.
func (s *constantScope) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := s.pkg.Imported(path); p != nil && !p.constantScope().busy {
		return p.constantScope().types, nil
	}
	return nil, fmt.Errorf("package %q cannot be imported", path)
}

// declaration is the declaration of one constant, a type, variables, or a function.
type declaration struct {
	scope *constantScope
	file  *File
	name  *ast.Ident
	spec  ast.Spec
	decl  ast.Decl   // what go/types is given, unless this is a constant
	parts []ast.Node // the syntax that mentions others, and the name
	// Of a constant: its group, its place in it, and its type and expression,
	// which may be those of a line above. Both may be nil.
	gen       *ast.GenDecl
	iota      int
	typ, expr ast.Expr

	added bool
	// bytes bounds the length of a constant text; large says that this, or that of
	// something it mentions, is above maxConstant: go/types does not see it.
	bytes   int
	large   bool
	imports [][2]string // that it uses: the qualifier or a dot, and the path
	refs    []*declaration
}

// open parses a file and enters what it declares.
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
			if decl.Recv == nil {
				s.enter(&declaration{file: f, decl: decl, parts: []ast.Node{decl.Name, decl.Type}}, decl.Name)
			}
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
	d.scope, d.name = s, names[0]
	for _, name := range names {
		if s.declared[name.Name] == nil && name.Name != "_" {
			s.declared[name.Name] = d
		}
	}
}

// openConstants opens all files with constants, and finds the users of names.
func (s *constantScope) openConstants() {
	if s.users != nil {
		return
	}
	s.users = map[string][]*declaration{}
	for _, f := range s.pkg.Sources {
		if src, err := s.pkg.program.Read(f.Name); err == nil && hasConstants(src) {
			s.open(f)
		}
	}
	work := slices.Clone(s.consts)
	noted := map[*declaration]bool{}
	for i := 0; i < len(work); i++ {
		for _, m := range work[i].mentions() {
			if m.qualifier != nil {
				continue // no package that this one imports knows its types
			}
			s.users[m.name.Name] = append(s.users[m.name.Name], work[i])
			if to := s.find(m.name.Name); to != nil && !noted[to] {
				noted[to] = true
				if spec, ok := to.spec.(*ast.TypeSpec); ok && spec.Assign.IsValid() {
					work = append(work, to)
				}
			}
		}
	}
}

// hasConstants reports whether something looks like the declaration of
// constants: most of generated code has none, and is large.
func hasConstants(src []byte) bool {
	for offset := 0; ; {
		i := bytes.Index(src[offset:], []byte("const"))
		if i < 0 {
			return false
		}
		start := offset + i
		offset = start + len("const")
		word := identifier(src[start:min(offset+4, len(src))]) // with the letter behind it
		if word == "const" && startsDeclaration(src[:start]) {
			return true
		}
	}
}

// find returns the declaration of a name in the package, or nil. It opens no
// more files than it must: those that seem to declare a type of the name, then
// those that have constants and the name, then those that have the name.
func (s *constantScope) find(name string) *declaration {
	for _, f := range s.pkg.hints[name] {
		s.open(f)
	}
	if t := s.pkg.types[name]; t != nil {
		s.open(t.File)
	}
	if d := s.declared[name]; d != nil || s.missing[name] || types.Universe.Lookup(name) != nil {
		return d // to shadow a predeclared name takes a constant or what looks like a type
	}
	for _, constants := range []bool{true, false} {
		for _, f := range s.pkg.Sources {
			if s.opened[f] {
				continue
			}
			src, err := s.pkg.program.Read(f.Name)
			if err != nil || !bytes.Contains(src, []byte(name)) || constants && !hasConstants(src) {
				continue
			}
			s.open(f)
			if d := s.declared[name]; d != nil {
				return d
			}
		}
	}
	s.missing[name] = true
	return nil
}

// resolve returns the declaration of a name in a file, or nil: of its package,
// or of one that it imports with a dot.
func (s *constantScope) resolve(f *File, name string) *declaration {
	d := s.find(name)
	for _, p := range f.dotImports() {
		if d == nil && ast.IsExported(name) {
			d = p.constantScope().find(name)
		}
	}
	return d
}

// mention is a name, with what stands in front of its dot if it has one.
type mention struct{ qualifier, name *ast.Ident }

// mentions returns the names that a declaration depends on, its own, and maybe
// some that only look like it.
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
		case *ast.Field: // not its names
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

// check hands declarations, and what they mention, to go/types.
func (s *constantScope) check(declarations ...*declaration) {
	s.busy = true
	for _, d := range declarations {
		s.add(d)
	}
	var files []*ast.File
	for _, f := range s.pkg.Sources {
		if queue := s.queue[f.Syntax]; len(queue) > 0 {
			files = append(files, pruned(f, queue))
		}
	}
	clear(s.queue)
	if len(files) > 0 {
		_ = s.checker.Files(files) // its errors were noted
	}
	s.busy = false
}

// add queues a declaration and what it mentions of its package. What it
// mentions of other packages is checked at once.
func (s *constantScope) add(d *declaration) {
	if d == nil || d.added {
		return
	}
	d.added = true
	for _, m := range d.mentions() {
		name := m.name
		if m.qualifier != nil {
			if s.declared[m.qualifier.Name] == nil && d.qualified(m) {
				continue
			}
			name = m.qualifier
		}
		if to := s.resolve(d.file, name.Name); to != nil && to.scope == s {
			d.refs = append(d.refs, to)
			s.add(to)
		} else if to != nil {
			d.foreign(name, ".", to.scope.pkg.Path, to)
		}
	}
	if d.measure(); !d.large {
		s.queue[d.file.Syntax] = append(s.queue[d.file.Syntax], d)
	}
}

// maxConstant is the length of a text from which on it is not computed. Forty lines
// that double each other would take terabytes.
const maxConstant = 1 << 20

// measure adds the lengths of the texts that a declaration has and mentions.
func (d *declaration) measure() {
	for _, ref := range d.refs {
		d.bytes = min(d.bytes+ref.bytes, 2*maxConstant)
		d.large = d.large || ref.large
	}
	if d.expr == nil {
		d.bytes = 0 // a type or a function, which is no longer for what it mentions
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
		d.scope.note(d.name.Pos(), "%s may have more than %d bytes, the limit for constants", d.name.Name, maxConstant)
	}
}

// qualified adds a name with a qualifier. It reports whether the qualifier is
// that of an import.
func (d *declaration) qualified(m mention) bool {
	p, path := d.file.Imported(m.qualifier.Name)
	if path == "" {
		return false
	}
	var to *declaration
	if p == nil {
		d.scope.note(m.qualifier.Pos(), "cannot find package %q, which declares %s.%s", path, m.qualifier.Name, m.name.Name)
	} else if path != "unsafe" {
		to = p.constantScope().find(m.name.Name)
	}
	d.foreign(m.qualifier, m.qualifier.Name, path, to)
	return true
}

// foreign adds the use of another package, and of what it declares if that is known.
func (d *declaration) foreign(at *ast.Ident, name, path string, to *declaration) {
	d.imports = append(d.imports, [2]string{name, path})
	switch {
	case to == nil:
	case to.scope.busy:
		d.scope.note(at.Pos(), "import cycle: package %q needs constants of this one", path)
	default:
		d.refs = append(d.refs, to)
		to.scope.check(to)
	}
}

// pruned returns a file with nothing but the declarations and the imports that
// they use. It shares syntax with the whole file and changes nothing of it.
func pruned(f *File, declarations []*declaration) *ast.File {
	slices.SortFunc(declarations, func(a, b *declaration) int { return int(a.name.Pos() - b.name.Pos()) })
	imports := &ast.GenDecl{Tok: token.IMPORT, TokPos: f.Syntax.Package}
	out := &ast.File{Package: f.Syntax.Package, Name: f.Syntax.Name, FileStart: f.Syntax.FileStart, FileEnd: f.Syntax.FileEnd, Decls: []ast.Decl{imports}}
	var used [][2]string
	var from, group *ast.GenDecl // the last group of constants, and what is kept of it
	for _, d := range declarations {
		for _, i := range d.imports {
			if !slices.Contains(used, i) {
				used = append(used, i)
				imports.Specs = append(imports.Specs, &ast.ImportSpec{
					Name: &ast.Ident{NamePos: f.Syntax.Package, Name: i[0]},
					Path: &ast.BasicLit{ValuePos: f.Syntax.Package, Kind: token.STRING, Value: strconv.Quote(i[1])},
				})
			}
		}
		if d.decl != nil {
			out.Decls = append(out.Decls, d.decl)
			continue
		}
		if from != d.gen {
			from, group = d.gen, &ast.GenDecl{Tok: token.CONST, TokPos: d.gen.TokPos}
			out.Decls = append(out.Decls, group)
		}
		d.appendTo(group)
	}
	return out
}

// appendTo appends a constant to what is kept of its group. One that mentions
// iota must have its place there: blank constants fill up what is left out.
func (d *declaration) appendTo(group *ast.GenDecl) {
	if slices.ContainsFunc(d.mentions(), func(m mention) bool { return m.name.Name == "iota" }) {
		zero := []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: "0"}}
		for len(group.Specs) < d.iota {
			group.Specs = append(group.Specs, &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent("_")}, Values: zero})
		}
	}
	if len(group.Specs) <= d.iota {
		group.Specs = append(group.Specs, &ast.ValueSpec{Type: d.typ})
	} // else the place is taken by a constant on the same line
	line := group.Specs[len(group.Specs)-1].(*ast.ValueSpec)
	line.Names = append(line.Names, d.name)
	if d.expr != nil {
		line.Values = append(line.Values, d.expr)
	}
}
