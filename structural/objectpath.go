package structural

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// ObjectPath is the place of a value in an object, as opposed to [Path], the
// place of a node in a schema. nil is the object.
//
// A path is a chain up to the object, so that the many paths of a deep object
// share what they have in common.
type ObjectPath struct {
	parent *ObjectPath
	step   Step
}

// Step is one step down into an object.
type Step struct {
	// Field is the key of the value in a map, empty where Index is not negative.
	Field string
	// Index counts the elements of a list from zero. It is negative in a map.
	Index int
}

// Field returns the path of a field of the value at p, a map.
func (p *ObjectPath) Field(name string) *ObjectPath {
	return &ObjectPath{parent: p, step: Step{Field: name, Index: -1}}
}

// Element returns the path of an element of the value at p, a list.
func (p *ObjectPath) Element(i int) *ObjectPath {
	return &ObjectPath{parent: p, step: Step{Index: i}}
}

// Steps returns the steps from the object down.
func (p *ObjectPath) Steps() []Step {
	var steps []Step
	for ; p != nil; p = p.parent {
		steps = append(steps, p.step)
	}
	slices.Reverse(steps)
	return steps
}

// String is the path as the API server writes it (apiextensions-apiserver,
// UnknownFieldPathOptions): "spec.containers[0].name". It is not always
// unambiguous, because keys may have dots and brackets; the steps are.
func (p *ObjectPath) String() string {
	var b strings.Builder
	for i, step := range p.Steps() {
		switch {
		case step.Index >= 0:
			b.WriteString("[" + strconv.Itoa(step.Index) + "]")
		case i > 0:
			b.WriteString("." + step.Field)
		default:
			b.WriteString(step.Field)
		}
	}
	return b.String()
}

// sortByPath sorts by the text of the paths, as the server does, and paths of
// the same text by their steps.
func sortByPath[T any](list []T, path func(T) *ObjectPath) {
	if len(list) < 2 {
		return
	}
	type keyed struct {
		text string
		item T
	}
	all := make([]keyed, len(list))
	for i, item := range list {
		all[i] = keyed{path(item).String(), item}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if c := strings.Compare(a.text, b.text); c != 0 {
			return c
		}
		return slices.CompareFunc(path(a.item).Steps(), path(b.item).Steps(), func(a, b Step) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), strings.Compare(a.Field, b.Field))
		})
	})
	for i := range all {
		list[i] = all[i].item
	}
}

func sortPaths(paths []*ObjectPath) []*ObjectPath {
	sortByPath(paths, func(p *ObjectPath) *ObjectPath { return p })
	return paths
}

// way is the way down to a value that an algorithm looks at. It lives on the
// stack, and becomes a path on the heap only where something is said of the value.
type way struct {
	parent *way
	step   Step
	path   *ObjectPath
}

// field turns w to a field of the value that its parent is the way to.
func (w *way) field(name string) { w.step, w.path = Step{Field: name, Index: -1}, nil }

// element turns w to an element of the value that its parent is the way to.
func (w *way) element(i int) { w.step, w.path = Step{Index: i}, nil }

// objectPath is the way as a path. Ways with the same beginning share it.
func (w *way) objectPath() *ObjectPath {
	if w == nil {
		return nil
	}
	if w.path == nil {
		w.path = &ObjectPath{parent: w.parent.objectPath(), step: w.step}
	}
	return w.path
}

// field returns the schema of a field of an object, nil where there is none, and
// whether the field is specified. A nil schema specifies nothing. Like the
// server, it takes additionalProperties for a specification of all fields even
// where they are false.
func (s *Schema) field(name string) (child *Schema, specified bool) {
	if s == nil {
		return nil, false
	}
	if child = s.property(name); child != nil {
		return child, true
	}
	if a := s.AdditionalProperties; a != nil {
		return a.Schema, true
	}
	return nil, false
}
