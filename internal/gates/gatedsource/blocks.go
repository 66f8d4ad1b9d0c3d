package gatedsource

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// Block is a part of a comment between +schemagen:doc and +schemagen:doc:end.
type Block struct {
	Open      markers.Comment
	Condition gates.Condition

	// from and to are where the text of the condition is.
	from, to token.Pos
	group    *ast.CommentGroup
	// first and last are the indexes of the comments with the two markers.
	first, last int
}

// Blocks returns the blocks of a comment, given the markers in it, and what is wrong with others.
func Blocks(table *markers.Table, group *ast.CommentGroup, found []markers.Comment) (blocks []Block, wrong []Problem) {
	open := false
	for i, comment := range group.List {
		j := slices.IndexFunc(found, func(c markers.Comment) bool { return comment.Pos() <= c.Pos && c.Pos < comment.End() })
		if j < 0 {
			continue
		}
		c := found[j]
		switch isEnd := c.Text == "+"+markers.DocEndName; {
		case isEnd && open:
			blocks[len(blocks)-1].last = i
			open = false
		case isEnd:
			wrong = append(wrong, Problem{Comment: c, Msg: "doc:end without doc"})
		case !strings.HasPrefix(c.Text, "+"+markers.DocName+"("):
		case open:
			wrong = append(wrong, Problem{Comment: c, Msg: "doc within doc"})
		default:
			m, err := table.Parse(c, markers.Type)
			if err != nil {
				wrong = append(wrong, Problem{Comment: c, Msg: err.Error(), Err: err})
				continue
			}
			open = true
			blocks = append(blocks, Block{
				Open: c, Condition: m.Value.(markers.DocBlock).Condition,
				from: c.PosAt(len("+" + markers.DocName + "(")), to: c.PosAt(len(c.Text) - 1),
				group: group, first: i,
			})
		}
	}
	if open {
		last := len(blocks) - 1
		wrong = append(wrong, Problem{Comment: blocks[last].Open, Msg: "doc without doc:end"})
		blocks = blocks[:last]
	}
	return blocks, wrong
}

// Unwrap adds the two markers of a block whose condition holds to the comments that are gone.
func (b Block) Unwrap(gone map[*ast.Comment]bool) {
	gone[b.group.List[b.first]] = true
	gone[b.group.List[b.last]] = true
}

// Remove adds the comments of a block whose condition does not hold to those that are gone of the
// blocks above it. Empty lines that meet become one.
func (b Block) Remove(gone map[*ast.Comment]bool) {
	list := b.group.List
	for _, c := range list[b.first : b.last+1] {
		gone[c] = true
	}
	above := b.first - 1
	for above >= 0 && gone[list[above]] {
		above--
	}
	if next := b.last + 1; next < len(list) && isBlank(list[next]) && (above < 0 || isBlank(list[above])) {
		gone[list[next]] = true
	}
}

// covers reports whether the block has a position.
func (b Block) covers(pos token.Pos) bool {
	return b.Open.Pos <= pos && pos < b.group.List[b.last].Pos()
}

func isBlank(c *ast.Comment) bool { return strings.TrimSpace(strings.TrimPrefix(c.Text, "//")) == "" }

// Remaining returns the markers that are not in comments that are gone.
func Remaining(found []markers.Comment, gone map[*ast.Comment]bool) []markers.Comment {
	if len(gone) == 0 {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(c markers.Comment) bool {
		for comment := range gone {
			if comment.Pos() <= c.Pos && c.Pos < comment.End() {
				return true
			}
		}
		return false
	})
}
