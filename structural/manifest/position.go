package manifest

import (
	"go/token"
	"strconv"
	"strings"
)

// Position returns the position of a field path as printed by the API server, for
// example "metadata.annotations[api-approved.kubernetes.io]" or
// "spec.versions[0].schema.openAPIV3Schema.properties[a].type". If the object does
// not have the whole path, it is the position of the innermost part that exists.
//
// If all versions agree, the server refers to spec.validation, spec.subresources,
// spec.additionalPrinterColumns and spec.selectableFields; Position then returns
// the position in the first version.
func (m *Manifest) Position(path string) token.Pos {
	found := m.root
	node := m.root
	rest := "." + m.inVersions(path)
	for rest != "" {
		key, value, tail := m.tree.step(node, rest)
		if key < 0 {
			break
		}
		found = key
		node = value
		rest = tail
	}
	return m.base + token.Pos(m.tree.nodes[found].at)
}

// inVersions converts a path that the server prints for its internal version of the
// object to a path of the v1 object.
func (m *Manifest) inVersions(path string) string {
	for _, moved := range [...]struct{ server, manifest string }{
		{"spec.validation", "spec.versions[0].schema"},
		{"spec.schema", "spec.versions[0].schema"},
		{"spec.version", "spec.versions[0].name"},
		{"spec.subresources", "spec.versions[0].subresources"},
		{"spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"},
		{"spec.selectableFields", "spec.versions[0].selectableFields"},
		{"spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig"},
		{"spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions"},
	} {
		if rest, ok := strings.CutPrefix(path, moved.server); ok && isStepEnd(rest) {
			path = moved.manifest + rest
			break
		}
	}
	if strings.Contains(path, "rinterColumns") {
		if column, ok := strings.CutSuffix(path, ".JSONPath"); ok {
			path = column + ".jsonPath"
		}
	}
	return path
}

func isStepEnd(rest string) bool { return rest == "" || rest[0] == '.' || rest[0] == '[' }

// step takes the first step of a path below a node: the longest existing key that
// matches, because keys may contain dots and brackets. It returns the node with the
// position of the key, the node of the value, and the rest of the path. place is
// noNode if there is no such step.
func (t *tree) step(n int32, path string) (place, value int32, rest string) {
	place = noNode
	bracket := path[0] == '['
	path = path[1:]
	if bracket {
		if index, tail, ok := strings.Cut(path, "]"); ok {
			if i, ok := elementIndex(index); ok {
				t.eachElement(n, func(element int32) {
					if i == 0 {
						place = element
						value = element
						rest = tail
					}
					i--
				})
			}
		}
	}
	end := ""
	if bracket {
		end = "]"
	}
	key, suffix := t.longestKey(n, path, end)
	if key >= 0 {
		return key, key + 1, suffix
	}
	return place, value, rest
}

// elementIndex parses the index of an element. Most texts in brackets are names of properties, for which
// strconv would allocate an error.
func elementIndex(text string) (int, bool) {
	if text == "" || strings.Trim(text, "+-0123456789") != "" {
		return 0, false
	}
	i, err := strconv.Atoi(text)
	return i, err == nil
}

// longestKey returns the longest key of a mapping with which a path begins, before end and the next
// step, and the rest of the path. It returns noNode if there is none.
func (t *tree) longestKey(mapping int32, path, end string) (found int32, rest string) {
	if index := t.index(mapping); index != nil {
		return index.longestKey(path, end)
	}
	return t.scanKeys(mapping, path, end)
}

// scanKeys is longestKey without an index.
func (t *tree) scanKeys(mapping int32, path, end string) (found int32, rest string) {
	found = noNode
	longest := -1
	t.eachEntry(mapping, func(key int32) {
		name := t.text(key)
		if tail, ok := stepAfter(path, name, end); ok && len(name) >= longest {
			longest = len(name)
			found = key
			rest = tail
		}
	})
	return found, rest
}

// stepAfter returns what follows a key and end at the beginning of a path, if that is a step.
func stepAfter(path, key, end string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, key)
	if ok {
		rest, ok = strings.CutPrefix(rest, end)
	}
	return rest, ok && isStepEnd(rest)
}
