package manifest

import (
	"errors"
	"fmt"
	"go/token"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/structural"
)

// Object decodes the object as the API server decodes custom resources: integers
// that fit are int64, other numbers float64. It returns an error for a number that
// neither type can hold.
func (m *Manifest) Object() (map[string]any, error) {
	if m.tree == nil {
		return nil, errors.New("the manifest is zero: use Read")
	}
	object := map[string]any{}
	if err := json.Unmarshal(m.tree.json(m.root), &object); err != nil {
		return nil, fmt.Errorf("%s %s: %w", m.Kind, m.Name, err)
	}
	return object, nil
}

// Repeated returns the duplicate keys of a JSON object, with the wording of the API
// server's strict decoding. For YAML, [Read] reports them.
func (m *Manifest) Repeated() []Problem {
	if !m.tree.verbatim {
		return nil
	}
	var out []Problem
	var look func(n int32, path *structural.ObjectPath)
	look = func(n int32, path *structural.ObjectPath) {
		seen := map[string]bool{}
		m.tree.eachEntry(n, func(key int32) {
			name := m.tree.text(key)
			if seen[name] {
				out = append(out, Problem{Pos: m.base + token.Pos(m.tree.nodes[key].at), Kind: DuplicateField, Message: fmt.Sprintf("duplicate field %q", path.Field(name))})
			}
			seen[name] = true
			look(key+1, path.Field(name))
		})
		i := 0
		m.tree.eachElement(n, func(element int32) {
			look(element, path.Element(i))
			i++
		})
	}
	look(m.root, nil)
	return out
}

// Keys returns the keys of the mapping at a path, in document order, or nil if there
// is no mapping.
func (m *Manifest) Keys(path *structural.ObjectPath) []string {
	_, value, whole := m.find(path)
	if !whole {
		return nil
	}
	var out []string
	m.tree.eachEntry(value, func(key int32) { out = append(out, m.tree.text(key)) })
	return out
}

// PositionOf returns the position of a value of the object. If the value is not in the
// file, such as a default, the position belongs to the innermost value on the path that is.
func (m *Manifest) PositionOf(path *structural.ObjectPath) token.Pos {
	node, _, _ := m.find(path)
	return m.base + token.Pos(m.tree.nodes[node].at)
}

// find follows a path and returns the node at which its target begins, and the
// target's value. It stops where the document ends; whole is then false.
func (m *Manifest) find(path *structural.ObjectPath) (node, value int32, whole bool) {
	node = m.root
	value = m.root
	for _, step := range path.Steps() {
		key := int32(noNode)
		child := int32(noNode)
		if step.Index < 0 {
			key = m.tree.find(value, step.Field)
			if key >= 0 {
				child = key + 1
			}
		} else {
			i := step.Index
			m.tree.eachElement(value, func(element int32) {
				if i == 0 {
					key = element
					child = element
				}
				i--
			})
		}
		if key < 0 {
			return node, value, false
		}
		node = key
		value = child
	}
	return node, value, true
}
