package manifest

import (
	"go/token"

	"github.com/schemagen/schemagen/structural"
)

// source implements [structural.Source] on a tree. A node is the index of a value in
// the tree; the document itself, at 0, is never part of a schema.
type source struct {
	tree *tree
	base token.Pos // of the file
}

func (s *source) Entries(n structural.Node) []structural.Entry {
	if n <= 0 {
		return nil
	}
	count := 0
	s.tree.eachEntry(int32(n), func(int32) { count++ })
	s.tree.eachElement(int32(n), func(int32) { count++ })
	if count == 0 {
		return nil
	}
	out := make([]structural.Entry, 0, count)
	s.tree.eachEntry(int32(n), func(key int32) { out = append(out, s.entry(key)) })
	s.tree.eachElement(int32(n), func(element int32) {
		out = append(out, structural.Entry{Pos: s.pos(element), Value: structural.Node(element)})
	})
	return out
}

func (s *source) JSON(n structural.Node) []byte { return s.tree.appendJSON(nil, int32(n), false) }

// entry returns the entry of a key, or the zero Entry for noNode.
func (s *source) entry(key int32) structural.Entry {
	if key < 0 {
		return structural.Entry{}
	}
	return structural.Entry{Key: s.tree.text(key), Pos: s.pos(key), Value: structural.Node(key + 1)}
}

func (s *source) pos(n int32) token.Pos { return s.base + token.Pos(s.tree.nodes[n].at) }
