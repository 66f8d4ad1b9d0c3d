package markers

import (
	"go/ast"
	"go/token"
)

// Edit replaces the source from Pos up to End by New.
type Edit struct {
	Pos, End token.Pos
	New      string
}

// rewritten is [Comment.replacement], or nil if the text is empty.
func (c Comment) rewritten(text string) *Edit {
	if text == "" {
		return nil
	}
	return c.replacement(text)
}

// replacement returns the edit that replaces the text of a marker. It is nil if the marker
// spans several lines.
func (c Comment) replacement(text string) *Edit {
	if len(c.lines) > 0 {
		return nil
	}
	return &Edit{c.Pos, c.End(), text}
}

// aboveField returns the edit that adds a marker above the field that a comment follows, and
// nil if it does not follow a field.
func aboveField(file *ast.File, comment *ast.CommentGroup, text string) (edit *Edit) {
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Comment == comment {
			edit = &Edit{field.Pos(), field.Pos(), "// " + text + "\n"}
		}
		return edit == nil
	})
	return edit
}

// Removal returns the edit that removes the line of a marker from the file and keeps the lines
// around it in one comment. It is nil if there is no marker at the position, or if it
// spans several lines.
func Removal(file *ast.File, pos token.Pos) *Edit {
	if c, ok := At(file, pos); !ok || len(c.lines) > 0 {
		return nil
	}
	for _, group := range file.Comments {
		for i, c := range group.List {
			switch {
			case pos < c.Pos() || c.End() <= pos:
			case i+1 < len(group.List):
				return &Edit{Pos: c.Pos(), End: group.List[i+1].Pos()}
			case i > 0:
				return &Edit{Pos: group.List[i-1].End(), End: c.End()}
			default:
				return &Edit{Pos: c.Pos(), End: c.End()}
			}
		}
	}
	return nil
}
