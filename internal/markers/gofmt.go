package markers

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// reformatted reports the first marker in the doc comments of the package and of types that
// gofmt changes: it replaces two quotes by a typographic one. It leaves the comments of
// fields, and other comments, as they are.
func (l *linter) reformatted(file *ast.File) {
	l.doc(file.Doc, nil, Package)
	end := file.Name.End()
	for _, decl := range file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.TYPE && !gen.Lparen.IsValid() {
			l.doc(gen.Doc, nearestGroup(file, end, gen.Doc), Type)
		}
		end = decl.End()
	}
}

// nearestGroup returns the comment group between a position and a doc comment that is nearest
// to the comment, or nil.
func nearestGroup(file *ast.File, start token.Pos, doc *ast.CommentGroup) *ast.CommentGroup {
	i := slices.Index(file.Comments, doc)
	if doc == nil || i < 1 || file.Comments[i-1].Pos() < start {
		return nil
	}
	return file.Comments[i-1]
}

// doc checks a doc comment of a package or a type. Its markers can be moved to the group above it, if that has
// markers, or to one of their own.
func (l *linter) doc(doc, separated *ast.CommentGroup, target Target) {
	if doc == nil || !strings.HasPrefix(doc.List[0].Text, "//") {
		return
	}
	own := godocComments(doc)
	if !slices.ContainsFunc(own, mayBeReformatted) {
		return
	}
	newComment := formatted(doc)
	for i, c := range own {
		if i < len(newComment) && slices.Equal(strings.Fields(newComment[i].Text), strings.Fields(c.Text)) ||
			l.allowed(c.Text) {
			continue
		}
		l.add(Finding{
			Pos: c.Pos, End: c.End(), Kind: Reformatted,
			Message: "gofmt changes this marker, because it is in a doc comment", Hint: "write the markers above the doc comment, and a blank line between",
			Edit: l.separated(doc, separated, own, target),
		})
		return
	}
}

// mayBeReformatted excludes most markers before gofmt is tried.
func mayBeReformatted(c Comment) bool {
	return strings.Contains(c.Text, "''") || strings.Contains(c.Text, "``")
}

// formatted returns the markers of a doc comment after gofmt.
func formatted(doc *ast.CommentGroup) []Comment {
	text, err := format.Source([]byte("package p\n\n" + linesOf(doc.List) + "type T int\n"))
	if err != nil {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || len(file.Comments) != 1 {
		return nil
	}
	return godocComments(file.Comments[0])
}

// linesOf returns line comments as they are.
func linesOf(list []*ast.Comment) string {
	var out strings.Builder
	for _, c := range list {
		out.WriteString(c.Text + "\n")
	}
	return out.String()
}

// separated returns the edit that moves the markers of a doc comment out of it, and nil if
// one of a type would then describe the package.
func (l *linter) separated(doc, separated *ast.CommentGroup, own []Comment, target Target) *Edit {
	for _, c := range own {
		if target == Type && l.table.Lookup(c.Text, Type) == nil && l.table.Lookup(c.Text, Package) != nil {
			return nil
		}
	}
	var moved, prose []*ast.Comment
	for _, c := range doc.List {
		if slices.ContainsFunc(own, func(m Comment) bool { return c.Pos() < m.End() && m.Pos < c.End() }) {
			moved = append(moved, c)
		} else {
			prose = append(prose, c)
		}
	}
	for len(prose) > 0 && strings.TrimSpace(prose[len(prose)-1].Text) == "//" {
		prose = prose[:len(prose)-1]
	}
	text := linesOf(moved)
	if separated != nil && len(comments(separated)) > 0 && strings.HasPrefix(separated.List[0].Text, "//") {
		text = linesOf(separated.List) + text
	} else {
		separated = doc
	}
	if len(prose) > 0 {
		text += "\n" + linesOf(prose)
		return &Edit{separated.Pos(), doc.End(), strings.TrimSuffix(text, "\n")}
	}
	return &Edit{separated.Pos(), doc.End(), text} // a blank line before the type
}
