package source

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Constants are evaluated by go/types on the part of a package that they depend on: see
// constantscope.go.

// Constant is one constant of a string type.
type Constant struct {
	Name  string
	Value string
	Pos   token.Pos // position of the name
	// Doc is the doc comment. A comment on the same line is not part of it.
	Doc string
	// Literal is set if the constant is declared with exactly this type and a string
	// literal; controller-gen sees only these constants.
	Literal bool
	// Repeated is set if the constant implicitly repeats the previous declaration.
	Repeated bool
	// Excluded is set if the constant is marked +k8s:enumExclude.
	Excluded bool
}

// ConstantError is the reason that a constant has no value.
type ConstantError struct {
	// Pkg is the package of the position: a constant may refer to another package.
	Pkg     *Package
	Pos     token.Pos
	Message string
}

// Constants returns the constants of the type that its package declares, by Go's rules, in
// the order of files and lines, and the errors of constants that have no value. Untyped constants
// and the blank identifier are not included.
//
// As in gengo, a comment on the same line does not document a constant. It does not
// document the next line either, to which gengo accidentally attaches it.
func (t *Type) Constants() (out []Constant, errors []ConstantError) {
	if body := UnderlyingOf(t.File, t.Spec.Type); body.Expr != nil && body.Kind != KindOther {
		return nil, nil // a struct would pull in everything that it refers to
	}
	s := t.Pkg.constantScope()
	s.openConstants()
	candidates := s.candidates(t)
	s.check(append(slices.Clip(candidates), s.find(t.Spec.Name.Name))...)
	name, ok := s.types.Scope().Lookup(t.Spec.Name.Name).(*types.TypeName)
	if !ok || !types.Identical(name.Type().Underlying(), types.Typ[types.String]) {
		return nil, nil
	}
	for _, d := range candidates {
		if _, ok := d.spec.(*ast.ValueSpec); !ok || d.name.Name == "_" {
			continue
		}
		c, ok := s.types.Scope().Lookup(d.name.Name).(*types.Const)
		if !ok || c.Pos() != d.name.Pos() || c.Val().Kind() == constant.Unknown {
			if d.large || d.mayHaveType(name.Type(), map[*declaration]bool{}) {
				for _, e := range d.errors() {
					if !slices.Contains(errors, e) { // several constants may share a mistake
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

// ConstantDocs returns the comments of the constants of the type, by value. Constants without a
// comment or a value are not included.
func (t *Type) ConstantDocs() map[string]string {
	out := map[string]string{}
	all, _ := t.Constants()
	for _, c := range all {
		if c.Doc != "" && out[c.Value] == "" {
			out[c.Value] = c.Doc
		}
	}
	return out
}

func (t *Type) enumConstant(d *declaration, value string) Constant {
	spec := d.spec.(*ast.ValueSpec)
	doc := spec.Doc
	if doc == nil && !d.gen.Lparen.IsValid() {
		doc = d.gen.Doc
	}
	name, _ := ast.Unparen(spec.Type).(*ast.Ident)
	literal, _ := d.expr.(*ast.BasicLit)
	c := Constant{
		Name: d.name.Name, Pos: d.name.Pos(), Value: value, Doc: DocText(doc), Repeated: len(spec.Values) == 0,
		Literal: name != nil && name.Name == t.Spec.Name.Name && literal != nil && literal.Kind == token.STRING,
	}
	if doc != nil {
		for _, comment := range doc.List {
			c.Excluded = c.Excluded || strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")) == "+k8s:enumExclude"
		}
	}
	return c
}

// intConstant returns the value of an integer constant expression.
func (f *File) intConstant(expr ast.Expr) (int64, bool) {
	s := f.Pkg.constantScope()
	s.check(&declaration{
		scope: s, file: f, gen: &ast.GenDecl{Tok: token.CONST, TokPos: expr.Pos()}, name: &ast.Ident{Name: "_", NamePos: expr.Pos()},
		expr: expr, parts: []ast.Node{expr},
	})
	value := s.info.Types[expr].Value
	if value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(value))
}

// candidates returns the constants that may be of the type, in source order, and its aliases:
// constants that mention the type, an alias of it, or another candidate. If the type is predeclared
// or declared in another package, all constants are candidates.
func (s *constantScope) candidates(t *Type) []*declaration {
	var out []*declaration
	var names []string
	if root := t.Unalias(); root != nil && root.Pkg == s.pkg {
		names = append(names, root.Spec.Name.Name)
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
		return cmp.Or(slices.Index(s.pkg.Sources, a.file)-slices.Index(s.pkg.Sources, b.file), int(a.name.Pos()-b.name.Pos()))
	})
	return out
}

// mayHaveType reports whether a constant that has no value seems to be of type typ.
func (d *declaration) mayHaveType(typ types.Type, seen map[*declaration]bool) bool {
	if seen[d] {
		return false
	}
	seen[d] = true
	info := &d.scope.info
	if d.typ != nil {
		return types.Identical(info.Types[d.typ].Type, typ)
	}
	var hasType func(expr ast.Expr) bool
	hasType = func(expr ast.Expr) bool {
		switch expr := expr.(type) {
		case *ast.ParenExpr:
			return hasType(expr.X)
		case *ast.BinaryExpr:
			return expr.Op == token.ADD && (hasType(expr.X) || hasType(expr.Y))
		case *ast.CallExpr:
			fn := info.Types[expr.Fun]
			return fn.IsType() && types.Identical(fn.Type, typ)
		case *ast.SelectorExpr:
			return hasType(expr.Sel)
		case *ast.Ident:
			c, ok := info.Uses[expr].(*types.Const)
			if !ok || types.Identical(c.Type(), typ) {
				return ok
			}
			target := d.scope.declared[c.Name()]
			return c.Pkg() == d.scope.types && target != nil && c.Type() == types.Typ[types.Invalid] &&
				target.mayHaveType(typ, seen)
		}
		return false
	}
	return hasType(d.expr)
}

// errors returns the reasons that a constant has no value, at least one.
func (d *declaration) errors() []ConstantError {
	out := d.causes(map[*declaration]bool{})
	if len(out) == 0 {
		out = append(out, ConstantError{d.scope.pkg, d.name.Pos(), "the value of " + d.name.Name + " cannot be computed"})
	}
	return out
}

// causes returns the errors in a declaration, or, if there are none, those in the
// declarations that it mentions.
func (d *declaration) causes(seen map[*declaration]bool) []ConstantError {
	if seen[d] {
		return nil
	}
	seen[d] = true
	var out []ConstantError
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

// ArrayLength returns the length of an array type, which is a literal or a constant
// expression.
func (f *File) ArrayLength(expr ast.Expr) (int64, bool) {
	if literal, ok := expr.(*ast.BasicLit); ok && literal.Kind == token.INT {
		n, err := strconv.ParseInt(literal.Value, 0, 64)
		return n, err == nil
	}
	return f.intConstant(expr)
}
