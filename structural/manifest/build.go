package manifest

import (
	"strconv"
	"unicode/utf8"
)

// The most that is read of a file. Real manifests of 64 MiB stay below half of
// each of the other limits, which hold the memory that a file takes to a
// multiple of its size, whatever stands in it.
const (
	maxManifestBytes = 64 << 20
	// maxNodes bounds the keys and values of a file.
	maxNodes = 2_000_000
	// maxDepth is the API server's own limit for JSON.
	maxDepth = 10_000
)

// treeBuilder makes a tree. Its methods are called in the order of the nodes.
type treeBuilder struct {
	tree
	auxText []byte
	depth   int
	// left is how many nodes may still be added.
	left int
	// duplicates are keys of YAML that stand in their mapping already.
	duplicates []duplicateKey
	// refused says why there can be no tree, if so.
	refused *refusal
	keys    []int32 // of the mapping that is being closed
}

// duplicateKey is a key that stands in its mapping already.
type duplicateKey struct {
	at   int32
	text string
}

// refusal says why a document cannot be read.
type refusal struct {
	at      int
	kind    ProblemKind
	message string
}

// refuse notes the first reason.
func (b *treeBuilder) refuse(at int, kind ProblemKind, message string) {
	if b.refused == nil {
		b.refused = &refusal{at: at, kind: kind, message: message}
	}
}

func (b *treeBuilder) add(n treeNode) int32 {
	if b.left--; b.left < 0 {
		b.refuse(int(n.at), TooLarge, "the file holds more keys and values than the 2,000,000 that are read")
	}
	n.next = int32(len(b.nodes) + 1)
	b.nodes = append(b.nodes, n)
	return n.next - 1
}

// span adds a scalar whose text stands in the source.
func (b *treeBuilder) span(kind nodeKind, at, from, to int) int32 {
	return b.add(treeNode{kind: kind, at: int32(at), from: int32(from), to: int32(to)})
}

// scalar adds a scalar with a text of its own.
func (b *treeBuilder) scalar(kind nodeKind, at int, text string) int32 {
	from := len(b.auxText)
	b.auxText = append(b.auxText, text...)
	return b.auxScalar(kind, at, from)
}

// auxScalar adds a scalar whose text is what auxText ends with.
func (b *treeBuilder) auxScalar(kind nodeKind, at, from int) int32 {
	if len(b.auxText) > 2*len(b.src)+1<<20 { // which takes aliases
		b.refuse(at, TooLarge, "the document's aliases stand for much more text than the file has")
		b.auxText = b.auxText[:from]
	}
	return b.add(treeNode{kind: kind, at: int32(at), inAux: true, from: int32(from), to: int32(len(b.auxText))})
}

// open begins a collection, which close ends.
func (b *treeBuilder) open(kind nodeKind, at int) int32 {
	if b.depth++; b.depth > maxDepth {
		b.refuse(at, TooLarge, "exceeded max depth of 10000")
	}
	return b.span(kind, at, at, at)
}

func (b *treeBuilder) close(n int32) {
	b.depth--
	b.nodes[n].next = int32(len(b.nodes))
	if b.nodes[n].kind == mappingNode && !b.verbatim && b.refused == nil {
		b.override(n)
	}
}

// override finds the keys that stand in a mapping more than once: the last one
// counts.
func (b *treeBuilder) override(mapping int32) {
	b.keys = b.keys[:0]
	for k := mapping + 1; k < b.nodes[mapping].next; k = b.nodes[k+1].next {
		b.keys = append(b.keys, k)
	}
	var latest map[string]int
	if len(b.keys) > 16 {
		latest = make(map[string]int, len(b.keys))
	}
	for i, k := range b.keys {
		text, earlier := b.text(k), -1
		if latest != nil {
			if j, ok := latest[text]; ok {
				earlier = j
			}
			latest[text] = i
		} else {
			for j := i - 1; j >= 0 && earlier < 0; j-- {
				if b.text(b.keys[j]) == text {
					earlier = j
				}
			}
		}
		if earlier >= 0 {
			b.nodes[b.keys[earlier]].kind = overriddenKey
			b.duplicates = append(b.duplicates, duplicateKey{at: b.nodes[k].at, text: strconv.Quote(text)})
		}
	}
}

// text is the text of a scalar of an unfinished tree.
func (b *treeBuilder) text(n int32) string {
	if node := &b.nodes[n]; node.inAux {
		return string(b.auxText[node.from:node.to])
	}
	return b.tree.text(n)
}

// finish returns the tree.
func (b *treeBuilder) finish() *tree {
	b.aux = string(b.auxText)
	return &b.tree
}

// validText returns s with what is not UTF-8 replaced as encoding/json does.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
