package manifest

import (
	"encoding/json"
	"slices"
	"strings"
)

// tree holds the values of one YAML or JSON document in one slice, in which each
// node is followed by its descendants, so that large documents are cheap. A mapping
// is followed by alternating keys and values, in document order.
type tree struct {
	// src is the text of the file, aux the text of scalars whose value differs
	// from their source text: escaped, folded, resolved.
	src, aux string
	nodes    []treeNode
	// verbatim trees come from JSON: keys may repeat, and values that are kept as
	// JSON keep their source text.
	verbatim bool

	indexes indexes
}

type treeNode struct {
	kind  nodeKind
	inAux bool
	// at is the offset of the node in the file.
	at int32
	// from and to delimit the text of a scalar. A collection of a verbatim tree
	// ends at the offset to.
	from, to int32
	// next is the index of the first node after this one that is not a descendant.
	next int32
}

// nodeKind is the JSON type of a node.
type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	mappingNode
	sequenceNode
	// overriddenKey is a key of a mapping that occurs again later in the mapping.
	// It and its value are not part of the document's value.
	overriddenKey
)

// noNode is the index returned if there is no node.
const noNode = -1

// text returns the text of a scalar: a string, a number as written in JSON, "true" or
// "false".
func (t *tree) text(n int32) string {
	node := &t.nodes[n]
	if node.inAux {
		return t.aux[node.from:node.to]
	}
	return t.src[node.from:node.to]
}

// eachEntry calls f for the keys of a mapping, in document order. It does nothing
// for other nodes.
func (t *tree) eachEntry(mapping int32, f func(key int32)) {
	if mapping < 0 || t.nodes[mapping].kind != mappingNode {
		return
	}
	for k := mapping + 1; k < t.nodes[mapping].next; k = t.nodes[k+1].next {
		if t.nodes[k].kind != overriddenKey {
			f(k)
		}
	}
}

// eachElement calls f for the elements of a sequence. It does nothing for other nodes.
func (t *tree) eachElement(sequence int32, f func(element int32)) {
	if sequence < 0 || t.nodes[sequence].kind != sequenceNode {
		return
	}
	for n := sequence + 1; n < t.nodes[sequence].next; n = t.nodes[n].next {
		f(n)
	}
}

// find returns the key node of an entry of a mapping, the last one if there are
// several, or noNode. The value is the next node.
func (t *tree) find(mapping int32, key string) int32 {
	if index := t.index(mapping); index != nil {
		return index.find(key)
	}
	found := int32(noNode)
	t.eachEntry(mapping, func(k int32) {
		if t.text(k) == key {
			found = k
		}
	})
	return found
}

// below returns the value at a path of keys below a mapping, or noNode.
func (t *tree) below(n int32, keys ...string) int32 {
	for _, key := range keys {
		n = t.find(n, key)
		if n < 0 {
			return noNode
		}
		n++
	}
	return n
}

// json returns the value of a node as the API server receives it: JSON verbatim, and
// YAML as converted by sigs.k8s.io/yaml.
func (t *tree) json(n int32) []byte {
	if t.verbatim {
		return []byte(t.src[t.nodes[n].at:t.jsonEnd(n)])
	}
	return t.appendJSON(nil, n, true)
}

// jsonEnd returns the offset at which a node of a verbatim tree ends.
func (t *tree) jsonEnd(n int32) int32 {
	node := &t.nodes[n]
	if node.kind != stringNode {
		return node.to
	}
	for i := node.at + 1; ; i++ {
		switch t.src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// appendJSON appends the value of a node, with keys sorted or in document order.
func (t *tree) appendJSON(out []byte, n int32, sorted bool) []byte {
	switch t.nodes[n].kind {
	case nullNode:
		return append(out, "null"...)
	case stringNode:
		return appendJSONString(out, t.text(n))
	case sequenceNode:
		out = append(out, '[')
		t.eachElement(n, func(element int32) {
			out = append(t.appendJSON(out, element, sorted), ',')
		})
		return closeJSON(out, ']')
	case mappingNode:
		var keys []int32
		t.eachEntry(n, func(key int32) { keys = append(keys, key) })
		if sorted {
			slices.SortStableFunc(keys, func(a, b int32) int { return strings.Compare(t.text(a), t.text(b)) })
		}
		out = append(out, '{')
		for _, key := range keys {
			out = append(appendJSONString(out, t.text(key)), ':')
			out = append(t.appendJSON(out, key+1, sorted), ',')
		}
		return closeJSON(out, '}')
	default:
		return append(out, t.text(n)...)
	}
}

// closeJSON ends a collection, replacing the comma after its last element.
func closeJSON(out []byte, end byte) []byte {
	if out[len(out)-1] == ',' {
		out[len(out)-1] = end
		return out
	}
	return append(out, end)
}

func appendJSONString(out []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil { // marshaling a string never fails
		return append(out, `""`...)
	}
	return append(out, text...)
}
