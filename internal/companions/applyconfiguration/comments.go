package applyconfiguration

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/schemagen/schemagen/internal/source"
)

// lineComments are the comment groups of a file by the line on which they end.
type lineComments struct {
	file   *token.File
	byLine map[int]*ast.CommentGroup
}

// commentsAbove returns the comments that gengo associates with the declaration of a name:
// the group that ends on the line before it, whatever that belongs to, and the one before
// that, or before the name, after exactly one other line.
func (u *universe) commentsAbove(f *source.File, name token.Pos) (nearest, second []string) {
	c, ok := u.comments[f.Syntax]
	if !ok {
		if f.Pkg != u.root {
			u.checkFile(f)
		}
		c = lineComments{u.program.Fset.File(f.Syntax.FileStart), map[int]*ast.CommentGroup{}}
		for _, group := range f.Syntax.Comments {
			c.byLine[c.file.Line(group.End())] = group
		}
		u.comments[f.Syntax] = c
	}
	line := c.file.Line(name)
	group := c.byLine[line-1]
	if group != nil {
		line = c.file.Line(group.List[0].Slash)
	}
	return lines(group), lines(c.byLine[line-2])
}

// lines returns the lines of the text of a comment group, which may be nil.
func lines(group *ast.CommentGroup) []string {
	text := strings.TrimRight(group.Text(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
