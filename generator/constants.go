package generator

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file is about constants. Their values are computed by go/types, on the
// part of a package that they need: see constantscope.go.

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

// constantError says why a constant has no value.
type constantError struct {
	// pkg is the package of the place: a constant may refer to another package.
	pkg     *pkg
	pos     token.Pos
	message string
}

// constants returns the constants of the type that its package declares, by
// Go's rules, in the order of files and lines, and why others have no value. An
// untyped constant is none of the type; neither is the blank identifier.
//
// As for gengo, a comment behind a constant does not document it. It does not
// document the next line either, where gengo takes it by accident.
func (t *typeDecl) constants() (out []enumConstant, errors []constantError) {
	if body := underlyingOf(t.file, t.spec.Type); body.expr != nil && body.kind != kindOther {
		return nil, nil // a struct would bring all that it reaches
	}
	s := t.pkg.constantScope()
	s.openConstants()
	candidates := s.candidates(t)
	s.check(append(slices.Clip(candidates), s.find(t.spec.Name.Name))...)
	name, ok := s.types.Scope().Lookup(t.spec.Name.Name).(*types.TypeName)
	if !ok || !types.Identical(name.Type().Underlying(), types.Typ[types.String]) {
		return nil, nil
	}
	for _, d := range candidates {
		if _, ok := d.spec.(*ast.ValueSpec); !ok || d.name.Name == "_" {
			continue
		}
		c, ok := s.types.Scope().Lookup(d.name.Name).(*types.Const)
		if !ok || c.Pos() != d.name.Pos() || c.Val().Kind() == constant.Unknown {
			if d.seems(name.Type(), map[*declaration]bool{}) {
				for _, e := range d.blame() {
					if !slices.Contains(errors, e) { // several constants may have one mistake
						errors = append(errors, e)
					}
				}
			}
		} else if types.Identical(c.Type(), name.Type()) {
			out = append(out, t.enumConstant(d, constant.StringVal(c.Val())))
		}
	}
	return out, errors
}

func (t *typeDecl) enumConstant(d *declaration, value string) enumConstant {
	spec := d.spec.(*ast.ValueSpec)
	doc := spec.Doc
	if doc == nil && !d.gen.Lparen.IsValid() {
		doc = d.gen.Doc
	}
	name, _ := ast.Unparen(spec.Type).(*ast.Ident)
	literal, _ := d.expr.(*ast.BasicLit)
	c := enumConstant{
		name: d.name.Name, pos: d.name.Pos(), value: value, doc: docText(doc), repeated: len(spec.Values) == 0,
		literal: name != nil && name.Name == t.spec.Name.Name && literal != nil && literal.Kind == token.STRING,
	}
	if doc != nil {
		for _, comment := range doc.List {
			c.excluded = c.excluded || strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")) == "+k8s:enumExclude"
		}
	}
	return c
}

// intConstant returns the value of an integer constant expression.
func (f *file) intConstant(expr ast.Expr) (int64, bool) {
	s := f.pkg.constantScope()
	s.check(&declaration{
		scope: s, file: f, gen: &ast.GenDecl{Tok: token.CONST}, name: &ast.Ident{Name: "_", NamePos: expr.Pos()},
		expr: expr, parts: []ast.Node{expr},
	})
	value := s.info.Types[expr].Value
	if value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(value))
}

// candidates returns the constants that can be of the type, in source order, and
// its aliases: those that mention it, an alias of it, or another candidate. Any
// constant can be of a type that is another's, or predeclared.
func (s *constantScope) candidates(t *typeDecl) []*declaration {
	var out []*declaration
	var names []string
	if root := t.unalias(); root != nil && root.pkg == s.pkg {
		names = append(names, root.spec.Name.Name)
	} else {
		out = slices.Clone(s.consts)
	}
	found := map[*declaration]bool{}
	for ; len(names) > 0; names = names[1:] {
		for _, d := range s.users[names[0]] {
			if !found[d] {
				found[d] = true
				out = append(out, d)
				if s.declared[d.name.Name] == d {
					names = append(names, d.name.Name)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *declaration) int {
		return cmp.Or(slices.Index(s.pkg.files, a.file)-slices.Index(s.pkg.files, b.file), int(a.name.Pos()-b.name.Pos()))
	})
	return out
}

// seems reports whether a constant would have the type if it had a value.
func (d *declaration) seems(typ types.Type, seen map[*declaration]bool) bool {
	if seen[d] {
		return false
	}
	seen[d] = true
	info := &d.scope.info
	if d.typ != nil {
		return types.Identical(info.Types[d.typ].Type, typ)
	}
	var is func(expr ast.Expr) bool
	is = func(expr ast.Expr) bool {
		switch expr := expr.(type) {
		case *ast.ParenExpr:
			return is(expr.X)
		case *ast.BinaryExpr:
			return expr.Op == token.ADD && (is(expr.X) || is(expr.Y))
		case *ast.CallExpr:
			fn := info.Types[expr.Fun]
			return fn.IsType() && types.Identical(fn.Type, typ)
		case *ast.SelectorExpr:
			return is(expr.Sel)
		case *ast.Ident:
			c, ok := info.Uses[expr].(*types.Const)
			if !ok || types.Identical(c.Type(), typ) {
				return ok
			}
			to := d.scope.declared[c.Name()]
			return c.Pkg() == d.scope.types && to != nil && c.Type() == types.Typ[types.Invalid] && to.seems(typ, seen)
		}
		return false
	}
	return is(d.expr)
}

// blame returns why a constant has no value, never nothing.
func (d *declaration) blame() []constantError {
	out := d.causes(map[*declaration]bool{})
	if len(out) == 0 {
		out = append(out, constantError{d.scope.pkg, d.name.Pos(), "the value of " + d.name.Name + " cannot be computed"})
	}
	return out
}

// causes returns the errors in a declaration, or else those in what it mentions.
func (d *declaration) causes(seen map[*declaration]bool) []constantError {
	if seen[d] {
		return nil
	}
	seen[d] = true
	var out []constantError
	for _, part := range d.parts {
		first, _ := d.scope.errorAt(part.Pos())
		last, _ := d.scope.errorAt(part.End())
		out = append(out, d.scope.errors[first:last]...)
	}
	if len(out) == 0 {
		for _, ref := range d.refs {
			out = append(out, ref.causes(seen)...)
		}
	}
	return out
}
