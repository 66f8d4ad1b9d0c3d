package markers

import (
	"go/ast"
	"go/token"
	"sort"
	"strings"
)

// Comment is a marker comment as written in the source.
type Comment struct {
	// Text is the marker from its plus sign on, without surrounding white space.
	Text string
	// Pos is the position of the plus sign.
	Pos token.Pos
	// Godoc is set if the comment is part of the doc comment of its declaration.
	Godoc bool

	// lines are the second and later lines of the marker.
	lines []line
}

// line is a continuation line of a marker. Raw strings may span several.
type line struct {
	offset int // of its first byte in the text
	pos    token.Pos
}

// PosAt returns the position of the byte at an offset in the text.
func (c Comment) PosAt(offset int) token.Pos {
	start := 0
	pos := c.Pos
	for _, l := range c.lines {
		if l.offset <= offset {
			start = l.offset
			pos = l.pos
		}
	}
	return pos + token.Pos(offset-start)
}

// End returns the position after the marker.
func (c Comment) End() token.Pos { return c.PosAt(len(c.Text)) }

// from returns the part of the comment that begins at an offset.
func (c Comment) from(offset int) Comment {
	out := Comment{Text: c.Text[offset:], Pos: c.PosAt(offset), Godoc: c.Godoc}
	for _, l := range c.lines {
		if l.offset > offset {
			out.lines = append(out.lines, line{l.offset - offset, l.pos})
		}
	}
	return out
}

// File holds the marker comments of one Go file, grouped by what they describe. The rules follow
// controller-tools (pkg/markers/collect.go): a declaration owns its doc comment and the nearest
// comment group above it; remaining comments at file level describe the package; remaining comments
// inside a declaration are not attached to anything.
type File struct {
	// Package are the comments that describe the package: free-standing ones in source order,
	// then those moved from types.
	Package []Comment

	groups []*ast.CommentGroup
	types  map[*ast.TypeSpec][]Comment
}

// Type returns the comments of a type declared at file level, in source order.
func (f *File) Type(spec *ast.TypeSpec) []Comment { return f.types[spec] }

// Collect associates the marker comments of a file with declarations. The file must have been
// parsed with comments.
func (t *Table) Collect(file *ast.File) *File {
	c := &collection{
		File:  &File{groups: file.Comments, types: map[*ast.TypeSpec][]Comment{}},
		table: t,
	}
	// Everything above the package clause describes the package.
	c.free(c.before(file.Package))
	for _, decl := range file.Decls {
		c.decl(decl)
	}
	c.free(c.groups[c.next:])
	// The first of several equal markers takes effect, and those moved from types come last.
	c.Package = append(c.Package, c.moved...)
	return c.File
}

// collection walks the declarations of a file and the comment groups between them in parallel.
type collection struct {
	*File
	table *Table
	next  int       // index in groups of the first group that is not yet consumed
	moved []Comment // markers written at types that describe the package
}

// before consumes and returns the groups that begin before pos.
func (c *collection) before(pos token.Pos) []*ast.CommentGroup {
	start := c.next
	for c.next < len(c.groups) && c.groups[c.next].Pos() < pos {
		c.next++
	}
	return c.groups[start:c.next]
}

// trailing consumes the comment after a node on the same line; it describes no declaration.
func (c *collection) trailing(group *ast.CommentGroup) {
	if group != nil {
		c.before(group.End())
	}
}

func (c *collection) decl(decl ast.Decl) {
	gen, ok := decl.(*ast.GenDecl)
	if !ok {
		var doc *ast.CommentGroup
		if fn, ok := decl.(*ast.FuncDecl); ok {
			doc = fn.Doc
		}
		upper, nearest, _ := split(c.before(decl.Pos()), doc)
		c.free(append(upper, nearest...))
		c.before(decl.End())
		return
	}

	upper, nearest, doc := split(c.before(gen.Pos()), gen.Doc)
	c.free(upper)
	single := gen.Tok == token.TYPE && !gen.Lparen.IsValid()
	if !single {
		c.free(nearest)
		nearest = nil
		doc = nil
	}
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			_, specNearest, specDoc := split(c.before(spec.Pos()), spec.Doc)
			var own []Comment
			for _, part := range []struct {
				groups   []*ast.CommentGroup
				comments func(*ast.CommentGroup) []Comment
			}{{nearest, comments}, {doc, godocComments}, {specNearest, comments}, {specDoc, godocComments}} {
				for _, group := range part.groups {
					own = append(own, part.comments(group)...)
				}
			}
			c.types[spec] = c.keepTypeLevel(own)
			c.trailing(spec.Comment)
		case *ast.ValueSpec:
			c.before(spec.Pos())
			c.trailing(spec.Comment)
		case *ast.ImportSpec:
			c.before(spec.Pos())
			c.trailing(spec.Comment)
		}
		c.before(spec.End())
	}
	c.before(gen.End())
}

// keepTypeLevel returns the comments that describe the type. A marker outside the doc comment
// that is defined for packages but not for types is moved to the package.
func (c *collection) keepTypeLevel(own []Comment) []Comment {
	kept := own[:0]
	for _, comment := range own {
		if !comment.Godoc && c.table.Lookup(comment.Text, Type) == nil && c.table.Lookup(comment.Text, Package) != nil {
			c.moved = append(c.moved, comment)
			continue
		}
		kept = append(kept, comment)
	}
	return kept
}

func (c *collection) free(groups []*ast.CommentGroup) {
	for _, group := range groups {
		c.Package = append(c.Package, comments(group)...)
	}
}

// Fields returns the comments of each element of the struct's field list, in
// source order.
func (f *File) Fields(st *ast.StructType) [][]Comment {
	c := &collection{File: f}
	c.next = sort.Search(len(f.groups), func(i int) bool { return f.groups[i].Pos() > st.Fields.Opening })
	out := make([][]Comment, len(st.Fields.List))
	for i, field := range st.Fields.List {
		_, nearest, doc := split(c.before(field.Pos()), field.Doc)
		for _, group := range nearest {
			out[i] = append(out[i], comments(group)...)
		}
		for _, group := range doc {
			out[i] = append(out[i], godocComments(group)...)
		}
		c.trailing(field.Comment)
		c.before(field.End())
	}
	return out
}

// split divides the groups before a node into its doc comment, the nearest other group, and
// the groups further up. nearest and own have at most one element.
func split(groups []*ast.CommentGroup, doc *ast.CommentGroup) (upper, nearest, own []*ast.CommentGroup) {
	n := len(groups)
	if n > 0 && doc != nil && groups[n-1] == doc {
		own = groups[n-1:]
		n--
	}
	if n > 0 {
		nearest = groups[n-1 : n : n]
		n--
	}
	return groups[:n:n], nearest, own
}

// InGroup returns the marker comments of a group.
func InGroup(group *ast.CommentGroup) []Comment { return comments(group) }

// comments returns the marker comments of a group: line comments whose first non-blank
// character is a plus sign.
func comments(group *ast.CommentGroup) []Comment {
	var out []Comment
	for i := 0; i < len(group.List); i++ {
		text, offset, ok := markerText(group.List[i].Text)
		if !ok {
			continue
		}
		c := Comment{Text: text, Pos: group.List[i].Slash + token.Pos(offset)}
		continued := continuation(text, group.List[i+1:])
		for _, next := range continued {
			text, offset := lineText(next.Text)
			c.lines = append(c.lines, line{len(c.Text) + 1, next.Slash + token.Pos(offset)})
			c.Text += "\n" + text
		}
		i += len(continued)
		out = append(out, c)
	}
	return out
}

// godocComments returns the marker comments of a group that is a doc comment.
func godocComments(group *ast.CommentGroup) []Comment {
	out := comments(group)
	for i := range out {
		out[i].Godoc = true
	}
	return out
}

// Prose returns the comments of a group that are not markers.
func Prose(group *ast.CommentGroup) []*ast.Comment {
	out := make([]*ast.Comment, 0, len(group.List))
	for i := 0; i < len(group.List); i++ {
		text, _, ok := markerText(group.List[i].Text)
		if !ok {
			out = append(out, group.List[i])
			continue
		}
		i += len(continuation(text, group.List[i+1:]))
	}
	return out
}

// continuation returns the line comments that continue a marker: a raw string that is not
// closed on its line extends to the line that closes it. controller-gen rejects such a
// marker, so no comment changes its meaning. Markers of other tools are not continued.
func continuation(marker string, next []*ast.Comment) []*ast.Comment {
	if !strings.Contains(marker, "`") || !hasOwnPrefix(marker[1:]) || !opensRaw(marker) {
		return nil
	}
	for i, c := range next {
		if !strings.HasPrefix(c.Text, "//") {
			return nil
		}
		text, _ := lineText(c.Text)
		marker += "\n" + text
		if strings.Contains(text, "`") && !opensRaw(marker) {
			return next[:i+1]
		}
	}
	return nil
}

// opensRaw reports whether the text ends inside a raw string. A quote opens a string only
// where a value begins.
func opensRaw(text string) bool {
	var quote byte
	begins := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case begins && (c == '"' || c == '`'):
			quote = c
		case c != ' ':
			begins = strings.IndexByte("=,;{:", c) >= 0
		}
	}
	return quote == '`'
}

// lineText returns the text that a continuation line adds to a marker, without the slashes
// and one blank after them, and its offset in the comment.
func lineText(comment string) (text string, offset int) {
	text = strings.TrimPrefix(comment[2:], " ")
	return strings.TrimRight(text, " \t\r"), len(comment) - len(text)
}

func markerText(comment string) (text string, offset int, ok bool) {
	if !strings.HasPrefix(comment, "//") {
		return "", 0, false
	}
	text = strings.TrimSpace(comment[2:])
	if !strings.HasPrefix(text, "+") {
		return "", 0, false
	}
	return text, strings.IndexByte(comment, '+'), true
}
