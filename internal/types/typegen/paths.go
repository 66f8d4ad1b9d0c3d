package typegen

import (
	"cmp"
	"slices"
	"strings"
)

// A step is the last part of a path to a node: the kind, or the name of a field, which is in
// the singular for elements. Paths share their beginnings, so that a deep schema does not have
// a copy of its path for each node.
type step struct {
	parent *step
	name   string
	depth  int
	// inStatus is set for everything below the status of a kind.
	inStatus bool
}

// pathOf returns the path with these parts.
func pathOf(kind string, fields ...string) *step {
	out := &step{name: kind}
	for _, name := range fields {
		out = out.child(name)
	}
	return out
}

func (s *step) child(name string) *step {
	return &step{parent: s, name: name, depth: s.depth + 1, inStatus: s.inStatus || s.depth == 1 && s.name == "status"}
}

// element returns the path of an element, whose last part is in the singular.
func (s *step) element() *step {
	out := *s
	out.name = singular(s.name)
	return &out
}

// maxParts bounds the parts of a path that the name of a type may have. Types that differ only
// before them are numbered.
const maxParts = 16

// tail returns the last parts of a path, at most maxParts.
func (s *step) tail() []string {
	var out []string
	for ; s != nil && len(out) < maxParts; s = s.parent {
		out = append(out, s.name)
	}
	slices.Reverse(out)
	return out
}

// stem returns the shortest end of a path that tells what a type is about, if its tail has one.
func (s *step) stem() []string {
	path := s.tail()
	for i := len(path) - 1; i > 0; i-- {
		if !isDull(wordsOf(path[i])) {
			return path[i:]
		}
	}
	return path
}

// comparePaths orders paths by their length first.
func comparePaths(a, b *step) int {
	if a.depth != b.depth {
		return cmp.Compare(a.depth, b.depth)
	}
	return compareParts(a, b)
}

// compareParts compares paths of the same length by their first different part.
func compareParts(a, b *step) int {
	out := 0
	for ; a != b; a, b = a.parent, b.parent {
		out = cmp.Or(strings.Compare(a.name, b.name), out)
	}
	return out
}

func first(paths []*step) *step { return slices.MinFunc(paths, comparePaths) }

// commonWords returns the words that the tails of all paths end with.
func commonWords(paths []*step) []string {
	common := pathWords(paths[0].tail())
	for _, path := range paths[1:] {
		words := pathWords(path.tail())
		n := 0
		for n < min(len(words), len(common)) && strings.EqualFold(words[len(words)-1-n], common[len(common)-1-n]) {
			n++
		}
		common = common[len(common)-n:]
	}
	return common
}

func pathWords(path []string) []string {
	var out []string
	for _, part := range path {
		out = append(out, wordsOf(part)...)
	}
	return out
}
