package define

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
)

// This file finds comments that were meant as descriptions: only a comment directly above a declaration, or
// above its markers, is its doc comment.

// lostComment is a comment that begins with the name of a type or field without a doc comment, from which an
// empty line separates it.
type lostComment struct {
	group *ast.CommentGroup
	// spec is the type, or the one that the field is in.
	spec *ast.TypeSpec
	// subject names the type or field.
	subject string
}

// reportLostComments reports lost comments of the user's types.
func (run *Run) reportLostComments(types []*source.Type) {
	lost := map[*source.File][]lostComment{}
	for _, t := range types {
		if t.Decl == nil || !t.Pkg.Local() {
			continue
		}
		if _, ok := lost[t.File]; !ok {
			lost[t.File] = nil
			if tree, err := t.File.Tree(); err == nil {
				lost[t.File] = lostComments(run.Fset, tree)
			}
		}
		for _, c := range lost[t.File] {
			if c.spec.Name.Pos() == t.Spec.Name.Pos() {
				run.Reporter.Report(report.LostComment, t.Pkg.At(c.group.Pos()), "remove the empty line below it",
					"this comment is not the description of %s: an empty line separates them", c.subject)
			}
		}
	}
}

// lostComments returns the lost comments of a file.
func lostComments(fset *token.FileSet, tree *ast.File) (out []lostComment) {
	f := lostFinder{fset: fset, tree: tree}
	end := tree.Name.End()
	for _, decl := range tree.Decls {
		limit := end
		end = decl.End()
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, s := range general.Specs {
			spec := s.(*ast.TypeSpec)
			f.spec = spec
			switch {
			case !general.Lparen.IsValid():
				f.find(general, limit, general.Doc, "type "+spec.Name.Name, spec.Name.Name)
			default:
				f.find(spec, max(limit, general.Lparen), spec.Doc, "type "+spec.Name.Name, spec.Name.Name)
				limit = spec.End()
			}
			ast.Inspect(spec.Type, f.fields)
		}
	}
	return f.found
}

type lostFinder struct {
	fset  *token.FileSet
	tree  *ast.File
	spec  *ast.TypeSpec
	found []lostComment
}

// fields finds the lost comments of the fields of a struct.
func (f *lostFinder) fields(n ast.Node) bool {
	st, ok := n.(*ast.StructType)
	if !ok {
		return true
	}
	end := st.Fields.Opening
	for _, field := range st.Fields.List {
		limit := end
		end = field.End()
		if len(field.Names) == 1 {
			f.find(field, limit, field.Doc, "field "+field.Names[0].Name, field.Names[0].Name, source.JSONTagOf(source.TagOf(field)).Name)
		}
	}
	return true
}

// find finds the lost comment of a declaration, after what precedes it.
func (f *lostFinder) find(n ast.Node, limit token.Pos, doc *ast.CommentGroup, subject string, names ...string) {
	start := n.Pos()
	if doc != nil {
		start = doc.Pos()
	}
	i, _ := slices.BinarySearchFunc(f.tree.Comments, start,
		func(g *ast.CommentGroup, pos token.Pos) int { return int(g.Pos() - pos) })
	if i == 0 || f.tree.Comments[i-1].Pos() < limit || source.DocText(doc) != "" {
		return
	}
	group := f.tree.Comments[i-1]
	line := func(pos token.Pos) int { return f.fset.PositionFor(pos, false).Line }
	if line(group.Pos()) == line(limit) || line(start) != line(group.End())+2 {
		return
	}
	words := strings.Fields(source.DocText(group))
	isSentence := len(words) > 2 && !strings.Contains(group.Text(), "json:")
	if isSentence && slices.Contains(names, strings.Trim(words[0], "`\"'.,:;")) {
		f.found = append(f.found, lostComment{group, f.spec, subject})
	}
}
