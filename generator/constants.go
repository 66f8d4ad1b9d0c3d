package generator

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// This file is about constants. Their values are computed by go/types, on what
// is left of a package without everything that constants cannot need: other
// declarations, and files without constants, are not looked at.

// enumConstant is one constant of a string type.
type enumConstant struct {
	name  string
	value string
	pos   token.Pos // of the name
	// doc is the documentation above it; a comment behind it is none.
	doc string
	// literal: it is declared with exactly this type and a string literal,
	// which is all that controller-gen sees.
	literal bool
	// repeated: it repeats the declaration before it implicitly.
	repeated bool
	// excluded: it is marked +k8s:enumExclude.
	excluded bool
}

// constantError is a constant that has no value.
type constantError struct {
	pos     token.Pos
	message string
}

// constantScope is a package reduced to its constants, checked.
type constantScope struct {
	types  *types.Package
	info   *types.Info
	files  []*ast.File
	errors []types.Error
}

// constants returns the constants of the type that its package declares, by
// Go's rules, in the order of files and lines: an untyped constant is none of
// the type.
func (t *typeDecl) constants() ([]enumConstant, []constantError) {
	scope := t.pkg.constantScope()
	object, ok := scope.types.Scope().Lookup(t.spec.Name.Name).(*types.TypeName)
	if !ok {
		return nil, nil
	}
	var out []enumConstant
	var failed []constantError
	for _, file := range scope.files {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					c, ok := scope.info.Defs[name].(*types.Const)
					if !ok || name.Name == "_" || !types.Identical(c.Type(), object.Type()) {
						continue
					}
					if c.Val().Kind() != constant.String {
						failed = append(failed, scope.errorIn(spec, name))
						continue
					}
					out = append(out, t.enumConstant(gen, spec, i, constant.StringVal(c.Val())))
				}
			}
		}
	}
	return out, failed
}

func (t *typeDecl) enumConstant(gen *ast.GenDecl, spec *ast.ValueSpec, i int, value string) enumConstant {
	doc := spec.Doc
	if doc == nil && !gen.Lparen.IsValid() {
		doc = gen.Doc
	}
	c := enumConstant{
		name: spec.Names[i].Name, pos: spec.Names[i].Pos(), value: value, doc: docText(doc),
		repeated: len(spec.Values) == 0,
	}
	if name, ok := spec.Type.(*ast.Ident); ok && name.Name == t.spec.Name.Name && i < len(spec.Values) {
		literal, ok := spec.Values[i].(*ast.BasicLit)
		c.literal = ok && literal.Kind == token.STRING
	}
	if doc != nil {
		for _, comment := range doc.List {
			c.excluded = c.excluded || strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")) == "+k8s:enumExclude"
		}
	}
	return c
}

// errorIn returns what go/types says about a constant.
func (s *constantScope) errorIn(spec *ast.ValueSpec, name *ast.Ident) constantError {
	for _, e := range s.errors {
		if e.Pos >= spec.Pos() && e.Pos <= spec.End() {
			return constantError{e.Pos, e.Msg}
		}
	}
	return constantError{name.Pos(), fmt.Sprintf("%s has no value", name.Name)}
}

// intConstant returns the value of an integer constant expression.
func (f *file) intConstant(expr ast.Expr) (int64, bool) {
	scope := f.pkg.constantScope()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	// The scope of the file knows its imports, if the file has constants.
	if err := types.CheckExpr(f.pkg.world.fset, scope.types, expr.Pos(), expr, info); err != nil {
		if err := types.CheckExpr(f.pkg.world.fset, scope.types, token.NoPos, expr, info); err != nil {
			return 0, false
		}
	}
	value := info.Types[expr].Value
	if value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(value))
}

// constantScope checks the constants of the package once. Errors of the check
// are kept: most are about names that were left out.
func (p *pkg) constantScope() *constantScope {
	if p.constants != nil {
		return p.constants
	}
	scope := &constantScope{info: &types.Info{Defs: map[*ast.Ident]types.Object{}}}
	p.constants = scope // for packages that import each other
	scope.files = p.constantFiles()
	config := types.Config{
		IgnoreFuncBodies: true,
		Importer:         constantImporter{p},
		Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				scope.errors = append(scope.errors, e)
			}
		},
	}
	// The first error is among those that were kept.
	scope.types, _ = config.Check(p.Path, p.world.fset, scope.files, scope.info)
	return scope
}

// constantImporter imports packages reduced to their constants.
type constantImporter struct{ from *pkg }

func (i constantImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := i.from.imports(path)
	if p == nil {
		return nil, fmt.Errorf("cannot find package %q", path)
	}
	if scope := p.constantScope(); scope.types != nil {
		return scope.types, nil
	}
	return nil, fmt.Errorf("import cycle through %q", path)
}

// constantFiles returns the files of the package with constants, reduced to
// those, to the types that they can be of, and to the imports that both use.
func (p *pkg) constantFiles() []*ast.File {
	p.index()
	needed := &neededNames{names: map[string]bool{}, qualifiers: map[*ast.File]map[string]bool{}}
	kept := map[*ast.File][]ast.Decl{}
	for _, f := range p.files {
		src, err := p.world.read(f.name)
		if err != nil || !hasConstants(src) {
			continue
		}
		f.parse()
		if f.ast == nil {
			continue
		}
		for _, decl := range f.ast.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
				kept[f.ast] = append(kept[f.ast], gen)
				needed.add(f.ast, gen)
			}
		}
	}
	// Types refer to types: the list grows while it is gone through.
	for i := 0; i < len(needed.list); i++ {
		name := needed.list[i]
		if len(p.hints[name]) == 0 && p.types[name] == nil {
			continue // no type: a constant, a function, or of the language
		}
		t := p.lookup(name)
		if t == nil || !isName(t.spec.Type) {
			continue
		}
		kept[t.file.ast] = append(kept[t.file.ast], &ast.GenDecl{TokPos: t.gen.TokPos, Tok: token.TYPE, Specs: []ast.Spec{t.spec}})
		needed.add(t.file.ast, t.spec.Type)
	}
	var out []*ast.File
	for _, f := range p.files {
		if decls := kept[f.ast]; f.ast != nil && len(decls) > 0 {
			reduced := *f.ast
			reduced.Decls = append(needed.imports(p, f.ast), decls...)
			out = append(out, &reduced)
		}
	}
	return out
}

// hasConstants reports whether a line looks like the declaration of constants:
// most of generated code has none, and is large.
func hasConstants(src []byte) bool {
	for offset := 0; ; {
		i := bytes.Index(src[offset:], []byte("const"))
		if i < 0 {
			return false
		}
		start := offset + i
		offset = start + len("const")
		rest := bytes.TrimLeft(src[offset:], " \t")
		if startsDeclaration(src[:start]) && (bytes.HasPrefix(rest, []byte("(")) || len(rest) < len(src[offset:]) && len(rest) > 0 && rest[0] != '_') {
			return true
		}
	}
}

// neededNames are the names that declarations refer to.
type neededNames struct {
	names      map[string]bool
	list       []string
	qualifiers map[*ast.File]map[string]bool
}

func (n *neededNames) add(file *ast.File, node ast.Node) {
	ast.Inspect(node, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if qualifier, ok := node.X.(*ast.Ident); ok {
				if n.qualifiers[file] == nil {
					n.qualifiers[file] = map[string]bool{}
				}
				n.qualifiers[file][qualifier.Name] = true
			}
			return false
		case *ast.Ident:
			if !n.names[node.Name] {
				n.names[node.Name] = true
				n.list = append(n.list, node.Name)
			}
		}
		return true
	})
}

// imports returns the imports of a file that its kept declarations use.
func (n *neededNames) imports(p *pkg, file *ast.File) []ast.Decl {
	var out []ast.Decl
	for _, spec := range file.Imports {
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		} else if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			if imported := p.imports(path); imported != nil {
				name = imported.Name
			}
		}
		if name == "." || n.qualifiers[file][name] {
			out = append(out, &ast.GenDecl{TokPos: spec.Pos(), Tok: token.IMPORT, Specs: []ast.Spec{spec}})
		}
	}
	return out
}
