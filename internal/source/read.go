package source

import (
	"go/ast"
	"slices"

	"github.com/schemagen/schemagen/internal/ground/unseen"
)

// content is the content of a file. Its memory is reused for other files.
type content struct {
	all []byte
	// of is the user's file that has the content, or nil: generators see all of other files.
	of *text
	// seen is what they see, or nil before it is needed; rest is its memory if anything is
	// omitted.
	seen, rest []byte
}

// read reads a file. Only what generators see of it is recorded as an input of the run.
func (files *Files) read(f *text, c *content) error {
	c.seen = nil
	c.of = nil
	if !f.local {
		all, err := files.inputs.ReadFile(f.Name, c.all)
		c.all = all
		return err
	}
	use := func(all []byte) { c.all, c.of = all, f }
	all, err := files.inputs.ReadPart(f.Name, c.all, func(all []byte) []byte {
		use(all)
		return c.visible()
	})
	use(all)
	return err
}

// visible returns what generators see of the content.
func (c *content) visible() []byte {
	if c.seen == nil {
		c.seen = c.all
		if omitted := c.omitted(); len(omitted) > 0 {
			c.rest = unseen.Rest(c.rest, c.all, omitted)
			c.seen = c.rest
		}
	}
	return c.seen
}

// omitted returns the functions that generators do not see.
func (c *content) omitted() []unseen.Span {
	if c.of == nil {
		return nil
	}
	return c.of.unseen(c.all)
}

// unseen returns the functions that are left out of the content of a user's file. The file may have
// changed since the last call, but then the run is not kept.
func (f *text) unseen(all []byte) []unseen.Span {
	f.searching.Lock()
	defer f.searching.Unlock()
	if f.searched != len(all) {
		f.searched = len(all)
		f.functions = unseen.Functions(all)
	}
	return f.functions
}

// Text returns what generators see of the content of the file. It is valid until the next call.
func (f *File) Text() ([]byte, error) {
	files := f.Pkg.program.Files
	err := files.read(f.text, &files.content)
	return files.content.visible(), err
}

// ReadFile returns the content of any file. It is valid until the next call.
func (files *Files) ReadFile(name string) ([]byte, error) {
	all, err := files.inputs.ReadFile(name, files.content.all)
	if err == nil {
		files.content.all = all
	}
	return all, err
}

// omit removes functions, and the comments inside, from the tree of the file.
func (f *text) omit(functions []unseen.Span) {
	inside := func(n ast.Node) bool {
		start := int(n.Pos()) - f.base
		end := int(n.End()) - f.base
		i, _ := slices.BinarySearchFunc(functions, end, func(s unseen.Span, end int) int { return s.End - end })
		return i < len(functions) && functions[i].Start <= start
	}
	f.tree.Decls = slices.DeleteFunc(f.tree.Decls, func(decl ast.Decl) bool {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || !inside(fn) {
			return false
		}
		f.omitted = append(f.omitted, fn)
		return true
	})
	f.tree.Comments = slices.DeleteFunc(f.tree.Comments, func(group *ast.CommentGroup) bool { return inside(group) })
}

// allFunctions returns the functions and methods of the file, which must have been parsed without
// errors, including functions that were left out of its tree. The result of the run then depends on
// all of the file.
func (f *File) allFunctions() []*ast.FuncDecl {
	f.Pkg.program.inputs.Whole(f.Name)
	out := slices.Clone(f.omitted)
	for _, decl := range f.Syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			out = append(out, fn)
		}
	}
	return out
}
