package manifest

import (
	"fmt"
	"go/token"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/structural"
)

// Object decodes the object as the API server decodes custom resources: integers
// that fit are int64, other numbers float64. An error is about a number that
// nothing holds.
func (m *Manifest) Object() (map[string]any, error) {
	object := map[string]any{}
	if err := json.Unmarshal(m.tree.json(m.root), &object); err != nil {
		return nil, fmt.Errorf("%s %s: %w", m.Kind, m.Name, err)
	}
	return object, nil
}

// Repeated says which keys of an object in JSON stand in their mapping already, in
// the words of the API server's strict decoding. In YAML, [Read] says so.
func (m *Manifest) Repeated() []Problem {
	if !m.tree.verbatim {
		return nil
	}
	var out []Problem
	var look func(n int32, at *structural.ObjectPath)
	look = func(n int32, at *structural.ObjectPath) {
		seen := map[string]bool{}
		m.tree.eachEntry(n, func(key int32) {
			name := m.tree.text(key)
			if seen[name] {
				out = append(out, Problem{Pos: m.base + token.Pos(m.tree.nodes[key].at), Kind: DuplicateField, Message: fmt.Sprintf("duplicate field %q", at.Field(name))})
			}
			seen[name] = true
			look(key+1, at.Field(name))
		})
		i := 0
		m.tree.eachElement(n, func(element int32) {
			look(element, at.Element(i))
			i++
		})
	}
	look(m.root, nil)
	return out
}

// Keys returns the keys of the mapping at a path, in the order of the document;
// none where there is no mapping.
func (m *Manifest) Keys(path *structural.ObjectPath) []string {
	_, value, whole := m.find(path)
	if !whole {
		return nil
	}
	var out []string
	m.tree.eachEntry(value, func(key int32) { out = append(out, m.tree.text(key)) })
	return out
}

// PlaceOf returns the place of a value of the object. Where the last steps of the
// path are not in the file, as with a default, it is the place of the innermost
// one that is.
func (m *Manifest) PlaceOf(path *structural.ObjectPath) token.Pos {
	at, _, _ := m.find(path)
	return m.base + token.Pos(m.tree.nodes[at].at)
}

// find follows a path: to the node where what it leads to begins, and to its
// value. It stops where the document does; then whole is false.
func (m *Manifest) find(path *structural.ObjectPath) (at, value int32, whole bool) {
	at, value = m.root, m.root
	for _, step := range path.Steps() {
		key, below := int32(noNode), int32(noNode)
		if step.Index < 0 {
			if key = m.tree.find(value, step.Field); key >= 0 {
				below = key + 1
			}
		} else {
			i := step.Index
			m.tree.eachElement(value, func(element int32) {
				if i == 0 {
					key, below = element, element
				}
				i--
			})
		}
		if key < 0 {
			return at, value, false
		}
		at, value = key, below
	}
	return at, value, true
}
