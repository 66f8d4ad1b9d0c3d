package gatedsource

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"github.com/schemagen/schemagen/internal/markers"
)

// Decl is what markers describe: the package, a type, a constant, or a field.
type Decl struct {
	// Name is Spec, Spec.Burst, or the name of the package.
	Name     string
	Target   markers.Target
	Comments []markers.Comment
	// Node is the name in the package clause, the specification, or the field. Around is the node of
	// the declaration that a field is in, and Struct the struct type.
	Node, Around ast.Node
	Struct       *ast.StructType
	// From and To are where the declaration with its comments is. They are invalid for a package.
	From, To token.Pos

	at       token.Pos // of the name
	typeName string    // of a constant
}

// Decls returns the package of a file and the declarations in the file, each before those in
// it. Comments are attributed as by [markers.Table.Collect], which collected is the result of.
func Decls(tree *ast.File, collected *markers.File) []Decl {
	w := &walk{collected: collected, groups: tree.Comments}
	w.found = []Decl{{Name: tree.Name.Name, Target: markers.Package, Comments: collected.Package, Node: tree.Name,
		at: tree.Name.Pos()}}
	previous := tree.Name.End()
	for _, decl := range tree.Decls {
		end := decl.End()
		if gen, ok := decl.(*ast.GenDecl); ok && len(gen.Specs) > 0 {
			w.genDecl(gen, previous)
			end = max(end, specEnd(gen.Specs[len(gen.Specs)-1]))
		}
		previous = end
	}
	return w.found
}

// walk finds declarations.
type walk struct {
	collected *markers.File
	groups    []*ast.CommentGroup
	found     []Decl
}

// genDecl adds the types or constants of a declaration. previous is the end of the declaration above it.
func (w *walk) genDecl(gen *ast.GenDecl, previous token.Pos) {
	last := gen.Lparen
	for _, spec := range gen.Specs {
		decl := Decl{Target: markers.Type, Node: spec, To: specEnd(spec)}
		var fields ast.Expr
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			decl.Name = spec.Name.Name
			decl.at = spec.Name.Pos()
			decl.Comments = w.collected.Type(spec)
			fields = spec.Type
		case *ast.ValueSpec:
			if gen.Tok != token.CONST {
				return
			}
			decl.Name = spec.Names[0].Name
			decl.at = spec.Names[0].Pos()
			decl.typeName = typeName(spec.Type)
			doc := spec.Doc
			if !gen.Lparen.IsValid() {
				doc = gen.Doc
			}
			if doc != nil {
				decl.Comments = markers.InGroup(doc)
			}
		default:
			return
		}
		if gen.Lparen.IsValid() {
			decl.From = w.firstComment(last, spec.Pos())
		} else {
			decl.From = w.nearest(previous, gen)
		}
		last = decl.To
		w.found = append(w.found, decl)
		w.fields(decl, fields)
	}
}

// specEnd returns where a specification ends, with the comment behind it. A comment behind a function,
// or behind a closing parenthesis, is at the declaration below it.
func specEnd(spec ast.Spec) token.Pos {
	var comment *ast.CommentGroup
	switch spec := spec.(type) {
	case *ast.ImportSpec:
		comment = spec.Comment
	case *ast.TypeSpec:
		comment = spec.Comment
	case *ast.ValueSpec:
		comment = spec.Comment
	}
	if comment == nil {
		return spec.End()
	}
	return comment.End()
}

// after returns the index of the first comment at or after a position.
func (w *walk) after(pos token.Pos) int {
	i, _ := slices.BinarySearchFunc(w.groups, pos,
		func(group *ast.CommentGroup, pos token.Pos) int { return cmp.Compare(group.Pos(), pos) })
	return i
}

// firstComment returns where the first comment after a position begins, or end if there is
// none before it.
func (w *walk) firstComment(start, end token.Pos) token.Pos {
	if i := w.after(start); i < len(w.groups) && w.groups[i].Pos() < end {
		return w.groups[i].Pos()
	}
	return end
}

// nearest returns where the comments of a declaration that is not in a group begin.
func (w *walk) nearest(previous token.Pos, gen *ast.GenDecl) token.Pos {
	start := gen.Pos()
	own := 1
	if gen.Doc != nil && gen.Tok == token.TYPE {
		own = 2
	}
	if gen.Doc == nil && gen.Tok == token.CONST {
		own = 0
	}
	for i := w.after(start) - 1; i >= 0 && own > 0 && w.groups[i].Pos() >= previous; i-- {
		start = w.groups[i].Pos()
		own--
	}
	return start
}

// fields adds the fields in a type expression of a declaration.
func (w *walk) fields(around Decl, expr ast.Expr) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		w.fields(around, expr.X)
	case *ast.ParenExpr:
		w.fields(around, expr.X)
	case *ast.ArrayType:
		w.fields(around, expr.Elt)
	case *ast.MapType:
		w.fields(around, expr.Value)
	case *ast.StructType:
		last := expr.Fields.Opening
		comments := w.collected.Fields(expr)
		for i, field := range expr.Fields.List {
			d := Decl{Target: markers.Field, Comments: comments[i], Node: field, Around: around.Node, Struct: expr,
				From: w.firstComment(last, field.Pos()), To: field.End(), at: field.Type.Pos()}
			if field.Comment != nil {
				d.To = field.Comment.End()
			}
			last = d.To
			label := typeName(field.Type)
			if len(field.Names) > 0 {
				label = field.Names[0].Name
				d.at = field.Names[0].Pos()
			}
			d.Name = around.Name + "." + label
			w.found = append(w.found, d)
			w.fields(d, field.Type)
		}
	}
}

// typeName returns the name of an embedded field.
func typeName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return typeName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.IndexExpr:
		return typeName(expr.X)
	case *ast.IndexListExpr:
		return typeName(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return ""
}
