package manifest

import (
	"strconv"
	"unicode/utf8"
)

// Limits for one file. Real manifests of 64 MiB stay below half of each of the
// other limits, which bound the memory for a file by a multiple of its size,
// whatever its content.
const (
	maxManifestBytes = 64 << 20
	// maxNodes bounds the keys and values of a file.
	maxNodes = 2_000_000
	// maxDepth is the API server's own limit for JSON.
	maxDepth = 10_000
)

// treeBuilder builds a tree. Its methods are called in node order.
type treeBuilder struct {
	tree
	auxText []byte
	depth   int
	// left is the number of nodes that may still be added.
	left int
	// duplicates are the duplicate keys of YAML mappings.
	duplicates []duplicateKey
	// converted are keys that are not read as the text that they have.
	converted []convertedKey
	// rejected is the reason for which no tree can be built, or nil.
	rejected *rejection
	keys     []int32 // of the mapping being closed
}

// duplicateKey is a key that already occurs in its mapping.
type duplicateKey struct {
	at   int32
	text string
}

// convertedKey is a key that is written in one way and read as another text.
type convertedKey struct {
	at            int32
	written, text string
}

// rejection is the reason for which a document cannot be read.
type rejection struct {
	at      int
	kind    ProblemKind
	message string
}

// reject records a reason unless there is one already.
func (b *treeBuilder) reject(offset int, kind ProblemKind, message string) {
	if b.rejected == nil {
		b.rejected = &rejection{at: offset, kind: kind, message: message}
	}
}

func (b *treeBuilder) add(n treeNode) int32 {
	if b.left--; b.left < 0 {
		b.reject(int(n.at), TooLarge, "the file has more than 2,000,000 keys and values")
	}
	n.next = int32(len(b.nodes) + 1)
	b.nodes = append(b.nodes, n)
	return n.next - 1
}

// span adds a scalar whose text is in the source.
func (b *treeBuilder) span(kind nodeKind, offset, start, end int) int32 {
	return b.add(treeNode{kind: kind, at: int32(offset), from: int32(start), to: int32(end)})
}

// scalar adds a scalar whose text is not in the source.
func (b *treeBuilder) scalar(kind nodeKind, offset int, text string) int32 {
	start := len(b.auxText)
	b.auxText = append(b.auxText, text...)
	return b.auxScalar(kind, offset, start)
}

// auxScalar adds a scalar whose text is the end of auxText.
func (b *treeBuilder) auxScalar(kind nodeKind, offset, start int) int32 {
	if len(b.auxText) > 2*len(b.src)+1<<20 { // only possible with aliases
		b.reject(offset, TooLarge, "the aliases of this document expand to far more text than the file contains")
		b.auxText = b.auxText[:start]
	}
	return b.add(treeNode{kind: kind, at: int32(offset), inAux: true, from: int32(start), to: int32(len(b.auxText))})
}

// open begins a collection; close ends it.
func (b *treeBuilder) open(kind nodeKind, offset int) int32 {
	if b.depth++; b.depth > maxDepth {
		b.reject(offset, TooLarge, "exceeded max depth of 10000")
	}
	return b.span(kind, offset, offset, offset)
}

func (b *treeBuilder) close(n int32) {
	b.depth--
	b.nodes[n].next = int32(len(b.nodes))
	if b.nodes[n].kind == mappingNode && !b.verbatim && b.rejected == nil {
		b.override(n)
	}
}

// override marks the duplicate keys of a mapping: only the last one counts.
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
		text := b.text(k)
		earlier := -1
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

// text returns the text of a scalar of an unfinished tree.
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

// validText returns s with invalid UTF-8 replaced as by encoding/json.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
