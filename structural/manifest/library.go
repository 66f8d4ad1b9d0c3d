package manifest

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/yamltext"
)

// The library needs up to two hundred times the size of a document that consists of
// indicators only, so documents that are not in plain block style have tighter
// limits. The API server itself does not accept objects larger than 3 MiB.
const (
	maxLibraryBytes      = 8 << 20
	maxLibraryIndicators = 200_000
)

// parseLibrary parses one YAML document, src[from:to], into b with the library that
// sigs.k8s.io/yaml uses, go.yaml.in/yaml/v2, so that the API server reads the same values and
// rejects the same documents. That library does not record positions; its successor does. Where the
// two disagree on the structure, a value has the position of the innermost enclosing value on which
// they agree.
//
// strayed is the offset at which the document left the plain block style, which is
// often where the error is.
func parseLibrary(b *treeBuilder, start, end, strayed int) {
	text := b.src[start:end]
	if len(text) > maxLibraryBytes {
		if bad := badCharacter(text); bad >= 0 {
			b.reject(start+bad, Malformed, "control characters and invalid UTF-8 are not allowed")
		}
		b.reject(start, TooLarge, fmt.Sprintf(
			"this document is not in plain block style and has %d bytes; such documents are limited to %d", len(text), maxLibraryBytes))
		return
	}
	if n := countIndicators(text); n > maxLibraryIndicators {
		b.reject(start, TooLarge, fmt.Sprintf(
			"this document is not in plain block style and may have too many values; such documents are limited to %d", maxLibraryIndicators))
		return
	}
	value, duplicates, err := valueOf(text)
	if err != nil {
		offset, message := yamlError(text, err, strayed-start)
		b.reject(start+offset, Malformed, message)
		return
	}
	l := &libraryReader{treeBuilder: b}
	root := rootOf(text)
	if root != nil {
		l.locate(root, &lineIndex{text: b.src[:end], line: 1, column: 1, at: start})
	}
	l.value(value, root, start)
	l.settleDuplicates(duplicates, text, start)
}

// countIndicators returns a number that is at least half the number of keys and
// values in a text.
func countIndicators(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ',', '[', '{':
			n++
		case '-', ':', '?':
			if i+1 == len(text) || strings.IndexByte(jsonSpace, text[i+1]) >= 0 {
				n++
			}
		}
	}
	return n
}

// valueOf decodes the first document of a text and returns its duplicate keys. A
// panic of the library is returned as an error.
func valueOf(text string) (value any, duplicates []libraryDuplicate, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML library failed: %v", r)
		}
	}()
	err = yamlv2.UnmarshalStrict([]byte(text), &value)
	if rejected := (*yamlv2.TypeError)(nil); errors.As(err, &rejected) {
		duplicates = duplicatesIn(rejected.Errors)
		value = nil
		err = yamlv2.Unmarshal([]byte(text), &value) // the last duplicate counts
	}
	return value, duplicates, err
}

// libraryDuplicate is a duplicate key as reported by the library: the line of its
// mapping, counted from 1, and the key in Go syntax.
type libraryDuplicate struct {
	line int
	key  string
}

// alreadySet matches the library's message for a duplicate key.
var alreadySet = lazyregexp.New(`(?s)^line (\d+): key (.*) already set in map$`)

// duplicatesIn returns the duplicate keys in the library's errors, in order. Aliases
// cause repeated messages.
func duplicatesIn(messages []string) []libraryDuplicate {
	var found []libraryDuplicate
	for _, message := range messages {
		if m := alreadySet().FindStringSubmatch(message); m != nil {
			line, _ := strconv.Atoi(m[1])
			found = append(found, libraryDuplicate{line, m[2]})
		}
	}
	slices.SortFunc(found, func(a, b libraryDuplicate) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.key, b.key))
	})
	return slices.Compact(found)
}

// rootOf returns the first node of a text, or nil.
func rootOf(text string) (root *yamlv3.Node) {
	defer func() {
		if recover() != nil {
			root = nil
		}
	}()
	var document yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(text), &document); err != nil || len(document.Content) == 0 {
		return nil
	}
	return document.Content[0]
}

// libraryReader builds a tree from a value of one library and the nodes of the
// other.
type libraryReader struct {
	*treeBuilder
	// reported are the positions of duplicate keys, which aliases repeat.
	reported map[int]bool
	merges   int // nesting depth of merge keys
}

// locate replaces the columns of nodes with offsets in the file.
func (l *libraryReader) locate(n *yamlv3.Node, lines *lineIndex) {
	n.Column = lines.offset(n.Line, n.Column)
	for _, child := range n.Content {
		l.locate(child, lines)
	}
}

// value adds a value. If its node is nil, its position is around.
func (l *libraryReader) value(value any, node *yamlv3.Node, around int) {
	offset := around
	if node != nil {
		offset = node.Column
		if node.Kind == yamlv3.AliasNode {
			node = node.Alias
		}
	}
	if l.rejected != nil {
		return
	}
	switch value := value.(type) {
	case []any:
		s := l.open(sequenceNode, offset)
		for i, element := range value {
			var child *yamlv3.Node
			if node != nil && node.Kind == yamlv3.SequenceNode && len(node.Content) == len(value) {
				child = node.Content[i]
			}
			l.value(element, child, offset)
		}
		l.close(s)
	case map[any]any:
		m := l.open(mappingNode, offset)
		for _, e := range l.entries(value, node, offset) {
			text, err := yamltext.KeyText(e.key)
			if err != nil {
				l.reject(e.at, Malformed, err.Error())
				return
			}
			l.convert(e, text)
			l.scalar(stringNode, e.at, validText(text))
			l.value(e.value, e.node, e.at)
		}
		l.close(m)
	default:
		kind, text, ok := jsonScalar(value)
		if !ok {
			l.reject(offset, Malformed, fmt.Sprintf("json: unsupported value: %v", value))
		}
		if node != nil && strings.HasPrefix(l.src[offset:], text) {
			l.span(kind, offset, offset, offset+len(text))
		} else {
			l.scalar(kind, offset, text)
		}
	}
}

// entry is an entry of a mapping.
type entry struct {
	key, value any
	// at is the position of the key.
	at int
	// node is the node of the value, or nil.
	node *yamlv3.Node
	// written is the text of the key in the file, or "".
	written string
	dead    bool // overridden later
}

// entries returns the entries of a mapping in document order, followed by those
// without a node.
func (l *libraryReader) entries(value map[any]any, n *yamlv3.Node, offset int) []entry {
	var list []entry
	index := make(map[any]int, len(value))
	if n != nil && n.Kind == yamlv3.MappingNode {
		list = l.collect(list, index, value, n)
	}
	list = slices.DeleteFunc(list, func(e entry) bool { return e.dead })
	if len(list) < len(value) {
		found := len(list)
		for key, value := range value {
			if _, ok := index[key]; !ok {
				list = append(list, entry{key: key, value: value, at: offset})
			}
		}
		slices.SortFunc(list[found:], func(a, b entry) int { return cmp.Compare(fmt.Sprint(a.key), fmt.Sprint(b.key)) })
	}
	return list
}

// collect appends the entries of a mapping node, including merged ones, in the
// order in which the library sets them.
func (l *libraryReader) collect(list []entry, index map[any]int, value map[any]any, n *yamlv3.Node) []entry {
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		v := n.Content[i+1]
		if isMerge(k) {
			if l.merges++; l.merges < maxDepth { // only a cycle is deeper
				for _, merged := range mergedNodes(v) {
					list = l.collect(list, index, value, merged)
				}
			}
			l.merges--
			continue
		}
		key := keyOf(k)
		if _, ok := value[key]; !ok && value != nil {
			if _, ok := value[k.Value]; !ok {
				continue
			}
			key = k.Value
		}
		if earlier, ok := index[key]; ok {
			list[earlier].dead = true
			l.duplicate(k.Column, key)
			l.findDuplicates(list[earlier].node)
		}
		index[key] = len(list)
		list = append(list, entry{key: key, value: value[key], at: k.Column, node: v, written: k.Value})
	}
	return list
}

// findDuplicates records duplicate keys in parts that do not contribute to the value.
func (l *libraryReader) findDuplicates(n *yamlv3.Node) {
	switch n.Kind {
	case yamlv3.MappingNode:
		for _, e := range l.collect(nil, map[any]int{}, nil, n) {
			if !e.dead {
				l.findDuplicates(e.node)
			}
		}
	case yamlv3.SequenceNode:
		for _, element := range n.Content {
			l.findDuplicates(element)
		}
	}
}

// convert records a key that is not read as the text that it has, once: aliases repeat it.
func (l *libraryReader) convert(e entry, text string) {
	isKnown := func(k convertedKey) bool { return int(k.at) == e.at }
	if _, isText := e.key.(string); isText || e.written == "" || e.written == text || slices.ContainsFunc(l.converted, isKnown) {
		return
	}
	l.converted = append(l.converted, convertedKey{at: int32(e.at), written: e.written, text: text})
}

// duplicate records a duplicate key.
func (l *libraryReader) duplicate(offset int, key any) {
	if l.reported == nil {
		l.reported = map[int]bool{}
	}
	if !l.reported[offset] {
		l.reported[offset] = true
		l.duplicates = append(l.duplicates, duplicateKey{at: int32(offset), text: fmt.Sprintf("%#v", key)})
	}
}

// settleDuplicates keeps those of the duplicate keys found among the nodes that the
// library which decodes the text, at from, also reports. A reported key without a
// node gets the position of the line of its mapping.
func (l *libraryReader) settleDuplicates(reported []libraryDuplicate, text string, start int) {
	found := map[string]bool{} // whether a node has the reported key
	for _, r := range reported {
		found[r.key] = false
	}
	l.duplicates = slices.DeleteFunc(l.duplicates, func(d duplicateKey) bool {
		_, ok := found[d.text]
		found[d.text] = true
		return !ok
	})
	lines := &lineIndex{text: l.src[:start+len(text)], line: 1, column: 1, at: start}
	for _, r := range reported {
		if !found[r.key] {
			l.duplicates = append(l.duplicates, duplicateKey{at: int32(lines.offset(r.line, 1)), text: r.key})
		}
	}
}

func isMerge(n *yamlv3.Node) bool {
	return n.Kind == yamlv3.ScalarNode && n.Value == "<<" && n.ShortTag() == "!!merge"
}

// mergedNodes returns the mappings that the value of a merge key refers to, in the
// order in which they are set.
func mergedNodes(n *yamlv3.Node) []*yamlv3.Node {
	if n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yamlv3.MappingNode:
		return []*yamlv3.Node{n}
	case yamlv3.SequenceNode:
		var out []*yamlv3.Node
		for _, element := range slices.Backward(n.Content) {
			out = append(out, mergedNodes(element)...)
		}
		return out
	}
	return nil
}

// keyOf returns the map key that a node represents.
func keyOf(n *yamlv3.Node) any {
	if n.Kind == yamlv3.AliasNode {
		n = n.Alias
	}
	if n.Kind != yamlv3.ScalarNode {
		return nil
	}
	tagged := n.Style&yamlv3.TaggedStyle != 0
	if tagged && n.Tag == "!!binary" {
		text, err := base64.StdEncoding.DecodeString(n.Value)
		if err == nil {
			return string(text)
		}
	}
	if n.Style&^yamlv3.TaggedStyle != 0 || tagged && n.Tag == "!!str" {
		return n.Value
	}
	value, isString := yamltext.Plain(n.Value)
	if isString {
		return n.Value
	}
	if i, ok := value.(int64); ok {
		return int(i)
	}
	return value
}

// lineIndex converts the library's lines and columns to offsets, in one pass over
// the text: positions are requested in document order, in which the library never
// goes back.
type lineIndex struct {
	text         string
	line, column int
	at           int
}

// offset returns the offset of a line and column, both counted from 1 and columns in
// characters.
func (x *lineIndex) offset(line, column int) int {
	for x.at < len(x.text) && (x.line < line || x.line == line && x.column < column) {
		r, size := utf8.DecodeRuneInString(x.text[x.at:])
		x.at += size
		switch {
		case r == '\r' && x.at < len(x.text) && x.text[x.at] == '\n':
		case r == '\n', r == '\r', r == 0x85, r == '\u2028', r == '\u2029':
			x.line++
			x.column = 1
			continue
		}
		x.column++
	}
	return x.at
}
