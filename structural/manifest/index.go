package manifest

import "sync"

// indexed is the number of entries from which the keys of a mapping get an index. Without one,
// positions of all entries of a mapping would take time proportional to their number squared.
const indexed = 32

// indexes are the indexes of the large mappings of a tree, which are made when they are needed.
type indexes struct {
	sync.Mutex
	byMapping map[int32]*keyIndex // nil for a small mapping
}

// A keyIndex has the last key node of each key of a mapping.
type keyIndex struct {
	nodes   map[string]int32
	longest int // the length of the longest key
}

// index returns the index of a mapping, or nil if it has few entries or the node is not a mapping.
func (t *tree) index(mapping int32) *keyIndex {
	if mapping < 0 || t.nodes[mapping].kind != mappingNode || t.nodes[mapping].next-mapping < 2*indexed {
		return nil
	}
	t.indexes.Lock()
	defer t.indexes.Unlock()
	if index, known := t.indexes.byMapping[mapping]; known {
		return index
	}
	entries := 0
	t.eachEntry(mapping, func(int32) { entries++ })
	var index *keyIndex
	if entries >= indexed {
		index = &keyIndex{nodes: make(map[string]int32, entries)}
		t.eachEntry(mapping, func(key int32) {
			name := t.text(key)
			index.nodes[name] = key
			index.longest = max(index.longest, len(name))
		})
	}
	if t.indexes.byMapping == nil {
		t.indexes.byMapping = map[int32]*keyIndex{}
	}
	t.indexes.byMapping[mapping] = index
	return index
}

// find returns the node of a key, or noNode.
func (x *keyIndex) find(key string) int32 {
	if node, found := x.nodes[key]; found {
		return node
	}
	return noNode
}

// longestKey is [tree.longestKey].
func (x *keyIndex) longestKey(path, end string) (found int32, rest string) {
	for length := min(x.longest, len(path)); length >= 0; length-- {
		tail, ok := stepAfter(path, path[:length], end)
		if !ok {
			continue
		}
		if key := x.find(path[:length]); key >= 0 {
			return key, tail
		}
	}
	return noNode, ""
}
