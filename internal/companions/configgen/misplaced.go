package configgen

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
)

// misplaced reports the markers in a file that have no effect because of their position.
// Those of code that is commented out with them are left alone.
func (r *Reader) misplaced(f file) {
	described := map[token.Pos]bool{}
	for _, c := range f.comments.Package {
		described[c.Pos] = true
	}
	for _, group := range f.tree.Comments {
		code := group.Pos() // of the last line of code that is commented out
		for _, c := range group.List {
			if markers.CommentedOut(c.Text) {
				code = c.End()
			}
			if strings.HasPrefix(c.Text, "/*") {
				r.inBlock(f, c)
			} else {
				r.withoutPlus(f, c)
			}
		}
		for _, c := range markers.InGroup(group) {
			if c.Pos > code && !described[c.Pos] && r.Table.Lookup(c.Text, markers.Package) != nil {
				r.hasNoEffect(f, group, c)
			}
		}
	}
}

// hasNoEffect reports a marker outside of the comments that describe the package.
func (r *Reader) hasNoEffect(f file, group *ast.CommentGroup, c markers.Comment) {
	name := "+" + r.Table.Lookup(c.Text, markers.Package).Name
	where, child := positionOf(f.tree, group)
	hint := "move it to a comment outside of declarations, followed by an empty line"
	var edit *markers.Edit
	if child != "" {
		hint = "move it above the comment of " + child + ", separated from it by an empty line"
		if onlyMarkers(group) {
			hint = "put an empty line between it and " + child
			edit = &markers.Edit{Pos: group.End(), End: group.End(), New: "\n"}
		}
	}
	d := r.Report.Report(misplacedMarker, f.Pkg.At(c.Pos), hint, "%s has no effect %s", name, where)
	r.Report.Delimit(d, c.End(), edit)
}

// withoutPlus reports a comment that is a marker without the plus sign.
func (r *Reader) withoutPlus(f file, c *ast.Comment) {
	text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
	if !strings.HasPrefix(text, "kubebuilder:") {
		return
	}
	pos := c.Slash + token.Pos(strings.Index(c.Text, text))
	if m, err := r.Table.Parse(markers.Comment{Text: "+" + text, Pos: pos}, markers.Package); err == nil && m != nil {
		d := r.Report.Report(misplacedMarker, f.Pkg.At(pos), "write +"+text, "%s has no effect without a plus sign", m.Name)
		r.Report.Delimit(d, pos+token.Pos(len(text)), &markers.Edit{Pos: pos, End: pos, New: "+"})
	}
}

// onlyMarkers reports whether every line of a comment group is a marker.
func onlyMarkers(group *ast.CommentGroup) bool {
	return len(markers.Prose(group)) == 0
}

// inBlock reports the markers in a block comment.
func (r *Reader) inBlock(f file, c *ast.Comment) {
	if markers.CommentedOut(c.Text) {
		return
	}
	offset := 0
	for line := range strings.SplitAfterSeq(c.Text, "\n") {
		text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "*/"))
		text = strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(text, "/*"), "* \t"))
		pos := c.Slash + token.Pos(offset+max(0, strings.IndexByte(line, '+')))
		offset += len(line)
		if !strings.HasPrefix(text, "+") {
			continue
		}
		if m, err := r.Table.Parse(markers.Comment{Text: text, Pos: pos}, markers.Package); err == nil && m != nil {
			d := r.Report.Report(misplacedMarker, f.Pkg.At(pos), "write it as a line comment: // "+text, "+%s has no effect in a block comment", m.Name)
			r.Report.Delimit(d, pos+token.Pos(len(text)), nil)
		}
	}
}

// positionOf describes the position of a comment group in a file. child is what the group
// documents if it is a doc comment at file level.
func positionOf(tree *ast.File, group *ast.CommentGroup) (where, child string) {
	where = "here"
	ast.Inspect(tree, func(n ast.Node) bool {
		if _, body := n.(*ast.BlockStmt); n == nil || body || group.Pos() < docStart(n) || n != tree && n.End() < group.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			where, child = documented(group, n.Doc, "func "+n.Name.Name)
		case *ast.GenDecl:
			where, child = documented(group, n.Doc, declared(n))
		case *ast.TypeSpec:
			where, child = documented(group, n.Doc, "type "+n.Name.Name)
		case *ast.ValueSpec:
			where, child = documented(group, n.Doc, n.Names[0].Name)
		case *ast.Field:
			if n.Doc == group && len(n.Names) > 0 {
				where = "in the doc comment of field " + n.Names[0].Name
			}
		}
		return true
	})
	return where, child
}

// documented describes the position of a comment in a declaration or, if it is part of the doc comment,
// above it.
func documented(group, doc *ast.CommentGroup, name string) (where, child string) {
	if group == doc {
		return "in the doc comment of " + name, name
	}
	return "inside of " + name, ""
}

// docStart returns the first position of a node or of its doc comment.
func docStart(n ast.Node) token.Pos {
	var doc *ast.CommentGroup
	switch n := n.(type) {
	case *ast.File:
		return n.FileStart
	case *ast.FuncDecl:
		doc = n.Doc
	case *ast.GenDecl:
		doc = n.Doc
	case *ast.TypeSpec:
		doc = n.Doc
	case *ast.ValueSpec:
		doc = n.Doc
	case *ast.Field:
		doc = n.Doc
	}
	if doc != nil {
		return doc.Pos()
	}
	return n.Pos()
}

// declared returns the keyword and first name of a declaration.
func declared(decl *ast.GenDecl) string {
	if decl.Lparen.IsValid() || len(decl.Specs) == 0 {
		return "the " + decl.Tok.String() + " declaration"
	}
	switch spec := decl.Specs[0].(type) {
	case *ast.TypeSpec:
		return "type " + spec.Name.Name
	case *ast.ValueSpec:
		return decl.Tok.String() + " " + spec.Names[0].Name
	}
	return "the " + decl.Tok.String() + " declaration"
}
